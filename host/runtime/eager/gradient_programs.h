// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "eager/engine.h"
#include "eager/value_record.h"
#include "graph/program.h"

namespace graphnet::eager {

/// A parameter of a backward program.
struct BackwardParameter {
  std::string name;
  std::optional<std::size_t> argument;  ///< it is this argument of the program
  ValueRecord record;                   ///< if not: what the run held
};

/// Forward and backward pass of a program, as libtorch's autograd ran them: straight-line programs
/// of the operators below autograd, as upstream's AOT autograd writes them.
struct GradientPrograms {
  /// Arguments are primals_1, primals_2, ...; returns the program's outputs and then what the
  /// backward pass reads, by name.
  graph::Program forward;
  std::size_t num_outputs = 0;
  /// Returns the gradients.
  graph::Program backward;
  /// Of `backward`: values of `forward`, then tangents_1, tangents_2, ... with the gradients of the
  /// outputs that have one.
  std::vector<BackwardParameter> parameters;
  std::vector<std::size_t> tangents;   ///< outputs, as the last parameters
  std::vector<std::size_t> gradients;  ///< arguments, as `backward` returns them
};

/// Runs a program and its backward pass once. Arguments that are written to are put back.
///
/// shapes   arguments, requires_grad: one per parameter, in signature order
/// errors   kUnsupported: no output depends on what requires a gradient, or a call cannot be
///          written; as Engine::run(), of either pass
base::Result<GradientPrograms> record_gradients(const graph::Program& program,
                                                const std::vector<EngineArgument>& arguments,
                                                const std::vector<bool>& requires_grad);

}  // namespace graphnet::eager
