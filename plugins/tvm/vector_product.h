// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>

#include "graphnet/for_processor.h"

/// Products whose sums stay in registers, as parts of functions for one generation of processors.
namespace graphnet::tvm {

template <typename Vector>
constexpr std::int64_t kLanesOf = sizeof(Vector) / sizeof(float);

/// A left side times panels. Panels are `panel_step` elements apart, rows of each `lanes`.
struct Product {
  const float* left = nullptr;
  std::int64_t left_stride = 0;
  std::int64_t rows = 0;
  std::int64_t depth = 0;
  const float* panels = nullptr;
  std::int64_t num_panels = 0;
  std::int64_t panel_step = 0;
  std::int64_t lanes = 0;
  float* out = nullptr;
  std::int64_t out_stride = 0;
  bool adds = false;  ///< to what is there
};

template <typename Vector>
GN_PART Vector load(const float* from) {
  Vector value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}
template <typename Vector>
GN_PART void store(float* to, const Vector& value) {
  std::memcpy(to, &value, sizeof(value));
}

/// Sums of kRows x kVectors vectors stay in registers.
template <typename Vector, int kRows, int kVectors>
GN_PART void product_tile(const Product& p, const float* left, const float* panel, float* out) {
  constexpr std::int64_t kWidth = kLanesOf<Vector>;
  const std::int64_t left_stride = p.left_stride;
  const std::int64_t lanes = p.lanes;
  Vector sums[kRows][kVectors] = {};
  for (std::int64_t k = 0; k < p.depth; ++k) {
    Vector right[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) right[v] = load<Vector>(panel + v * kWidth);
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      const float value = left[r * left_stride];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sums[r][v] += value * right[v];
    }
    ++left;
    panel += lanes;
  }
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      float* const to = out + r * p.out_stride + v * kWidth;
      store<Vector>(to, p.adds ? load<Vector>(to) + sums[r][v] : sums[r][v]);
    }
  }
}

/// As many rows as there are, at most kRows.
template <typename Vector, int kRows, int kVectors>
GN_PART void product_rows(const Product& p, std::int64_t rows, const float* left,
                          const float* panel, float* out) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return product_rows<Vector, kRows - 1, kVectors>(p, rows, left, panel, out);
  }
  product_tile<Vector, kRows, kVectors>(p, left, panel, out);
}

template <typename Vector, int kRows, int kVectors>
GN_PART void product_columns(const Product& p, const float* panel, float* out) {
  for (std::int64_t row = 0; row < p.rows; row += kRows) {
    product_rows<Vector, kRows, kVectors>(p, p.rows - row, p.left + row * p.left_stride, panel,
                                          out + row * p.out_stride);
  }
}

template <typename Vector, int kRows>
GN_PART void product(const Product& p) {
  constexpr std::int64_t kWidth = kLanesOf<Vector>;
  for (std::int64_t i = 0; i < p.num_panels; ++i) {
    std::int64_t lane = 0;
    const auto panel = [&] { return p.panels + i * p.panel_step + lane; };
    const auto out = [&] { return p.out + i * p.lanes + lane; };
    for (; lane + 2 * kWidth <= p.lanes; lane += 2 * kWidth) {
      product_columns<Vector, kRows, 2>(p, panel(), out());
    }
    if (lane < p.lanes) product_columns<Vector, kRows, 1>(p, panel(), out());
  }
}

}  // namespace graphnet::tvm
