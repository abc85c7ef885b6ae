// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "graph/program.h"

namespace graphnet::sample {

/// Parses a model.py: one class, one forward(), straight-line statements.
///
/// order    variables: parameters first, then locals in order of first assignment; a name keeps its
///          variable when it is assigned again
/// errors   kInput "file:line:column: expected ..., found ..." plus the offending line with a
///          caret; names used before assignment or after release are errors; brackets nest 64
///          deep and a statement has 256 operations at most; text above 64 MiB, 1,000,000
///          statements or 4,000,000 expressions is refused
/// source   grammar measured over all 2,495 torch samples of GraphNet, and over what its tools
///          (decomposers, renamers, generalisers, backward extractor) write
base::Result<graph::Program> parse_model(std::string_view text, const std::string& file);

}  // namespace graphnet::sample
