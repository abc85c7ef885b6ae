// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "graph/program.h"

namespace graphnet::graph {

/// The same computation in double precision: every floating element type that the program names,
/// in literals and in methods such as `.half()`, becomes float64, and so does the type of results
/// for which nothing names one. Numbers stay as written, among them the lowest float32 that masks
/// are filled with: in float64 it is as low as before beside any activation. Autocast is switched
/// off by dropping its markers. Arguments are the caller's to convert.
///
/// errors   kUnsupported with the reason and its position, if bits are read as another type or
/// values
///          are quantised. Random draws are not looked at: see eager/float64_truth.h
base::Result<Program> as_float64(const Program& program);

}  // namespace graphnet::graph
