// SPDX-License-Identifier: MIT
#include "eager/gradient_run.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <map>
#include <set>
#include <utility>

#include "eager/argument_tensor.h"
#include "eager/scalar_type.h"
#include "eager/trace_error.h"
#include "eager/tracer.h"

namespace graphnet::eager {

namespace {

using graph::Expression;
using graph::ExpressionKind;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// What the program's own switches say.
void follow_grad_mode(const Expression& call) {
  const bool is_switch = call.kind == ExpressionKind::kCall &&
                         ends_with(call.text, "set_grad_enabled") && call.children.size() == 1 &&
                         call.children[0].kind == ExpressionKind::kBool;
  if (is_switch) at::GradMode::set_enabled(call.children[0].integer != 0);
}

/// Dense with channels last, which the stride of a batch of one does not show: libtorch takes its
/// format for row-major.
bool hides_channels_last(const at::Tensor& tensor) {
  const bool is_image = tensor.dim() == 4 || tensor.dim() == 5;
  if (!is_image || tensor.is_contiguous()) return false;
  const auto format =
      tensor.dim() == 4 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::ChannelsLast3d;
  return tensor.is_contiguous(format) && tensor.suggest_memory_format() != format;
}

/// Runs calls with copies, and keeps batch norms from reading gradients in another order than they
/// lie in memory: of two tensors that are dense and whose formats it takes for the same, the kernel
/// believes that one order is that of both.
///
/// source   torch 2.11 aten/src/ATen/native/Normalization.cpp, batch_norm_backward_cpu_template
class GradientCalls final : public CallExecutor {
 public:
  explicit GradientCalls(WriteCopies& copies) : copies_(copies) {}

  void execute(const Overload& overload, c10::Stack& stack) override {
    if (overload.name == "aten::instance_norm") return run_instance_norm(overload, stack);
    if (overload.name != "aten::batch_norm") return copies_.execute(overload, stack);
    const at::Tensor input = stack[0].toTensor();
    copies_.execute(overload, stack);
    const at::Tensor result = stack[0].toTensor();
    if (!result.requires_grad()) return;
    const bool is_row_major = input.is_contiguous();
    const bool is_hidden = hides_channels_last(input);
    result.register_hook([=](const at::Tensor& gradient) {
      if (is_row_major && hides_channels_last(gradient)) {
        return gradient.clone(at::MemoryFormat::Contiguous);
      }
      if (!is_hidden || !gradient.is_contiguous()) return gradient;
      return gradient.clone(gradient.dim() == 4 ? at::MemoryFormat::ChannelsLast
                                                : at::MemoryFormat::ChannelsLast3d);
    });
  }

 private:
  // A batch norm of its input as a row-major batch of one.
  void run_instance_norm(const Overload& overload, c10::Stack& stack) {
    copies_.execute(overload, stack);
    const at::Tensor result = stack[0].toTensor();
    if (!result.requires_grad()) return;
    result.register_hook([](const at::Tensor& gradient) { return gradient.contiguous(); });
  }

  WriteCopies& copies_;
};

bool is_write_to_leaf(const TraceError& error) {
  return std::string(error.what()).find("a leaf Variable that requires grad") != std::string::npos;
}

/// One attempt; the arguments that are written to are added to `copied` if autograd minds.
class Attempt {
 public:
  Attempt(const graph::Program& program, GradientRun& run, WriteCopies& copies,
          std::set<std::size_t>& copied)
      : program_(program), run_(run), copies_(copies), copied_(copied) {}

  bool succeeds() {
    std::vector<at::Tensor> given = run_.leaves;
    for (const std::size_t i : copied_) given[i] = given[i].clone();
    copies_.begin();
    GradientCalls calls(copies_);
    Tracer tracer(program_, given, &calls);
    tracer.watch_statements([&](std::size_t statement, const std::vector<Value>&) {
      if (statement < program_.statements.size()) {
        follow_grad_mode(program_.statements[statement].value);
      }
    });
    const std::size_t num_copied = copied_.size();
    try {
      run_.outputs = tracer.run();
    } catch (const TraceError& error) {
      if (!is_write_to_leaf(error)) throw;
      for (const auto& [position, original] : tracer.take_originals()) copied_.insert(position);
      if (copied_.size() == num_copied) throw;
      return false;
    }
    copies_.note(tracer.take_tape());
    return true;
  }

 private:
  const graph::Program& program_;
  GradientRun& run_;
  WriteCopies& copies_;
  std::set<std::size_t>& copied_;
};

}  // namespace

GradientRun run_with_autograd(const graph::Program& program,
                              const std::vector<EngineArgument>& arguments,
                              const std::vector<bool>& requires_grad, WriteCopies& copies,
                              const std::function<void(const std::vector<at::Tensor>&)>& begin) {
  const at::AutoGradMode grad_mode(true);
  const DefaultTypeGuard default_type(program.default_dtype);
  std::set<std::size_t> copied;
  for (;;) {
    GradientRun run;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      // A copy: what the program writes to stays the caller's.
      run.leaves.push_back(wrap(arguments[i]).clone());
      run.leaves.back().set_requires_grad(requires_grad[i]);
    }
    begin(run.leaves);
    if (Attempt(program, run, copies, copied).succeeds()) return run;
  }
}

std::vector<std::size_t> differentiable(const std::vector<at::Tensor>& outputs) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].requires_grad()) found.push_back(i);
  }
  if (found.empty()) fail_unsupported("no output depends on what requires a gradient");
  return found;
}

std::vector<at::Tensor> gradients_of(const GradientRun& run,
                                     const std::vector<std::size_t>& outputs,
                                     const std::vector<at::Tensor>& tangents) {
  std::vector<at::Tensor> inputs;
  for (const at::Tensor& leaf : run.leaves) {
    if (leaf.requires_grad()) inputs.push_back(leaf);
  }
  std::vector<at::Tensor> differentiated;
  for (const std::size_t i : outputs) differentiated.push_back(run.outputs[i]);
  return torch::autograd::grad(differentiated, inputs, tangents, /*retain_graph=*/false,
                               /*create_graph=*/false, /*allow_unused=*/true);
}

}  // namespace graphnet::eager
