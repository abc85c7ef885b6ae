// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/program.h"

namespace graphnet::split {

/// One operator of a program: what upstream counts as a node of its graph, parameters and return
/// left out. Statements that only name, release or finish something belong to the operator before
/// them.
///
/// units    `first`, `end`: statements [first, end)
struct Operator {
  std::size_t first = 0;
  std::size_t end = 0;
  std::string name;  ///< "conv2d", "Tensor.view", "iadd": as upstream's op_names.txt
  /// Inside a region that a pair of calls opens and closes (autocast, vmap): neither a piece nor
  /// its end can be here.
  bool opens_inside = false;
};

/// [first, end) of the operators of a program.
struct Range {
  std::size_t first = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - first; }
};
inline bool operator==(const Range& a, const Range& b) {
  return a.first == b.first && a.end == b.end;
}
inline bool operator<(const Range& a, const Range& b) {
  return a.first != b.first ? a.first < b.first : a.end < b.end;
}

/// The operators in source order. A parameter's second name (`l_x_ = L_x_`) is none.
///
/// source   GraphNet decompose_util: body nodes of the traced graph; a trace folds sizes that are
///          known, which a program as written still reads
std::vector<Operator> operators_of(const graph::Program& program);

/// The operators' calls with their arguments that are no values of the program, one text each: what
/// the pieces of a program must have in the same order as the program.
///
/// source   GraphNet range_decomposer_validator
std::vector<std::string> operator_patterns(const graph::Program& program,
                                           const std::vector<Operator>& operators);

/// Whether a range can be a piece.
///
/// errors   kInput: it is empty, ends behind the last operator, or begins or ends inside a region
base::Status check_range(const std::vector<Operator>& operators, const Range& range);

}  // namespace graphnet::split
