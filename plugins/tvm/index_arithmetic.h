// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tvm_plugin/expression.h"

namespace graphnet::tvm {

struct IndexSum;

/// Index expressions whose variables have known extents. TVM's own simplification finds no quotient
/// where a row is one element longer or shorter than the divisor (`i * 1591 + j` by 1592, as
/// relative attention shifts its rows by padding and reshaping), and knows the extents of loops
/// only until they are cut.
class IndexArithmetic {
 public:
  /// Says that `variable` is not negative and below `extent`.
  void set_extent(const Expr& variable, std::int64_t extent);

  /// The floor of index / by, and what is left.
  std::pair<Expr, Expr> split(const Expr& index, std::int64_t by) const;

  /// Whether it is so for all values of the variables; false where that is not known.
  bool is_at_least(const Expr& index, std::int64_t bound) const;
  bool is_below(const Expr& index, std::int64_t bound) const;

 private:
  struct Range {
    std::int64_t least;
    std::int64_t largest;
  };

  std::optional<Range> range_of(const IndexSum& sum) const;
  std::optional<Range> range_of_term(const Expr& term) const;

  std::vector<std::pair<Expr, std::int64_t>> extents_;  // by variable
};

}  // namespace graphnet::tvm
