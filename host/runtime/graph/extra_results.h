// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "graph/program.h"

namespace graphnet::graph {

/// The value that a variable has just before a statement runs.
struct ExtraResult {
  VariableId variable = -1;
  std::size_t statement = 0;  ///< position in Program::statements
};

/// The program with more results: a copy of each of these values, after its own results and in the
/// order of `extra`. Copies are taken there, so that later writes, reassignments and
/// releases do not matter; they cost memory, so this is for a run that is not timed.
///
/// shapes   every value is one tensor
Program with_extra_results(const Program& program, const std::vector<ExtraResult>& extra);

}  // namespace graphnet::graph
