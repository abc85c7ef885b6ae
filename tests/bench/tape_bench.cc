// SPDX-License-Identifier: MIT
// What a replayed operator call costs over the same call through ATen's typed functions: chains of
// 64 calls on four elements, in which each result replaces the one before.
#include <ATen/ATen.h>
#include <benchmark/benchmark.h>
#include <c10/core/InferenceMode.h>

#include <string>

#include "eager/tape.h"
#include "eager/tracer.h"
#include "sample/parser.h"

namespace graphnet::eager {
namespace {

constexpr int kCalls = 64;

/// `x = <call>` 64 times, in which "{}" is the result before; a, b and c are the arguments.
std::string chain(const std::string& call) {
  std::string text =
      "import torch\n\n\nclass GraphModule(torch.nn.Module):\n    def forward(self, a: "
      "torch.Tensor, b: torch.Tensor, c: torch.Tensor):\n";
  std::string last = "a";
  for (int i = 0; i < kCalls; ++i) {
    std::string line = call;
    line.replace(line.find("{}"), 2, last);
    const std::string name = "x" + std::to_string(i);
    text += "        " + name + " = " + line + "\n";
    if (i > 0) text += "        " + last + " = None\n";
    last = name;
  }
  return text + "        return (" + last + ",)\n";
}

std::vector<at::Tensor> arguments() {
  return {at::full({2, 2}, 0.5), at::full({2, 2}, 0.25), at::full({2}, 0.125)};
}

void count_calls(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * kCalls);
  // Printed as "12.3n": nanoseconds.
  state.counters["s_per_call"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kCalls,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void Replayed(benchmark::State& state, const char* call) {
  const c10::InferenceMode inference(true);
  const std::vector<at::Tensor> inputs = arguments();
  const auto program = sample::parse_model(chain(call), "model.py");
  if (!program.is_ok()) {
    state.SkipWithError(program.status().message().c_str());
    return;
  }
  Tracer tracer(*program, inputs);
  tracer.run();
  Tape tape = tracer.take_tape();
  for (auto _ : state) benchmark::DoNotOptimize(tape.replay(inputs));
  count_calls(state);
}

template <typename Call>
void Typed(benchmark::State& state, Call call) {
  const c10::InferenceMode inference(true);
  const std::vector<at::Tensor> inputs = arguments();
  for (auto _ : state) {
    at::Tensor last = inputs[0];
    for (int i = 0; i < kCalls; ++i) last = call(last, inputs);
    benchmark::DoNotOptimize(last);
  }
  count_calls(state);
}

BENCHMARK_CAPTURE(Replayed, add, "{} + b");
BENCHMARK_CAPTURE(Typed, add, [](const at::Tensor& x, const std::vector<at::Tensor>& inputs) {
  return at::add(x, inputs[1]);
});
BENCHMARK_CAPTURE(Replayed, view, "{}.view(2, 2)");
BENCHMARK_CAPTURE(Typed, view, [](const at::Tensor& x, const std::vector<at::Tensor>& /*inputs*/) {
  return x.view({2, 2});
});
BENCHMARK_CAPTURE(Replayed, linear, "torch._C._nn.linear({}, b, c)");
BENCHMARK_CAPTURE(Typed, linear, [](const at::Tensor& x, const std::vector<at::Tensor>& inputs) {
  return at::linear(x, inputs[1], inputs[2]);
});

}  // namespace
}  // namespace graphnet::eager
