// SPDX-License-Identifier: MIT
// Statistics of the fused pass against one element at a time.
#include "verify/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "verify/compare.h"
#include "verify/scan.h"

namespace graphnet::verify {
namespace statistics_test {

using base::DType;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Elements of a float dtype as bytes.
struct Buffer {
  DType dtype;
  std::vector<std::byte> bytes;

  explicit Buffer(DType of, const std::vector<double>& values)
      : dtype(of), bytes(values.size() * base::dtype_bytes(of)) {
    for (std::size_t i = 0; i < values.size(); ++i) set(i, values[i]);
  }

  std::size_t size() const { return bytes.size() / base::dtype_bytes(dtype); }

  template <typename T>
  void store(std::size_t i, T value) {
    std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
  }

  void set(std::size_t i, double value) {
    const auto single = static_cast<float>(value);
    if (dtype == DType::kFloat64) store(i, value);
    if (dtype == DType::kFloat32) store(i, single);
    if (dtype == DType::kFloat16) store(i, base::float_to_half(single));
    if (dtype == DType::kBFloat16) store(i, base::float_to_bfloat16(single));
  }

  double at(std::size_t i) const {
    return element_as_double(dtype, bytes.data(), static_cast<std::int64_t>(i));
  }

  std::int64_t magnitude_bits(std::size_t i, bool& negative) const {
    std::uint64_t bits = 0;
    const std::size_t width = base::dtype_bytes(dtype);
    std::memcpy(&bits, bytes.data() + i * width, width);
    const std::uint64_t sign = std::uint64_t{1} << (8 * width - 1);
    negative = (bits & sign) != 0;
    return static_cast<std::int64_t>(bits & (sign - 1));
  }

  TensorView view() const { return {dtype, {static_cast<std::int64_t>(size())}, bytes.data()}; }
};

double smallest_normal(DType dtype) {
  if (dtype == DType::kFloat64) return std::numeric_limits<double>::min();
  if (dtype == DType::kFloat16) return 0x1p-14;
  return static_cast<double>(std::numeric_limits<float>::min());
}

std::size_t ulp_bin(const Buffer& eager, const Buffer& plugin, std::size_t i) {
  bool negative[2];
  const std::int64_t e = eager.magnitude_bits(i, negative[0]);
  const std::int64_t p = plugin.magnitude_bits(i, negative[1]);
  auto distance = negative[0] == negative[1]
                      ? static_cast<std::uint64_t>(std::max(e, p) - std::min(e, p))
                      : static_cast<std::uint64_t>(e) + static_cast<std::uint64_t>(p);
  std::size_t bin = 0;
  for (; distance > 0; distance /= 2) ++bin;
  return bin;
}

void count(double value, DType dtype, ValueCounts& counts) {
  counts.nan += std::isnan(value);
  counts.positive_infinity += value == kInf;
  counts.negative_infinity += value == -kInf;
  counts.zero += value == 0;
  counts.subnormal += value != 0 && std::abs(value) < smallest_normal(dtype);
}

Statistics expected(const Buffer& eager, const Buffer& plugin) {
  Statistics result;
  std::vector<std::int64_t> bins(65);
  long double error_sum = 0;
  long double squares[4] = {};  // error, eager, plugin, product
  double max_error = 0;
  double max_relative = 0;
  for (std::size_t i = 0; i < eager.size(); ++i) {
    const double e = eager.at(i);
    const double p = plugin.at(i);
    count(e, eager.dtype, result.eager);
    count(p, eager.dtype, result.plugin);
    if (e != p && !(std::isnan(e) && std::isnan(p))) ++result.differing;
    WorstPair pair = {static_cast<std::int64_t>(i), e, p, std::abs(p - e), false};
    if (std::isfinite(e) && std::isfinite(p)) {
      ++result.finite_pairs;
      ++bins[ulp_bin(eager, plugin, i)];
      max_error = std::max(max_error, pair.error);
      if (e != 0) max_relative = std::max(max_relative, pair.error / std::abs(e));
      error_sum += pair.error;
      squares[0] += static_cast<long double>(p - e) * (p - e);
      squares[1] += static_cast<long double>(e) * e;
      squares[2] += static_cast<long double>(p) * p;
      squares[3] += static_cast<long double>(e) * p;
      if (pair.error > 0) result.worst.push_back(pair);
    } else if (e != p && !(std::isnan(e) && std::isnan(p))) {
      ++result.mask_mismatches;
      result.worst.push_back({pair.index, e, p, kInf, true});
    }
  }
  std::stable_sort(result.worst.begin(), result.worst.end(),
                   [](const WorstPair& a, const WorstPair& b) { return a.error > b.error; });
  if (result.worst.size() > 8) result.worst.resize(8);
  while (!bins.empty() && bins.back() == 0) bins.pop_back();
  result.ulp_histogram = bins;
  const auto pairs = static_cast<long double>(result.finite_pairs);
  if (result.finite_pairs > 0) {
    result.max_error = max_error;
    result.mean_error = static_cast<double>(error_sum / pairs);
    result.rms_error = static_cast<double>(std::sqrt(squares[0] / pairs));
  }
  if (squares[1] > 0) result.max_relative_error = max_relative;
  if (squares[1] > 0 && squares[2] > 0) {
    result.cosine = static_cast<double>(squares[3] / std::sqrt(squares[1] * squares[2]));
  }
  return result;
}

void expect_counts(const ValueCounts& a, const ValueCounts& b) {
  EXPECT_EQ(a.nan, b.nan);
  EXPECT_EQ(a.positive_infinity, b.positive_infinity);
  EXPECT_EQ(a.negative_infinity, b.negative_infinity);
  EXPECT_EQ(a.zero, b.zero);
  EXPECT_EQ(a.subnormal, b.subnormal);
}

void expect_near(std::optional<double> a, std::optional<double> b, double relative) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (a) {
    EXPECT_NEAR(*a, *b, relative * std::abs(*b));
  }
}

void expect_statistics(const Statistics& a, const Statistics& b) {
  expect_counts(a.eager, b.eager);
  expect_counts(a.plugin, b.plugin);
  EXPECT_EQ(a.finite_pairs, b.finite_pairs);
  EXPECT_EQ(a.mask_mismatches, b.mask_mismatches);
  EXPECT_EQ(a.differing, b.differing);
  EXPECT_EQ(a.ulp_histogram, b.ulp_histogram);
  EXPECT_EQ(a.max_error, b.max_error);
  expect_near(a.mean_error, b.mean_error, 1e-12);
  expect_near(a.rms_error, b.rms_error, 1e-12);
  expect_near(a.max_relative_error, b.max_relative_error, 1e-7);
  ASSERT_EQ(a.cosine.has_value(), b.cosine.has_value());
  if (a.cosine) {
    EXPECT_NEAR(*a.cosine, *b.cosine, 1e-12);
  }
  ASSERT_EQ(a.worst.size(), b.worst.size());
  for (std::size_t i = 0; i < a.worst.size(); ++i) {
    EXPECT_EQ(a.worst[i].index, b.worst[i].index) << i;
    EXPECT_EQ(a.worst[i].error, b.worst[i].error);
    EXPECT_EQ(a.worst[i].mask_mismatch, b.worst[i].mask_mismatch);
  }
}

// Numbers of one case: magnitude, error and share of special values are drawn first.
struct Case {
  std::vector<double> eager;
  std::vector<double> plugin;
};

Case random_case(std::mt19937_64& random, DType dtype, std::size_t size) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  const bool small = uniform(random) < 0.3;
  const double magnitude =
      small ? 4 * smallest_normal(dtype) : std::pow(10, 6 * uniform(random) - 3);
  const double error = std::pow(10, uniform(random) * 14 - 13);
  const double special = uniform(random) < 0.4 ? 0.01 : 0;
  const double specials[] = {0, -0.0, kInf, -kInf, kNaN, smallest_normal(dtype) / 2};
  Case result;
  for (std::size_t i = 0; i < size; ++i) {
    double e = normal(random) * magnitude;
    double p = uniform(random) < 0.3 ? e : e + normal(random) * error * magnitude;
    if (uniform(random) < special) e = p = specials[random() % std::size(specials)];
    if (uniform(random) < special) p = specials[random() % std::size(specials)];
    result.eager.push_back(e);
    result.plugin.push_back(p);
  }
  return result;
}

TEST(Statistics, AgreeWithOneElementAtATime) {
  std::mt19937_64 random(77);
  constexpr std::size_t kSizes[] = {1, 3, 8, 511, 512, 1025, 3000};
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16}) {
    for (int i = 0; i < 140; ++i) {
      SCOPED_TRACE(std::string(base::dtype_name(dtype)) + " case " + std::to_string(i));
      const Case numbers = random_case(random, dtype, kSizes[i % std::size(kSizes)]);
      const Buffer eager(dtype, numbers.eager);
      const Buffer plugin(dtype, numbers.plugin);
      const auto result = compare_outputs({eager.view()}, {plugin.view()}).outputs[0];
      expect_statistics(*result.statistics, expected(eager, plugin));
      if (HasFailure()) return;
    }
  }
}

TEST(Statistics, AreTheSameToTheBitWithoutWideInstructions) {
  std::mt19937_64 random(78);
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16}) {
    for (int i = 0; i < 60; ++i) {
      const Case numbers = random_case(random, dtype, 2500);
      const Buffer eager(dtype, numbers.eager);
      const Buffer plugin(dtype, numbers.plugin);
      const Scan wide = scan_floats(dtype, eager.bytes.data(), plugin.bytes.data(), 2500);
      const Scan narrow =
          scan_floats_portably(dtype, eager.bytes.data(), plugin.bytes.data(), 2500);
      ASSERT_EQ(wide.smallest_level, narrow.smallest_level);
      ASSERT_EQ(wide.ulp_histogram, narrow.ulp_histogram);
      const auto same = [](double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; };
      ASSERT_TRUE(same(wide.max_diff, narrow.max_diff) || std::isnan(wide.max_diff));
      ASSERT_TRUE(same(wide.sum_diff, narrow.sum_diff) || std::isnan(wide.sum_diff));
      ASSERT_TRUE(same(wide.squared_error, narrow.squared_error));
      ASSERT_TRUE(same(wide.squared_eager, narrow.squared_eager));
      ASSERT_TRUE(same(wide.squared_plugin, narrow.squared_plugin));
      ASSERT_TRUE(same(wide.max_relative_error, narrow.max_relative_error));
      ASSERT_EQ(wide.mask_mismatches, narrow.mask_mismatches);
    }
  }
}

TEST(Statistics, UlpDistanceCrossesZeroAndSpansTheRange) {
  const double tiny = static_cast<double>(std::numeric_limits<float>::denorm_min());
  const double most = static_cast<double>(std::numeric_limits<float>::max());
  const Buffer eager(DType::kFloat32, {0, -tiny, most, 1});
  const Buffer plugin(DType::kFloat32, {-0.0, tiny, -most, 1 + 0x1p-23});
  const auto result = compare_outputs({eager.view()}, {plugin.view()}).outputs[0];
  std::vector<std::int64_t> bins(33);
  bins[0] = 1;   // the zeros
  bins[2] = 1;   // two steps: -tiny, 0, tiny
  bins[32] = 1;  // 2^32 - 2^24 - 2 steps
  bins[1] = 1;
  EXPECT_EQ(result.statistics->ulp_histogram, bins);
  EXPECT_EQ(result.statistics->max_error, 2 * most);
}

TEST(Statistics, MaskMismatchesComeFirstAmongTheWorst) {
  std::vector<double> eager(5000, 1);
  auto plugin = eager;
  for (std::size_t i = 0; i < 4000; ++i) plugin[i] = 2 + static_cast<double>(i % 7);
  plugin[4200] = kNaN;
  plugin[4999] = kInf;
  const Buffer a(DType::kFloat32, eager);
  const Buffer b(DType::kFloat32, plugin);
  const auto statistics = *compare_outputs({a.view()}, {b.view()}).outputs[0].statistics;
  std::vector<std::int64_t> indices;
  for (const WorstPair& pair : statistics.worst) indices.push_back(pair.index);
  EXPECT_EQ(indices, (std::vector<std::int64_t>{4200, 4999, 6, 13, 20, 27, 34, 41}));
  EXPECT_TRUE(statistics.worst[0].mask_mismatch && std::isnan(statistics.worst[0].plugin));
  EXPECT_EQ(statistics.worst[2].plugin, 8);
  EXPECT_EQ(statistics.mask_mismatches, 2);
}

TEST(Statistics, IntegersCountDifferencesExactly) {
  const std::int64_t big = (std::int64_t{1} << 60) + 1;
  const std::vector<std::int64_t> eager = {0, big, std::numeric_limits<std::int64_t>::min(), 5};
  const std::vector<std::int64_t> plugin = {0, big + 1, std::numeric_limits<std::int64_t>::max(),
                                            4};
  const auto result =
      compare_outputs({{DType::kInt64, {4}, eager.data()}}, {{DType::kInt64, {4}, plugin.data()}})
          .outputs[0];
  EXPECT_EQ(result.statistics->differing, 3);
  EXPECT_EQ(result.statistics->max_error, 0x1p64);
  EXPECT_EQ(result.statistics->eager.zero, 1);
  EXPECT_EQ(result.statistics->worst.size(), 3u);
  EXPECT_EQ(result.statistics->worst[1].error, 1);
  EXPECT_EQ(result.statistics->cosine, std::nullopt);
  EXPECT_TRUE(result.statistics->ulp_histogram.empty());
}

TEST(Statistics, RmsSurvivesSquaresOutsideTheRangeOfDouble) {
  const Buffer eager(DType::kFloat64, {1e200, 2e200});
  const Buffer plugin(DType::kFloat64, {1e200, 0});
  const auto statistics = *compare_outputs({eager.view()}, {plugin.view()}).outputs[0].statistics;
  EXPECT_NEAR(*statistics.rms_error / (2e200 / std::sqrt(2.0)), 1, 1e-14);
  EXPECT_NEAR(*statistics.cosine, 1 / std::sqrt(5.0), 1e-14);
}

TEST(Float32Differences, OfEqualDoublesBeyondFloat32AreNaNAsUpstreams) {
  const Buffer inside(DType::kFloat64, {1, 0x1.fffffefffffffp127});
  const Buffer beyond(DType::kFloat64, {1, 0x1.ffffffp127});
  const auto max_diff = [](const Buffer& buffer) {
    return *compare_outputs({buffer.view()}, {buffer.view()}).outputs[0].max_diff;
  };
  EXPECT_EQ(max_diff(inside), 0);
  EXPECT_TRUE(std::isnan(max_diff(beyond)));
}

TEST(NanPolicy, BothAreStored) {
  const Buffer eager(DType::kFloat32, {1, kNaN, kInf});
  const auto same = compare_outputs({eager.view()}, {eager.view()}).outputs[0];
  EXPECT_FALSE(same.bit_equal);
  EXPECT_TRUE(same.nan_equal);
  EXPECT_EQ(same.all_close, std::vector<bool>(64, false));
  EXPECT_EQ(same.all_close_nan_equal, std::vector<bool>(64, true));
  const Buffer plugin(DType::kFloat32, {1.5, kNaN, kInf});
  const auto near = compare_outputs({eager.view()}, {plugin.view()}).outputs[0];
  EXPECT_FALSE(near.nan_equal);
  EXPECT_FALSE(near.all_close_nan_equal[0]);
  EXPECT_TRUE(near.all_close_nan_equal[63]);
  EXPECT_FALSE(near.all_close[63]);
}

TEST(ComplexStatistics, UseModuli) {
  const std::vector<float> eager = {3, 4, 0, 0, static_cast<float>(kNaN), 1};
  const std::vector<float> plugin = {3, 4, 6, 8, static_cast<float>(kNaN), 2};
  const auto result = compare_outputs({{DType::kComplex64, {3}, eager.data()}},
                                      {{DType::kComplex64, {3}, plugin.data()}})
                          .outputs[0];
  EXPECT_EQ(result.statistics->differing, 1);
  EXPECT_EQ(result.statistics->max_error, 10);
  EXPECT_EQ(result.statistics->worst.at(0).index, 1);
  EXPECT_EQ(result.statistics->eager.nan, 1);
  EXPECT_EQ(result.statistics->eager.zero, 1);
  EXPECT_EQ(result.statistics->finite_pairs, 2);
}

}  // namespace statistics_test
}  // namespace graphnet::verify
