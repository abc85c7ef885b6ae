// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "eager/engine.h"
#include "graph/program.h"

namespace graphnet::eager {

/// An output of a program beside that of another form of it.
struct OutputDistance {
  std::string dtype;  ///< of the other form
  std::vector<std::int64_t> shape;
  bool same_shape = false;
  /// Elements that are NaN or infinite in the other form alone.
  std::int64_t num_not_finite = 0;
  /// ||other - program|| / ||program|| over what is finite on both sides, in float64; 0 if both
  /// norms are. Of floats only.
  double relative_rms = 0;
  double rms = 0;            ///< of the program's output, over the same elements
  bool is_floating = false;  ///< on both sides
  bool is_equal = false;     ///< element by element, NaN included, and of the same type
};

/// A program and its arguments, borrowed.
struct RunnableProgram {
  const graph::Program* program = nullptr;
  const std::vector<EngineArgument>* arguments = nullptr;
};

/// Runs both forms and compares their outputs. Both draw the same random values, as far as they
/// draw them in the same order.
///
/// order    of the outputs
/// errors   kInput: they have other numbers of outputs; as Engine::run()
base::Result<std::vector<OutputDistance>> compare_programs(const RunnableProgram& program,
                                                           const RunnableProgram& other);

/// Whether all elements of a program's outputs are, after one run of it. Integers always are.
///
/// errors   as Engine::run()
base::Result<bool> has_finite_outputs(const RunnableProgram& program);

}  // namespace graphnet::eager
