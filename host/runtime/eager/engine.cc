// SPDX-License-Identifier: MIT
#include "eager/engine.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/randn_like.h>
#include <ATen/ops/where.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "eager/argument_tensor.h"
#include "eager/call_table.h"
#include "eager/capture.h"
#include "eager/dispatcher_library.h"
#include "eager/engine_output.h"
#include "eager/random_calls.h"
#include "eager/scalar_type.h"
#include "eager/trace_error.h"
#include "eager/tracer.h"
#include "eager/wall.h"
#include "graph/normal_form.h"
#include "graph/visit.h"

namespace graphnet::eager {

using base::Code;
using base::Status;
using graph::Expression;
using graph::ExpressionKind;

namespace {

template <typename Visit>
void visit_program_calls(const graph::Program& program, Visit visit) {
  for (const graph::Statement& statement : program.statements) {
    graph::visit_calls(statement.value, visit);
    graph::visit_calls(statement.index, visit);
  }
}

at::Generator generator_of(c10::Device device) {
  if (device.is_cpu()) return at::detail::getDefaultCPUGenerator();
  return at::globalContext().defaultGenerator(device);
}

void set_seed(at::Generator generator, std::uint32_t seed) {
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(seed);
}

/// Positions of arguments in the order in which upstream draws them.
std::vector<std::size_t> draw_order(const std::vector<EngineArgument>& arguments) {
  std::vector<std::size_t> order(arguments.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    return arguments[one].draw_rank < arguments[other].draw_rank;
  });
  return order;
}

/// What upstream's input generation does to the generator of a device that is not the host.
void advance_generator(const std::vector<EngineArgument>& arguments,
                       const std::vector<at::Tensor>& tensors, c10::Device device,
                       std::uint32_t seed) {
  set_seed(generator_of(device), seed);
  for (const std::size_t i : draw_order(arguments)) {
    if (arguments[i].consumes_torch_generator) static_cast<void>(at::randn_like(tensors[i]));
  }
}

void fill_torch_normals(const EngineArgument& argument, const at::Tensor& normals) {
  at::Tensor tensor = wrap(argument);
  const at::Tensor scaled = at::mul(normals, 0.01);
  tensor.copy_(at::where(tensor.isfinite(), tensor, scaled).clamp(-100, 100));
}

}  // namespace

struct Engine::State {
  const graph::Program* program = nullptr;
  c10::Device device = c10::Device(c10::kCPU);
  std::vector<at::Tensor> arguments;
  std::optional<Tape> tape;
  std::vector<ObservedCall> calls;  // of the first run
  std::vector<at::Tensor> results;
  std::vector<EngineOutput> outputs;
  std::vector<std::string> notes;
  std::map<std::size_t, at::Tensor> originals;  // of written arguments
  std::vector<bool> host_read;
  std::vector<bool> pinned;
  at::Tensor initial_generator_state;
  bool random = false;
};

Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Engine::~Engine() = default;

Status Engine::check(const graph::Program& program) {
  std::map<std::string, graph::Position> missing;
  const Status looked_up = guarded([&] {
    visit_program_calls(program, [&](const Expression& call) {
      const CallTarget target = resolve_call(call);
      if (target.lowering == nullptr && target.aten_name.empty()) {
        missing.emplace(spelling_of(call), call.position);
      }
    });
  });
  if (!looked_up.is_ok() || missing.empty()) return looked_up;
  std::string text = "unsupported call";
  if (missing.size() > 1) text += "s";
  const char* separator = " ";
  for (const auto& [spelling, position] : missing) {
    text += separator + spelling + " (" + graph::format_position(program, position) + ")";
    separator = ", ";
  }
  return Status(Code::kUnsupported, text);
}

Status Engine::finish_arguments(const graph::Program& program,
                                const std::vector<EngineArgument>& arguments, std::uint32_t seed) {
  return guarded([&] {
    set_seed(at::detail::getDefaultCPUGenerator(), seed);
    bool needed = has_live_random_call(program);
    for (const EngineArgument& argument : arguments) {
      needed = needed || argument.needs_torch_normals;
    }
    if (!needed) return;
    const c10::InferenceMode inference(true);
    for (const std::size_t i : draw_order(arguments)) {
      if (!arguments[i].consumes_torch_generator) continue;
      const at::Tensor normals = at::randn_like(wrap(arguments[i]));
      if (arguments[i].needs_torch_normals) fill_torch_normals(arguments[i], normals);
    }
  });
}

base::Result<std::unique_ptr<Engine>> Engine::create(const graph::Program& program,
                                                     const std::vector<EngineArgument>& arguments,
                                                     base::DeviceName device, std::uint32_t seed) {
  GN_RETURN_IF_ERROR(check(program));
  auto state = std::make_unique<State>();
  state->program = &program;
  state->device = to_device(device);
  GN_RETURN_IF_ERROR(guarded([&] {
    const c10::InferenceMode inference(true);
    for (const EngineArgument& argument : arguments) {
      state->arguments.push_back(tensor_on_device(argument, state->device));
    }
    if (device.is_cuda && has_live_random_call(program)) {
      advance_generator(arguments, state->arguments, state->device, seed);
    }
    state->initial_generator_state = generator_of(state->device).get_state();
  }));
  return std::unique_ptr<Engine>(new Engine(std::move(state)));
}

Status Engine::prepare() {
  return guarded([&] {
    const c10::InferenceMode inference(true);
    if (state_->random) {
      generator_of(state_->device).set_state(state_->initial_generator_state);
    }
    for (const auto& [index, original] : state_->originals) {
      state_->arguments[index].copy_(original);
    }
  });
}

Status Engine::run() {
  State& state = *state_;
  state.outputs.clear();
  return guarded([&] {
    const c10::InferenceMode inference(true);
    const DefaultTypeGuard default_type(state.program->default_dtype);
    if (state.tape) {
      state.results = state.tape->replay(state.arguments);
    } else {
      CallObserver observer;
      Tracer tracer(*state.program, state.arguments, &observer, state.device);
      state.results = tracer.run();
      state.originals = tracer.take_originals();
      state.notes.assign(tracer.notes.begin(), tracer.notes.end());
      if (!state.originals.empty()) {
        state.notes.push_back("writes to " + std::to_string(state.originals.size()) +
                              " of its arguments");
      }
      state.random =
          !at::equal(state.initial_generator_state, generator_of(state.device).get_state());
      if (state.random) state.notes.emplace_back(kNoteRandom);
      state.tape.emplace(tracer.take_tape());
      state.calls = observer.take_calls();
      state.host_read = tracer.host_read_arguments();
      state.pinned = state.host_read;
      for (const auto& [index, original] : state.originals) state.pinned[index] = true;
    }
    resolve_and_describe(state.results, state.outputs);
  });
}

Status Engine::wait() {
  if (state_->device.is_cpu()) return Status::ok();
  return guarded([&] {
    c10::impl::VirtualGuardImpl(state_->device.type()).synchronizeDevice(state_->device.index());
  });
}

const std::vector<EngineOutput>& Engine::outputs() const {
  return state_->outputs;
}

Status Engine::copy_output(std::size_t index, void* destination) const {
  return guarded([&] { copy_dense_output(state_->results.at(index), destination); });
}

bool Engine::needs_prepare() const {
  return !state_->tape || state_->random || !state_->originals.empty();
}

std::size_t Engine::num_operator_calls() const {
  return state_->tape ? state_->tape->instructions().size() : 0;
}
const std::vector<bool>& Engine::pinned_arguments() const {
  return state_->pinned;
}
base::Result<graph::CallList> Engine::call_list(const std::vector<bool>& is_weight) const {
  const State& state = *state_;
  if (!state.tape) return Status(Code::kInternal, "the calls of a program that has not run");
  graph::CallList calls;
  GN_RETURN_IF_ERROR(guarded([&] {
    calls = to_call_list(
        {*state.program, *state.tape, state.calls, state.arguments, state.host_read, is_weight});
  }));
  return calls;
}
base::Result<graph::Graph> Engine::normal_form(const std::vector<bool>& is_weight) const {
  GN_ASSIGN_OR_RETURN(const graph::CallList calls, call_list(is_weight));
  return graph::to_normal_form(calls, dispatcher_library());
}
const std::vector<std::string>& Engine::notes() const {
  return state_->notes;
}

EngineVersion engine_version() {
  return {TORCH_VERSION, at::get_cpu_capability(), at::get_num_threads()};
}

}  // namespace graphnet::eager
