// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "lowering/primitives.h"
#include "lowering/stablehlo/spelling.h"

namespace graphnet::lowering::stablehlo {

// Regions as text. Names in regions begin with a letter: numbers are those of the lines around.

/// "stablehlo.add".
std::string reducer_name(const Spelling& spelling, Reduction kind);
/// XLA's CPU libraries drop NaN from maxima whatever their flags say; a select is not handed to
/// them.
bool needs_select(const Spelling& spelling, Reduction kind, Type type);
/// Combines two elements.
std::string binary_region(const Spelling& spelling, Reduction kind, Type type);
/// Takes the second of two elements.
std::string replace_region(const Spelling& spelling, Type type);
/// Takes the left pair (value, i32 index) if it is larger (smaller), NaN above all, and of equal
/// ones the first: for any order in which pairs meet.
std::string index_region(const Spelling& spelling, bool largest, Type type);
/// Whether the first pair (value, i32 index) comes before the second; NaN is the largest.
std::string order_region(const Spelling& spelling, bool descending, Type type);

}  // namespace graphnet::lowering::stablehlo
