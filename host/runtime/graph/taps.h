// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "graph/program.h"

namespace graphnet::graph {

/// The value that a variable has just before a statement runs.
struct Tap {
  VariableId variable = -1;
  std::size_t statement = 0;  ///< position in Program::statements
};

/// The program with more results: a copy of each tapped value, after its own results and in the
/// order of `taps`. Copies are taken where the taps are, so that later writes, reassignments and
/// releases do not matter; they cost memory, so this is for a run that is not timed.
///
/// shapes   every tapped value is one tensor
Program with_extra_results(const Program& program, const std::vector<Tap>& taps);

}  // namespace graphnet::graph
