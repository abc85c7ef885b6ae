// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "graph/program.h"
#include "split/operators.h"

namespace graphnet::split {

/// Ranges between cuts, from the first operator to the last; cuts that cut nothing off are dropped.
std::vector<Range> ranges_between(std::vector<std::size_t> cuts, std::size_t num_operators);

/// One range an operator, those inside regions left out.
std::vector<Range> single_operators(const std::vector<Operator>& operators);

/// Cuts a program into ranges of `fewest` to `most` operators, where the fewest values live; the
/// last range may be shorter, and a region is longer if it has to be.
std::vector<Range> ranges_of_size(const graph::Program& program,
                                  const std::vector<Operator>& operators, std::size_t fewest,
                                  std::size_t most);

/// The ranges of a sample in a file of upstream's: {"subgraph_ranges": [[first, end], ...]} or
/// {"split_positions": [...]}, by itself or by the path of the sample. Negative numbers count from
/// the end; numbers behind the last operator are the last; empty ranges are dropped.
///
/// errors   kInput: another form, or nothing of this sample
/// source   GraphNet graph_decomposer, subgraph_generator
base::Result<std::vector<Range>> read_ranges(const base::Json& json, const std::string& path,
                                             std::size_t num_operators);

/// The text of such a file for one sample.
std::string ranges_text(const std::string& model_name, const std::vector<Range>& ranges,
                        std::size_t num_operators);

}  // namespace graphnet::split
