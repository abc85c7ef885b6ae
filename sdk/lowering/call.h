// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphnet/graph_view.h"
#include "lowering/builder.h"

namespace graphnet::lowering {

using Tensors = std::vector<Tensor>;

/// A convolution whose result is still open to a scale per output channel (rewrites).
struct OpenConvolution {
  Tensor x;
  Tensor kernel;
  std::optional<Tensor> bias;
  ConvolutionAttributes attributes;
};

/// State of build (ir/build.h) between nodes.
struct Progress {
  std::vector<std::optional<Tensor>> values;                 ///< by id; nothing: not lowered
  std::vector<std::int32_t> num_uses;                        ///< by id, outputs included
  std::vector<std::optional<OpenConvolution>> convolutions;  ///< by id of their result
  std::vector<std::optional<Tensor>> unexpanded;             ///< by id of what it was expanded to
};

/// One node for its lowering: arguments by schema name, tensor arguments already lowered.
///
/// errors   LoweringError for a name that the schema does not have and for a missing tensor
class Call {
 public:
  Call(const gn_graph_body& body, const gn_node& node, Progress& progress, Builder& builder)
      : b(builder), body_(body), node_(node), progress_(progress) {}

  Builder& b;

  std::string_view op() const { return {node_.op.data, node_.op.size}; }

  /// False if the argument is None or the schema lacks it.
  bool has(std::string_view name) const;
  bool is_tensor(std::string_view name) const;
  Tensor tensor(std::string_view name) const;
  /// Nothing for None.
  std::optional<Tensor> optional_tensor(std::string_view name) const;
  Tensors tensors(std::string_view name) const;
  std::vector<std::optional<Tensor>> optional_tensors(std::string_view name) const;

  std::int64_t integer(std::string_view name) const;
  /// A dimension, negative ones counted from the end.
  std::int64_t dim(std::string_view name, std::int64_t rank) const;
  /// A bool, int or float.
  double number(std::string_view name) const;
  double number(std::string_view name, double if_none) const;
  bool is_float(std::string_view name) const;
  bool flag(std::string_view name) const;
  /// Ints of a list or of one int; empty for None.
  Shape integers(std::string_view name) const;
  /// The same, one value repeated to `count`.
  Shape integers(std::string_view name, std::size_t count) const;
  /// Empty for None.
  std::vector<double> numbers(std::string_view name) const;
  std::string text(std::string_view name) const;

  /// Shape and type that the result was recorded with; of results that somebody reads.
  bool is_read(std::size_t result = 0) const;
  Type result_type(std::size_t result = 0) const;
  Shape result_shape(std::size_t result = 0) const;

  /// The convolution that an argument is the only use of; nothing if it is no such thing.
  std::optional<OpenConvolution> open_convolution(std::string_view name) const;
  /// Says that the result is this convolution, with its bias added.
  void set_open_convolution(OpenConvolution convolution);

  /// The argument before it was expanded, its dimensions aligned at the right; the argument itself
  /// if it was not expanded.
  Tensor unexpanded(std::string_view name) const;
  /// Says that the result is this tensor, expanded.
  void set_unexpanded(Tensor tensor);

 private:
  const gn_argument& argument(std::string_view name) const;
  Tensor lowered(std::int64_t id) const;
  const gn_value& result(std::size_t index) const;

  const gn_graph_body& body_;
  const gn_node& node_;
  Progress& progress_;
};

}  // namespace graphnet::lowering
