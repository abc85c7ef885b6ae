// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "graph/extra_results.h"
#include "graph/program.h"

namespace graphnet::graph {

/// What chose the elements that an index output points at.
enum class Selection : std::uint8_t {
  kArgmax,    ///< argmax, and the second result of max along a dimension
  kArgmin,    ///< argmin, and the second result of min along a dimension
  kTopK,      ///< second result of topk
  kSort,      ///< argsort, and the second result of sort
  kMedian,    ///< second result of median along a dimension
  kKthValue,  ///< second result of kthvalue
  kMode,      ///< second result of mode
};

/// An output whose elements are positions in another tensor. Where values are equal, any of their
/// positions is right, so that such outputs are judged by the values they select.
///
/// shapes   values [outer..., extent of dim, inner...]; the output's elements in row-major order
///          are [outer..., count, inner...] with count = 1 for reductions, the extent for kSort
struct IndexOutput {
  std::size_t output = 0;  ///< index among the outputs
  Selection selection = Selection::kArgmax;
  ExtraResult values;  ///< the tensor selected from
  /// Negative: from the end. None: positions count in the flattened tensor (argmax only).
  std::optional<std::int64_t> dim;
  bool keepdim = false;
  bool largest = true;  ///< kTopK: the largest; kSort: descending
  bool sorted = true;   ///< kTopK: in order; otherwise any order of the same elements is right
};

/// Index outputs of a program.
struct IndexOutputs {
  std::vector<IndexOutput> all;  ///< in order of their outputs
  /// Outputs of the program if every returned variable without visible parts holds one tensor.
  /// Where a run gave another number (a returned split), the indices in `all` mean nothing.
  std::size_t num_outputs = 0;
};

/// Finds outputs that are the result of a selecting call directly, or through aliases and calls
/// that keep the elements in order (view, unsqueeze, to, ...). Anything computed from indices is
/// not an index output.
IndexOutputs index_outputs(const Program& program);

}  // namespace graphnet::graph
