// SPDX-License-Identifier: MIT
//
// What a call of plugin xla costs over PJRT's own: the same executable and buffers, by
// ProgramExecutable and by a bare PJRT_LoadedExecutable_Execute with its event awaited and its
// results destroyed. The two take turns in blocks; printed are medians over the blocks, of CPU time
// and of their ratio.
//
//   pjrt_overhead [PJRT_FILE]
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "lowering/aligned_copy.h"
#include "xla/options.h"
#include "xla/program_executable.h"
#include "xla/tensor_type.h"

namespace graphnet::xla {
namespace {

using lowering::stablehlo::ArgumentSource;
using lowering::stablehlo::LoweredProgram;
using pjrt::HostBufferSemantics;

constexpr int kBlocks = 101;
constexpr double kBlockSeconds = 2e-3;

struct Case {
  std::int64_t size;  ///< elements of input and results
  int num_results;
  bool lends;  ///< results have memory among the arguments
};

LoweredProgram make_program(const Case& test) {
  const std::string tensor = "tensor<" + std::to_string(test.size) + "xf32>";
  const TensorType type = {{kDLFloat, 32, 1}, {test.size}};
  LoweredProgram program;
  program.main.arguments.push_back({ArgumentSource::kInput, 0, type});
  std::string arguments = "%x: " + tensor;
  std::string body = "    %v0 = stablehlo.add %x, %x : " + tensor + "\n";
  std::string values = "%v0";
  std::string types = tensor;
  for (int i = 0; i < test.num_results; ++i) {
    const std::string number = std::to_string(i);
    if (i > 0) {
      body += "    %v" + number + " = stablehlo.add %v" + std::to_string(i - 1) +
              ", %x : " + tensor + "\n";
      values += ", %v" + number;
      types += ", " + tensor;
    }
    if (test.lends) {
      arguments += ", %o" + number + ": " + tensor + " {tf.aliasing_output = " + number + " : i32}";
      program.main.arguments.push_back(
          {ArgumentSource::kResultMemory, static_cast<std::uint32_t>(i), type});
    }
    program.main.results.push_back(type);
    program.result_outputs.push_back(static_cast<std::uint32_t>(i));
  }
  program.main.text = "module @bench {\n  func.func public @main(" + arguments + ") -> (" + types +
                      ") {\n" + body + "    return " + values + " : " + types + "\n  }\n}\n";
  return program;
}

/// The tensors of a call, as the host has them.
struct Tensors {
  explicit Tensors(const Case& test) : shape{test.size} {
    for (int i = 0; i <= test.num_results; ++i) {
      memory.emplace_back(static_cast<std::size_t>(test.size) * sizeof(float));
      std::fill_n(reinterpret_cast<float*>(memory.back().data()), test.size, 1.0F);
    }
    for (const lowering::AlignedCopy& block : memory) {
      DLTensor tensor = {};
      tensor.data = block.data();
      tensor.device = {kDLCPU, 0};
      tensor.ndim = 1;
      tensor.dtype = {kDLFloat, 32, 1};
      tensor.shape = shape;
      tensors.push_back(tensor);
    }
    inputs.push_back(tensors.data());
    for (int i = 1; i <= test.num_results; ++i) outputs.push_back(&tensors[i]);
    args.struct_size = sizeof(args);
    args.inputs = inputs.data();
    args.num_inputs = inputs.size();
    args.outputs = outputs.data();
    args.num_outputs = outputs.size();
    args.rebind = 1;
  }

  std::int64_t shape[1];
  std::vector<lowering::AlignedCopy> memory;
  std::vector<DLTensor> tensors;
  std::vector<const DLTensor*> inputs;
  std::vector<DLTensor*> outputs;
  gn_run_args args = {};
};

double cpu_seconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_per_call(const std::function<void()>& call, int count) {
  const double start = cpu_seconds();
  for (int i = 0; i < count; ++i) call();
  return (cpu_seconds() - start) / count;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void compare(const Case& test, const std::function<void()>& bare,
             const std::function<void()>& ours) {
  const int count =
      std::max(1, static_cast<int>(kBlockSeconds / std::max(seconds_per_call(bare, 100), 1e-7)));
  seconds_per_call(ours, count);
  std::vector<double> bare_us;
  std::vector<double> ours_us;
  std::vector<double> ratios;
  for (int i = 0; i < kBlocks; ++i) {
    const bool ours_first = i % 2 == 0;
    const double first = seconds_per_call(ours_first ? ours : bare, count);
    const double second = seconds_per_call(ours_first ? bare : ours, count);
    ours_us.push_back(1e6 * (ours_first ? first : second));
    bare_us.push_back(1e6 * (ours_first ? second : first));
    ratios.push_back(ours_us.back() / bare_us.back());
  }
  std::printf("%9lld  %7d  %-6s  %9.2f  %9.2f  %9.2f  %6.3f\n", static_cast<long long>(test.size),
              test.num_results, test.lends ? "lent" : "copied", median(bare_us), median(ours_us),
              median(ours_us) - median(bare_us), median(ratios));
}

void run_case(const std::shared_ptr<const PjrtClient>& client, const Case& test) {
  // The bare call lets XLA allocate its results, the cheapest that PJRT offers.
  Case without = test;
  without.lends = false;
  const auto plain = ProgramExecutable::compile(client, make_program(without), default_overrides());
  const auto ours = ProgramExecutable::compile(client, make_program(test), default_overrides());
  Tensors tensors(test);
  const TensorType type = {{kDLFloat, 32, 1}, {test.size}};
  const OwnedBuffer input =
      client->make_buffer(type, tensors.memory[0].data(), HostBufferSemantics::kImmutableZeroCopy);
  ModuleCall call(*client, plain->main().executable(), 1,
                  static_cast<std::size_t>(test.num_results));
  call.set_argument(0, input.get());
  ours->run(tensors.args);
  tensors.args.rebind = 0;
  compare(
      test,
      [&] {
        call.execute();
        call.destroy_results();
      },
      [&] { ours->run(tensors.args); });
}

}  // namespace
}  // namespace graphnet::xla

int main(int argc, char** argv) {
  using namespace graphnet::xla;
  try {
    set_xla_environment(1);
    const auto client = std::make_shared<const PjrtClient>(
        PjrtLibrary::open(argc > 1 ? argv[1] : pinned_pjrt_file()));
    std::printf("PJRT %s, CPU time of the calling thread, one pool thread\n",
                client->library().version().c_str());
    std::printf(" elements  results  memory    bare us    ours us    more us   ratio\n");
    for (const int num_results : {1, 4}) {
      for (const std::int64_t size : {16, 1024, 16384, 262144, 1048576}) {
        for (const bool lends : {false, true}) run_case(client, {size, num_results, lends});
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pjrt_overhead: %s\n", error.what());
    return 1;
  }
  return 0;
}
