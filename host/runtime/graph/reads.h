// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "graph/program.h"

namespace graphnet::graph {

/// The variables that a statement reads, the target of a change in place included.
std::set<VariableId> reads_of(const Statement& statement);

/// The integers that a program is written with, in the order of its statements, of an index before
/// its value.
std::vector<std::int64_t*> written_integers(Program& program);

/// The name under which an item of a tuple or list passes from one part of a program to the next,
/// "chunk_item0".
std::string item_name(const std::string& variable, std::size_t index);

}  // namespace graphnet::graph
