// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>

#include "graph/program.h"

namespace graphnet::tests {

/// Equal in all but position; floats by their bits, so that a NaN is itself and 0.0 is not -0.0.
inline bool is_same(const graph::Expression& a, const graph::Expression& b) {
  const auto same = [](const graph::Expression& x, const graph::Expression& y) {
    return is_same(x, y);
  };
  return a.kind == b.kind && a.variable == b.variable && a.integer == b.integer &&
         std::memcmp(&a.number, &b.number, sizeof(a.number)) == 0 && a.text == b.text &&
         a.keywords == b.keywords &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                    same);
}

inline bool is_same(const graph::Statement& a, const graph::Statement& b) {
  return a.kind == b.kind && a.target == b.target && a.text == b.text &&
         is_same(a.index, b.index) && is_same(a.value, b.value) && a.released == b.released;
}

inline bool is_same(const graph::Parameter& a, const graph::Parameter& b) {
  return a.name == b.name && a.kind == b.kind && a.annotation == b.annotation;
}

inline bool is_same(const graph::Program& a, const graph::Program& b) {
  const auto same = [](const auto& x, const auto& y) { return is_same(x, y); };
  return std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                    b.parameters.end(), same) &&
         a.variables == b.variables &&
         std::equal(a.statements.begin(), a.statements.end(), b.statements.begin(),
                    b.statements.end(), same) &&
         is_same(a.returned, b.returned) && a.results == b.results &&
         a.default_dtype == b.default_dtype;
}

}  // namespace graphnet::tests
