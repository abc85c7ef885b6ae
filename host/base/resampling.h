// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace graphnet::base {

/// A random index; the standard's distributions differ between libraries, this does not.
///
/// shapes   result in [0, count)
inline std::size_t draw_index(std::mt19937_64& generator, std::size_t count) {
  return static_cast<std::size_t>((generator() >> 32U) * count >> 32U);
}

/// Quantile of ascending values, linear between neighbours.
///
/// shapes   fraction in [0, 1]; at least one value
/// source   Hyndman & Fan 1996, definition 7
inline double sorted_quantile(const std::vector<double>& sorted, double fraction) {
  const double rank = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (rank - static_cast<double>(below));
}

}  // namespace graphnet::base
