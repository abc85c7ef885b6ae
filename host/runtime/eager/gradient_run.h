// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "eager/engine.h"
#include "eager/write_copies.h"
#include "graph/program.h"

namespace graphnet::eager {

/// A run of a program whose outputs have a backward pass.
struct GradientRun {
  std::vector<at::Tensor> leaves;   ///< one per parameter; some require a gradient
  std::vector<at::Tensor> outputs;  ///< of autograd
};

/// Runs a program with autograd; what it writes to is put back, memory of outputs aside. `begin` is
/// called with the leaves before each attempt: an argument that requires a gradient and is written
/// to is copied, which is another attempt. `copies` are made and noted.
///
/// errors   throws as Tracer
GradientRun run_with_autograd(const graph::Program& program,
                              const std::vector<EngineArgument>& arguments,
                              const std::vector<bool>& requires_grad, WriteCopies& copies,
                              const std::function<void(const std::vector<at::Tensor>&)>& begin);

/// The outputs that depend on what requires a gradient.
std::vector<std::size_t> differentiable(const std::vector<at::Tensor>& outputs);

/// Gradients of the leaves that require one, undefined where nothing depends on them.
///
/// shapes   tangents: as `outputs` names them
std::vector<at::Tensor> gradients_of(const GradientRun& run,
                                     const std::vector<std::size_t>& outputs,
                                     const std::vector<at::Tensor>& tangents);

}  // namespace graphnet::eager
