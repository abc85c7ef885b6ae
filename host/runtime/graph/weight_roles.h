// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace graphnet::graph {

/// What a program does with a weight: what decides which values let a signal through.
enum class WeightRole : std::uint8_t {
  kUnknown,   ///< nothing in particular, or nothing that is known
  kMatrix,    ///< sums of products: kernels of convolutions, matrices
  kTable,     ///< rows that are signals themselves: embeddings, learned tokens
  kScale,     ///< multiplies a signal
  kBias,      ///< is added to a signal
  kSlope,     ///< of negative numbers
  kMean,      ///< statistics that a normalisation subtracts
  kVariance,  ///< and divides by the root of
};

struct WeightUse {
  WeightRole role = WeightRole::kUnknown;
  double fan_in = 1;  ///< kMatrix: products in a sum
};

/// The roles of a graph's parameters, from the operators that read them. Views, casts, joins and
/// arithmetic among weights and constants are looked through. A weight with two roles has the first
/// of statistics, table, matrix, scale, bias and slope; one that is read in any way that is not
/// known has none.
///
/// shapes   one per parameter; inputs have no role
std::vector<WeightUse> weight_uses(const Graph& graph);

}  // namespace graphnet::graph
