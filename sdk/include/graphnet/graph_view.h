// SPDX-License-Identifier: MIT
//
// Header-only C++17 over the graph of abi.h: arrays as ranges, arguments by name. Not part of the
// ABI.
#pragma once

#include <cstdint>
#include <string_view>

#include "graphnet/abi.h"

namespace graphnet {

/// A borrowed array.
template <typename T>
class View {
 public:
  View(const T* data, std::uint64_t size) : data_(data), size_(size) {}
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](std::uint64_t index) const { return data_[index]; }

 private:
  const T* data_;
  std::uint64_t size_;
};

inline View<gn_node> nodes_of(const gn_graph_body& body) {
  return {body.nodes, body.num_nodes};
}
inline View<gn_value> values_of(const gn_graph_body& body) {
  return {body.values, body.num_values};
}
inline View<std::int64_t> outputs_of(const gn_graph_body& body) {
  return {body.outputs, body.num_outputs};
}
inline View<gn_argument> arguments_of(const gn_node& node) {
  return {node.arguments, node.num_arguments};
}
inline View<std::int64_t> results_of(const gn_node& node) {
  return {node.results, node.num_results};
}
inline View<std::int64_t> shape_of(const gn_value& value) {
  return {value.shape, static_cast<std::uint64_t>(value.rank)};
}
/// The ids of a VALUE or VALUES argument; the elements of an INTS or BOOLS argument.
inline View<std::int64_t> integers_of(const gn_argument& argument) {
  return {argument.integers, argument.count};
}

/// The argument of that name in the operator's schema; null if the schema has none.
inline const gn_argument* find_argument(const gn_node& node, std::string_view name) {
  for (const gn_argument& argument : arguments_of(node)) {
    if (std::string_view(argument.name.data, argument.name.size) == name) return &argument;
  }
  return nullptr;
}

}  // namespace graphnet
