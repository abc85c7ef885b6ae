// SPDX-License-Identifier: MIT
#include "base/tolerance.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace graphnet::base {

namespace {

struct Schedule {
  DType dtype;
  double log10_atol_slope;
  double log10_rtol_slope;
};

// atol = 10^(slope * t), likewise rtol: a line through 1 at t = 0 and PyTorch's own test tolerance
// at t = -5.
constexpr std::array<Schedule, 4> kSchedules = {{{DType::kFloat16, 1.0, 3.0 / 5},
                                                 {DType::kBFloat16, 1.0, 1.796 / 5},
                                                 {DType::kFloat32, 1.0, 5.886 / 5},
                                                 {DType::kFloat64, 7.0 / 5, 7.0 / 5}}};

// Upstream goes through the text, so the value used is the printed one.
double rounded_power_of_ten(double exponent) {
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "%.2E", std::pow(10.0, exponent));
  return std::strtod(text.data(), nullptr);
}

std::string label_of(double atol, double rtol) {
  std::array<char, 64> text = {};
  std::snprintf(text.data(), text.size(), "all_close_atol_%.2E_rtol_%.2E", atol, rtol);
  return text.data();
}

std::vector<ToleranceLevel> make_levels() {
  std::vector<ToleranceLevel> levels;
  for (int t = -10; t <= 5; ++t) {
    for (const Schedule& schedule : kSchedules) {
      ToleranceLevel level;
      level.t = t;
      level.schedule = schedule.dtype;
      level.atol = rounded_power_of_ten(schedule.log10_atol_slope * t);
      level.rtol = rounded_power_of_ten(schedule.log10_rtol_slope * t);
      level.label = label_of(level.atol, level.rtol);
      levels.push_back(std::move(level));
    }
  }
  return levels;
}

}  // namespace

const std::vector<ToleranceLevel>& tolerance_levels() {
  static const std::vector<ToleranceLevel> levels = make_levels();
  return levels;
}

}  // namespace graphnet::base
