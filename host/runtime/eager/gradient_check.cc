// SPDX-License-Identifier: MIT
#include "eager/gradient_check.h"

#include <ATen/ops/arange.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "eager/argument_tensor.h"
#include "eager/gradient_run.h"
#include "eager/random_calls.h"
#include "eager/tensor_distance.h"
#include "eager/trace_error.h"
#include "eager/tracer.h"
#include "eager/wall.h"
#include "graph/float64.h"

namespace graphnet::eager {

namespace {

using base::Code;
using Tensors = std::vector<at::Tensor>;

constexpr int kNumDirections = 3;
constexpr double kSteps[] = {1e-5, 1e-4, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12};
/// By how much of their RMS arguments are moved before.
constexpr double kAside = 1e-3;
/// Near enough to try no other step.
constexpr double kNear = 1e-6;

/// Numbers between -1 and 1 without a pattern that sums could hide.
at::Tensor numbers_like(const at::Tensor& tensor, double phase) {
  return at::arange(tensor.numel(), at::TensorOptions().dtype(at::kDouble))
      .mul(0.7)
      .add(phase)
      .cos()
      .reshape(tensor.sizes())
      .to(tensor.scalar_type());
}

Tensors run_program(const graph::Program& program, const Tensors& given) {
  const DefaultTypeGuard default_type(program.default_dtype);
  Tensors arguments;
  for (const at::Tensor& tensor : given) arguments.push_back(tensor.contiguous());
  return Tracer(program, arguments).run();
}

/// The results of `forward` by name, its arguments included.
std::map<std::string, at::Tensor> named(const graph::Program& forward, const Tensors& arguments,
                                        const Tensors& results) {
  std::map<std::string, at::Tensor> tensors;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    tensors[forward.parameters[i].name] = arguments[i];
  }
  for (std::size_t i = 0; i < forward.results.size(); ++i) {
    tensors[forward.variables[static_cast<std::size_t>(forward.results[i])]] = results[i];
  }
  return tensors;
}

/// Outputs and gradients of the two programs.
struct Passes {
  Tensors outputs;
  Tensors gradients;
};

Passes run_passes(const graph::Program& forward, const graph::Program& backward,
                  const Tensors& arguments, const Tensors& tangents, std::size_t num_outputs) {
  Tensors given;
  // The forward program may write to its arguments.
  for (const at::Tensor& argument : arguments) given.push_back(argument.clone());
  const Tensors results = run_program(forward, given);
  if (results.size() != forward.results.size() || results.size() < num_outputs) {
    throw TraceError(Code::kInput, "the forward program has another number of outputs");
  }
  const auto tensors = named(forward, given, results);
  Tensors taken;
  std::size_t next = 0;
  for (const graph::Parameter& parameter : backward.parameters) {
    const auto found = tensors.find(parameter.name);
    if (found == tensors.end() && next == tangents.size()) {
      throw TraceError(Code::kInput, "nothing gives the parameter '" + parameter.name + "'");
    }
    taken.push_back(found == tensors.end() ? tangents[next++] : found->second);
  }
  Passes passes;
  passes.outputs.assign(results.begin(),
                        results.begin() + static_cast<std::ptrdiff_t>(num_outputs));
  passes.gradients = run_program(backward, taken);
  return passes;
}

/// What libtorch's autograd gives.
struct Expected {
  Tensors outputs;
  std::vector<std::size_t> differentiable;
  Tensors tangents;
  Tensors gradients;                   ///< those that are defined
  std::vector<std::size_t> arguments;  ///< of `gradients`
};

Expected run_expected(const TrainingPrograms& programs, WriteCopies& copies) {
  GradientRun run = run_with_autograd(*programs.program, *programs.arguments,
                                      programs.requires_grad, copies, [](const Tensors&) {});
  Expected expected;
  expected.differentiable = differentiable(run.outputs);
  for (const std::size_t i : expected.differentiable) {
    expected.tangents.push_back(numbers_like(run.outputs[i], static_cast<double>(i)));
  }
  const Tensors found = gradients_of(run, expected.differentiable, expected.tangents);
  std::size_t next = 0;
  for (std::size_t i = 0; i < programs.requires_grad.size(); ++i) {
    if (!programs.requires_grad[i]) continue;
    const at::Tensor& gradient = found[next++];
    if (!gradient.defined()) continue;
    expected.gradients.push_back(gradient);
    expected.arguments.push_back(i);
  }
  for (const at::Tensor& output : run.outputs) expected.outputs.push_back(output.detach());
  return expected;
}

/// The programs in float64, at arguments that can be moved.
class Differences {
 public:
  Differences(const TrainingPrograms& programs, const Expected& expected)
      : expected_(expected),
        program_(in_float64(*programs.program)),
        forward_(in_float64(*programs.forward)),
        backward_(in_float64(*programs.backward)) {
    for (const EngineArgument& argument : *programs.arguments) {
      const at::Tensor tensor = wrap(argument);
      arguments_.push_back(tensor.is_floating_point() ? tensor.to(at::kDouble) : tensor.clone());
    }
    // Where parameters are all 0 or 1, activations are at bends, which have no derivative.
    for (std::size_t i = 0; i < expected.arguments.size(); ++i) {
      at::Tensor& argument = arguments_[expected.arguments[i]];
      argument = argument.add(step_of(argument, static_cast<double>(i) / 2), kAside);
    }
    for (const at::Tensor& tangent : expected.tangents) {
      tangents_.push_back(tangent.to(at::kDouble));
    }
    gradients_ =
        run_passes(forward_, backward_, arguments_, tangents_, expected.outputs.size()).gradients;
  }

  double worst() {
    double worst = 0;
    for (int i = 0; i < kNumDirections; ++i) worst = std::max(worst, error_along(i));
    return worst;
  }

 private:
  static graph::Program in_float64(const graph::Program& program) {
    base::Result<graph::Program> converted = graph::as_float64(program);
    if (!converted.is_ok()) throw TraceError(Code::kUnsupported, converted.status().message());
    return std::move(converted).value();
  }

  /// Numbers as large as the argument's.
  static at::Tensor step_of(const at::Tensor& argument, double phase) {
    const double rms = argument.pow(2).mean().sqrt().item().toDouble();
    return numbers_like(argument, phase).mul(std::isfinite(rms) && rms > 0 ? rms : 1);
  }

  double error_along(int direction) {
    Tensors steps;
    double derivative = 0;
    double squares = 0;
    for (std::size_t i = 0; i < gradients_.size(); ++i) {
      const at::Tensor& argument = arguments_[expected_.arguments[i]];
      steps.push_back(step_of(argument, direction + static_cast<double>(i)));
      const double part = gradients_[i].to(at::kDouble).mul(steps.back()).sum().item().toDouble();
      derivative += part;
      squares += part * part;
    }
    double nearest = std::numeric_limits<double>::infinity();
    for (const double step : kSteps) {
      const double difference = (value_at(steps, step) - value_at(steps, -step)) / (2 * step);
      const double scale = std::max(std::sqrt(squares), std::abs(difference));
      const double error = std::abs(difference - derivative);
      nearest = std::min(nearest, error == 0 ? 0 : error / scale);
      if (nearest <= kNear) break;
    }
    return nearest;
  }

  /// The sum that the gradients are of.
  double value_at(const Tensors& steps, double step) const {
    Tensors moved;
    for (const at::Tensor& argument : arguments_) moved.push_back(argument.clone());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      moved[expected_.arguments[i]].add_(steps[i], step);
    }
    const Tensors outputs = run_program(program_, moved);
    double sum = 0;
    for (std::size_t i = 0; i < tangents_.size(); ++i) {
      const at::Tensor& output = outputs[expected_.differentiable[i]];
      sum += output.to(at::kDouble).mul(tangents_[i]).sum().item().toDouble();
    }
    return sum;
  }

  const Expected& expected_;
  graph::Program program_;
  graph::Program forward_;
  graph::Program backward_;
  Tensors arguments_;
  Tensors tangents_;
  Tensors gradients_;
};

bool stops_gradients(const graph::Expression& expression) {
  const bool stops = expression.text == "detach" || expression.text == "torch.detach" ||
                     expression.text.find("set_grad_enabled") != std::string::npos;
  const auto& children = expression.children;
  return stops || std::any_of(children.begin(), children.end(), stops_gradients);
}

void check_differentiable(const graph::Program& program) {
  if (has_live_random_call(program)) {
    throw TraceError(Code::kUnsupported, "it draws random numbers");
  }
  const auto& statements = program.statements;
  const bool stops = std::any_of(statements.begin(), statements.end(), [](const auto& statement) {
    return stops_gradients(statement.value);
  });
  if (stops) throw TraceError(Code::kUnsupported, "it stops gradients (detach, set_grad_enabled)");
}

}  // namespace

base::Result<GradientCheck> check_gradients(const TrainingPrograms& programs, std::uint32_t seed) {
  GradientCheck check;
  // Puts torch's generator back to where it was.
  const auto restart = [&] {
    return Engine::finish_arguments(*programs.program, *programs.arguments, seed);
  };
  Expected expected;
  GN_RETURN_IF_ERROR(guarded([&] {
    with_write_copies([&](WriteCopies& copies) {
      const base::Status restarted = restart();
      if (!restarted.is_ok()) throw TraceError(restarted.code(), restarted.message());
      expected = run_expected(programs, copies);
    });
  }));
  GN_RETURN_IF_ERROR(restart());
  GN_RETURN_IF_ERROR(guarded([&] {
    const c10::InferenceMode inference(true);
    Tensors arguments;
    for (const EngineArgument& argument : *programs.arguments) arguments.push_back(wrap(argument));
    const Passes passes = run_passes(*programs.forward, *programs.backward, arguments,
                                     expected.tangents, expected.outputs.size());
    if (passes.gradients.size() != expected.gradients.size()) {
      throw TraceError(Code::kInput, "the backward program has another number of gradients");
    }
    for (std::size_t i = 0; i < expected.outputs.size(); ++i) {
      check.outputs.push_back(distance_of(expected.outputs[i], passes.outputs[i]));
    }
    for (std::size_t i = 0; i < expected.gradients.size(); ++i) {
      check.gradients.push_back(distance_of(expected.gradients[i], passes.gradients[i]));
    }
  }));
  return check;
}

base::Result<double> check_by_differences(const TrainingPrograms& programs) {
  double error = 0;
  GN_RETURN_IF_ERROR(guarded([&] {
    check_differentiable(*programs.program);
    Expected expected;
    with_write_copies([&](WriteCopies& copies) { expected = run_expected(programs, copies); });
    const c10::InferenceMode inference(true);
    error = Differences(programs, expected).worst();
  }));
  return error;
}

}  // namespace graphnet::eager
