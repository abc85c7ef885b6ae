// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "graph/program.h"

namespace graphnet::split {

using Variables = std::set<graph::VariableId>;

/// The variables that each of the statements [first, end) reads before one of them assigns it.
Variables read_first(const graph::Program& program, std::size_t first, std::size_t end);

/// The variables that the statements [first, end) assign or change by name.
Variables assigned(const graph::Program& program, std::size_t first, std::size_t end);

/// The variables whose values the program still reads at each of `cuts`, the return included.
///
/// order    cuts: ascending numbers of statements; the result as these
std::vector<Variables> live_at(const graph::Program& program, const std::vector<std::size_t>& cuts);

/// By variable: the parameter of which it is another name for the whole program (`l_x_ = L_x_`), or
/// which it is; -1: neither.
std::vector<graph::VariableId> parameters_named(const graph::Program& program);

}  // namespace graphnet::split
