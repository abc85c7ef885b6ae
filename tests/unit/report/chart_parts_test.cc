// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

#include "report/axis.h"
#include "report/distribution.h"
#include "report/palette.h"
#include "report/svg.h"

namespace graphnet::report {
namespace chart_parts_test {

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> result;
  for (const Tick& tick : ticks) result.push_back(tick.label);
  return result;
}

using Labels = std::vector<std::string>;

TEST(Axis, TicksAreRound) {
  EXPECT_EQ(labels(Axis(Scale::kLinear, 0, 1, 0, 100).ticks(5)),
            (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1"}));
  EXPECT_EQ(labels(Axis(Scale::kLinear, -37, 210, 0, 100).ticks(5)),
            (Labels{"0", "50", "100", "150", "200"}));
  EXPECT_EQ(labels(Axis(Scale::kRatio, 0.25, 8, 0, 100).ticks(8)),
            (Labels{"0.25x", "0.5x", "1x", "2x", "4x", "8x"}));
  EXPECT_EQ(labels(Axis(Scale::kRatio, 0.9, 1.2, 0, 100).ticks(6)),
            (Labels{"0.9x", "0.95x", "1x", "1.05x", "1.1x", "1.15x", "1.2x"}));
  const auto wide = labels(Axis(Scale::kRatio, std::exp2(-12), std::exp2(12), 0, 100).ticks(8));
  EXPECT_LE(wide.size(), 9u);
  EXPECT_EQ(std::count(wide.begin(), wide.end(), "1x"), 1);
}

TEST(Axis, LogarithmicTicksAreDecades) {
  EXPECT_EQ(labels(Axis(Scale::kDuration, 1e5, 1e9, 0, 100).ticks(9)),
            (Labels{"100 us", "1 ms", "10 ms", "100 ms", "1 s"}));
  EXPECT_EQ(labels(Axis(Scale::kCount, 1, 1e6, 0, 100).ticks(9)),
            (Labels{"1", "10", "100", "1k", "10k", "100k", "1M"}));
  EXPECT_DOUBLE_EQ(Axis(Scale::kCount, 1, 100, 0, 10).at(10), 5);
}

TEST(Axis, DecadeRangeHoldsItsValues) {
  EXPECT_EQ(decade_range({}).high, 10);
  EXPECT_DOUBLE_EQ(decade_range({30, 4000}).low, 10);
  EXPECT_DOUBLE_EQ(decade_range({30, 4000}).high, 1e4);
  EXPECT_DOUBLE_EQ(decade_range({100}).high, 1e3);
  EXPECT_LE(decade_range({1e-300, 1e10, NAN, -1}).high / decade_range({1e-300, 1e10}).low, 1.1e12);
}

TEST(Axis, MapsAndClamps) {
  const Axis ratio(Scale::kRatio, 0.5, 2, 100, 0);
  EXPECT_DOUBLE_EQ(ratio.at(1), 50);
  EXPECT_DOUBLE_EQ(ratio.at(100), 0);
  EXPECT_DOUBLE_EQ(ratio.at(0), 100);
  EXPECT_DOUBLE_EQ(ratio.at(std::nan("")), 100);
  EXPECT_TRUE(std::isfinite(Axis(Scale::kRatio, -1, 5, 0, 10).at(1)));
  EXPECT_TRUE(std::isfinite(Axis(Scale::kLinear, 3, 3, 0, 10).at(3)));
  EXPECT_FALSE(Axis(Scale::kLinear, NAN, NAN, 0, 10).ticks(5).empty());
}

TEST(Axis, RatioRangeHoldsOneAndIsBounded) {
  EXPECT_LT(ratio_range({}).low, 1);
  EXPECT_GT(ratio_range({}).high, 1);
  EXPECT_GE(ratio_range({3}).high, 3);
  EXPECT_LT(ratio_range({3}).low, 1);
  EXPECT_EQ(ratio_range({1e300, 1e-300, NAN, -1}).high, 4096);
}

TEST(Quantile, InterpolatesBetweenRanks) {
  EXPECT_EQ(quantile({}, 0.5), 0);
  EXPECT_EQ(quantile({7}, 0.9), 7);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4}, 0.25), 1.75);
}

TEST(KernelDensity, EndsWhereTheValuesDo) {
  const Density density = kernel_density({0, 0.1, 0.5, 2, 2.2}, 200);
  ASSERT_EQ(density.points.size(), 200u);
  EXPECT_DOUBLE_EQ(density.points.front(), 0);
  EXPECT_NEAR(density.points.back(), 2.2, 1e-12);
  double area = 0;
  for (const double height : density.heights) area += height;
  area *= density.points[1] - density.points[0];
  EXPECT_GT(area, 0.5);  // some of it lies beyond the ends
  EXPECT_LT(area, 1);
  EXPECT_TRUE(kernel_density({1, 1, 1, 1}, 10).points.empty());
  EXPECT_TRUE(kernel_density({1, 2}, 10).points.empty());
}

TEST(GeometricMean, IntervalHoldsTheValue) {
  const GeometricMean mean = geometric_mean({0.5, 2, 1, 4, 0.25, 1.5});
  EXPECT_NEAR(mean.value, std::pow(1.5, 1.0 / 6), 1e-12);
  EXPECT_LT(mean.low, mean.value);
  EXPECT_GT(mean.high, mean.value);
  EXPECT_EQ(mean.low, geometric_mean({0.5, 2, 1, 4, 0.25, 1.5}).low);
  EXPECT_FALSE(geometric_mean({3}).has_interval);
  EXPECT_EQ(geometric_mean({}).count, 0);
}

// 400 sets of 30 values whose logarithm is uniform around 0; a percentile bootstrap is a little
// narrow at that size.
TEST(GeometricMean, IntervalCoversTheTruth) {
  std::uint64_t state = 1;
  int covered = 0;
  for (int set = 0; set < 400; ++set) {
    std::vector<double> values;
    for (int i = 0; i < 30; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      values.push_back(std::exp(static_cast<double>(state >> 40) / (1 << 24) - 0.5));
    }
    const GeometricMean mean = geometric_mean(values, static_cast<std::uint64_t>(set));
    covered += mean.low <= 1 && mean.high >= 1 ? 1 : 0;
  }
  EXPECT_GE(covered, 360);
  EXPECT_LE(covered, 396);
}

TEST(Svg, EscapesAndRounds) {
  EXPECT_EQ(escape_markup("a<b & \"c\" 'd'>"), "a&lt;b &amp; &quot;c&quot; &#39;d&#39;&gt;");
  EXPECT_EQ(escape_markup(std::string("\0\x1b\xff", 3)), "\xef\xbf\xbd");
  EXPECT_EQ(format_pixels(12), "12");
  EXPECT_EQ(format_pixels(12.25), "12.2");
  EXPECT_EQ(format_pixels(-0.01), "0");
  EXPECT_EQ(format_pixels(INFINITY), "0");
}

using Colour3 = std::array<double, 3>;  // linear red, green, blue, 0 to 1

Colour3 linear(const std::string& hex) {
  Colour3 colour{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double part = std::stoi(hex.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    colour[i] = part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  }
  return colour;
}

double luminance(const Colour3& c) {
  return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
}

double contrast(const std::string& a, const std::string& b) {
  const double one = luminance(linear(a)) + 0.05;
  const double two = luminance(linear(b)) + 0.05;
  return std::max(one, two) / std::min(one, two);
}

using Matrix = std::array<Colour3, 3>;
// source   Machado, Oliveira & Fernandes 2009, severity 1
constexpr Matrix kNormal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtanopia = {{{0.152286, 1.052583, -0.204868},
                                 {0.114503, 0.786281, 0.099216},
                                 {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeuteranopia = {{{0.367322, 0.860646, -0.227968},
                                   {0.280085, 0.672501, 0.047413},
                                   {-0.011820, 0.042940, 0.968881}}};

Colour3 seen(const Matrix& eye, const Colour3& c) {
  Colour3 result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double sum = eye[i][0] * c[0] + eye[i][1] * c[1] + eye[i][2] * c[2];
    result[i] = std::min(1.0, std::max(0.0, sum));
  }
  return result;
}

Colour3 lab(const Colour3& c) {
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.9505);
  const double y = f(luminance(c));
  const double z = f((0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.089);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double distance(const Matrix& eye, const std::string& a, const std::string& b) {
  const Colour3 one = lab(seen(eye, linear(a)));
  const Colour3 two = lab(seen(eye, linear(b)));
  return std::hypot(one[0] - two[0], one[1] - two[1], one[2] - two[2]);
}

template <typename Series>
void expect_readable(const Series& series, const char* page) {
  for (std::size_t i = 0; i < series.size(); ++i) {
    EXPECT_GE(contrast(series[i], page), 3) << series[i];
    for (std::size_t k = 0; k < i; ++k) {
      for (const Matrix& eye : {kNormal, kProtanopia, kDeuteranopia}) {
        EXPECT_GE(distance(eye, series[i], series[k]), 20) << series[i] << " and " << series[k];
      }
    }
  }
}

TEST(Palette, CanBeToldApart) {
  expect_readable(kLightSeries, kLightPage);
  expect_readable(kDarkSeries, kDarkPage);
}

TEST(Palette, NoMeaningRestsOnColourAlone) {
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const bool same_look = class_of(i) == class_of(k) && std::string(dash_of(i)) == dash_of(k);
      EXPECT_FALSE(same_look) << i << " and " << k;
    }
  }
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t k = 0; k < i; ++k) EXPECT_STRNE(marker_of(i), marker_of(k));
  }
}

}  // namespace chart_parts_test
}  // namespace graphnet::report
