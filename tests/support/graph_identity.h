// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "graph/graph.h"

namespace graphnet::tests {

inline bool is_identical(double a, double b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

/// Floats by their bits, so that a NaN is itself and 0.0 is not -0.0.
inline bool is_identical(const graph::Attribute& a, const graph::Attribute& b) {
  if (const auto* number = std::get_if<double>(&a)) {
    const auto* other = std::get_if<double>(&b);
    return other != nullptr && is_identical(*number, *other);
  }
  if (const auto* numbers = std::get_if<std::vector<double>>(&a)) {
    const auto* others = std::get_if<std::vector<double>>(&b);
    return others != nullptr &&
           std::equal(numbers->begin(), numbers->end(), others->begin(), others->end(),
                      [](double x, double y) { return is_identical(x, y); });
  }
  return a == b;
}

inline bool is_identical(const graph::Value& a, const graph::Value& b) {
  return a.kind == b.kind && a.name == b.name && a.dtype == b.dtype && a.shape == b.shape &&
         a.data == b.data;
}

inline bool is_identical(const graph::Argument& a, const graph::Argument& b) {
  return a.name == b.name && a.kind == b.kind && a.values == b.values &&
         is_identical(a.attribute, b.attribute);
}

bool is_identical(const graph::Node& a, const graph::Node& b);

template <typename T>
bool is_identical(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return is_identical(x, y); });
}

inline bool is_identical(const graph::Node& a, const graph::Node& b) {
  return a.op == b.op && a.where == b.where && is_identical(a.arguments, b.arguments) &&
         a.results == b.results;
}

/// True if two graphs are the same to the last bit.
inline bool is_identical(const graph::Graph& a, const graph::Graph& b) {
  return a.name == b.name && is_identical(a.values, b.values) && is_identical(a.nodes, b.nodes) &&
         a.parameters == b.parameters && a.num_random == b.num_random && a.outputs == b.outputs &&
         a.specialised == b.specialised;
}

}  // namespace graphnet::tests
