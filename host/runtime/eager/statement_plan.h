// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "eager/planner.h"
#include "graph/program.h"

namespace graphnet::eager {

/// What one statement of a program does.
struct StatementFacts {
  std::vector<std::string> ops;  ///< operators that it calls, "aten::linear", without overloads
  /// Of the tensor that its target holds behind it, or of the first tensor in its tuple: "float32";
  /// empty: it holds none.
  std::string dtype;
  std::vector<std::int64_t> shape;
};

/// Traces a program on the Meta device and says what each of its statements does.
///
/// shapes   arguments: one per parameter, in signature order
/// order    of the statements
/// errors   kUnsupported, kInput: it cannot be planned, with the position in model.py
base::Result<std::vector<StatementFacts>> plan_statements(
    const graph::Program& program, const std::vector<PlanArgument>& arguments);

}  // namespace graphnet::eager
