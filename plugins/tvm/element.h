// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tvm_plugin/expression.h"
#include "tvm_plugin/fusion.h"
#include "tvm_plugin/index_arithmetic.h"

namespace graphnet::tvm {

/// Writes one element of a graph's value as an expression of stored ones.
///
/// A value that is read more than once becomes a variable of the innermost scope; a scope is a
/// stage's body, or the side of a condition that alone may be evaluated.
class ElementWriter {
 public:
  /// `root` is what is written, though it is stored.
  ElementWriter(const ir::Graph& graph, const KernelPlan& plan, ir::ValueId root)
      : graph_(graph), plan_(plan), root_(root) {}

  /// Says that a loop's variable, which indices are made of, runs from 0 to below `extent`.
  void set_extent(const Expr& variable, std::int64_t extent) {
    index_arithmetic_.set_extent(variable, extent);
  }
  /// The element at `indices` of the value's shape.
  Expr at(ir::ValueId id, const Exprs& indices);
  /// at() as a body of its own, its variables bound around it.
  Expr body(ir::ValueId id, const Exprs& indices);
  /// Says that a value's elements are those of a tensor, at indices of `shape` with as many
  /// elements in the same order; with `panel` the last index is split by it.
  void set_stage(ir::ValueId id, Ref tensor, Shape shape, std::int64_t panel = 0);
  /// Placeholders of the stored values that were read.
  const std::map<ir::ValueId, Ref>& placeholders() const { return placeholders_; }
  /// Indices of the same element in another shape.
  Exprs reshaped(const Exprs& indices, const Shape& from, const Shape& to);

 private:
  /// Tells expressions apart as objects, which a key keeps alive, not by what they compute.
  struct ByObject {
    bool operator()(const Exprs& a, const Exprs& b) const;
  };
  using Memo = std::map<Exprs, Expr, ByObject>;
  struct Scope {
    std::vector<std::pair<Expr, Expr>> variables;  ///< with their values, in order
    std::map<ir::ValueId, Memo> known;             ///< by value: its elements by their indices
  };
  struct StageTensor {
    Ref tensor;
    Shape shape;
    std::int64_t panel = 0;
  };

  Expr load_stage(const StageTensor& stage, ir::ValueId id, const Exprs& indices);
  Expr variable_of(const Expr& element, Type type);
  Expr write(ir::ValueId id, const Exprs& indices);
  Expr write_elementwise(ir::ValueId id, const Exprs& indices);
  bool is_softmax_sum(ir::ValueId id) const;
  Expr write_view(ir::ValueId id, const Exprs& indices);
  Expr write_pad(ir::ValueId id, const Exprs& indices);
  Expr write_concatenate(ir::ValueId id, const Exprs& indices);
  Expr write_gather(ir::ValueId id, const Exprs& indices);
  Expr load_stored(ir::ValueId id, const Exprs& indices);
  Expr flattened(const Exprs& indices, const Shape& shape, std::size_t begin, std::size_t end);
  const ir::Node& node(ir::ValueId id) const { return graph_.maker(id); }
  const Shape& shape(ir::ValueId id) const { return graph_.type(id).shape; }
  Type type(ir::ValueId id) const { return graph_.type(id).type; }
  template <typename Body>
  Expr in_scope(Body body);

  const ir::Graph& graph_;
  const KernelPlan& plan_;
  ir::ValueId root_;
  std::map<ir::ValueId, Ref> placeholders_;
  std::map<ir::ValueId, StageTensor> stages_;
  std::vector<Scope> scopes_;
  /// By the extents of parts: indices by the parts that they were split into, so that putting them
  /// together gives the index again.
  std::map<Shape, Memo> splits_;
  IndexArithmetic index_arithmetic_;
};

/// Where two shapes hold the same elements in pieces: dimensions [in_begin, in_end) of one are
/// [out_begin, out_end) of the other.
struct ShapeRun {
  std::size_t in_begin = 0;
  std::size_t in_end = 0;
  std::size_t out_begin = 0;
  std::size_t out_end = 0;
};
std::vector<ShapeRun> matching_runs(const Shape& in, const Shape& out);

}  // namespace graphnet::tvm
