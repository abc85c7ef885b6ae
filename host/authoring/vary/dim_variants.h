// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "sample/sample.h"
#include "validate/constraints.h"

namespace graphnet::vary {

/// Values of symbols: {"S0": 4, "S1": 256}.
using SymbolValues = std::map<std::string, std::int64_t>;

inline constexpr std::size_t kNumDimVariants = 9;

/// The nine variants of a sample, from what its symbols stand for: the first extent of a shape is a
/// batch, the others of a matrix or a 3-D shape lengths, the last two of an image or video its
/// sizes.
///
/// errors   kUnsupported: there are no symbols, or they stand for something else
/// source   GraphNet naive_nlp_sym_dim_reifier, naive_cv_sym_dim_reifier; lengths alone, and
///          heights that differ from widths, are ours
base::Result<std::array<SymbolValues, kNumDimVariants>> dim_variants(
    const std::vector<validate::ShapeConstraint>& constraints);

/// The shapes of the arguments that have symbols, by name.
std::map<std::string, std::vector<std::int64_t>> shapes_of(
    const std::vector<validate::ShapeConstraint>& constraints, const SymbolValues& values);

/// Gives arguments other shapes; elements of literals are repeated or cut off.
void resize_arguments(const std::map<std::string, std::vector<std::int64_t>>& shapes,
                      std::vector<sample::TensorMeta>& metas);

/// Gives a program other integers, in the order of graph::written_integers(), from the answer of
/// the worker's request resize.
///
/// errors   kInternal: there are other than the program has
base::Status set_integers(const base::Json& answer, graph::Program& program);

}  // namespace graphnet::vary
