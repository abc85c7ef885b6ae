// SPDX-License-Identifier: MIT
#include "report/axis.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <utility>

namespace graphnet::report {

namespace {

constexpr double kLargestOctave = 12;
constexpr double kMostDecades = 12;

bool is_usable(Scale scale, double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high)) return false;
  return scale == Scale::kLinear || low > 0;
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

// "10 ms", "1 s"; "10k", "1M".
std::string with_unit(double value, std::initializer_list<std::pair<double, const char*>> units) {
  for (const auto& [size, unit] : units) {
    if (value >= size * (1 - 1e-9)) return short_number(value / size) + unit;
  }
  return short_number(value);
}

// The step of 1, 2 or 5 times a power of ten that gives about `count` ticks.
double round_step(double span, int count) {
  const double rough = span / std::max(1, count);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double factor = rough / power;
  return power * (factor <= 1.5 ? 1 : factor <= 3.5 ? 2 : factor <= 7.5 ? 5 : 10);
}

}  // namespace

Axis::Axis(Scale scale, double low, double high, double from_px, double to_px)
    : scale_(scale), low_(low), high_(high), from_px_(from_px), to_px_(to_px) {
  if (is_usable(scale, low, high)) return;
  low_ = scale == Scale::kRatio ? 0.8 : scale == Scale::kLinear ? 0 : 1;
  high_ = scale == Scale::kRatio ? 1.25 : scale == Scale::kLinear ? 1 : 10;
}

double Axis::at(double value) const {
  const double inside = std::clamp(std::isnan(value) ? low_ : value, low_, high_);
  const double part = scale_ == Scale::kLinear ? (inside - low_) / (high_ - low_)
                                               : std::log(inside / low_) / std::log(high_ / low_);
  return from_px_ + part * (to_px_ - from_px_);
}

bool Axis::contains(double value) const {
  return value >= low_ && value <= high_;
}

std::string Axis::label(double value) const {
  switch (scale_) {
    case Scale::kRatio:
      return ratio_label(value);
    case Scale::kDuration:
      return with_unit(value, {{1e9, " s"}, {1e6, " ms"}, {1e3, " us"}, {1, " ns"}});
    case Scale::kCount:
      return with_unit(value, {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}});
    case Scale::kShare:
      return short_number(100 * value) + " %";
    case Scale::kLinear:
      break;
  }
  return short_number(value);
}

std::vector<Tick> Axis::powers(double base, int count) const {
  const double unit = std::log(base);
  const int first = static_cast<int>(std::ceil(std::log(low_) / unit - 1e-9));
  const int last = static_cast<int>(std::floor(std::log(high_) / unit + 1e-9));
  const int stride = std::max(1, (last - first + count) / std::max(1, count));
  std::vector<Tick> ticks;
  for (int power = first; power <= last; ++power) {
    if (power % stride != 0) continue;  // counted from 1, which so always has a tick
    const double value = std::pow(base, power);
    ticks.push_back({value, label(value)});
  }
  return ticks;
}

std::vector<Tick> Axis::round_steps(int count) const {
  const double step = round_step(high_ - low_, count);
  std::vector<Tick> ticks;
  // NOLINTNEXTLINE(bugprone-float-loop-counter): whole numbers, and few
  for (double n = std::ceil(low_ / step - 1e-9); n * step <= high_ + 1e-9 * step; ++n) {
    const double value = n == 0 ? 0 : n * step;
    ticks.push_back({value, label(value)});
  }
  return ticks;
}

std::vector<Tick> Axis::ticks(int count) const {
  if (scale_ == Scale::kLinear) return round_steps(count);
  if (scale_ != Scale::kRatio) return powers(10, count);
  return high_ / low_ >= 4 ? powers(2, count) : round_steps(count);
}

LogRange ratio_range(const std::vector<double>& values) {
  double low = -0.25;
  double high = 0.25;
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) continue;
    low = std::min(low, std::log2(value));
    high = std::max(high, std::log2(value));
  }
  const double margin = 0.04 * (high - low);
  return {std::exp2(std::max(low - margin, -kLargestOctave)),
          std::exp2(std::min(high + margin, kLargestOctave))};
}

LogRange decade_range(const std::vector<double>& values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) continue;
    low = std::min(low, std::floor(std::log10(value)));
    high = std::max(high, std::ceil(std::log10(value)));
  }
  if (low > high) return {1, 10};
  high = std::max(high, low + 1);
  return {std::pow(10, std::max(low, high - kMostDecades)), std::pow(10, high)};
}

std::string ratio_label(double ratio) {
  return short_number(ratio) + "x";
}

}  // namespace graphnet::report
