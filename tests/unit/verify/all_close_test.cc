// SPDX-License-Identifier: MIT
// The fused scan against 64 separate evaluations of torch.isclose's definition, one element at a
// time and with base's own conversions.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "verify/compare.h"

namespace graphnet::verify {
namespace all_close_test {

using base::DType;

struct Pair {
  std::vector<double> eager;
  std::vector<double> plugin;
};

constexpr double kSpecials[] = {0.0,
                                -0.0,
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN(),
                                65504,
                                -65504,
                                6e-8,
                                1e-45,
                                3e38,
                                1e300};

Pair random_pair(std::mt19937_64& random, std::size_t count) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  const double magnitude = std::pow(10, uniform(random) * 12 - 8);
  const double error = std::pow(10, uniform(random) * 16 - 12);
  const double special = uniform(random) < 0.3 ? 0.02 : 0;
  Pair pair;
  for (std::size_t i = 0; i < count; ++i) {
    double eager = normal(random) * magnitude;
    double plugin =
        uniform(random) < 0.2 ? eager : eager + normal(random) * error * std::abs(eager);
    if (uniform(random) < special) plugin = eager = kSpecials[random() % std::size(kSpecials)];
    if (uniform(random) < special) plugin = kSpecials[random() % std::size(kSpecials)];
    pair.eager.push_back(eager);
    pair.plugin.push_back(plugin);
  }
  return pair;
}

float to_half(float value) {
  return base::half_to_float(base::float_to_half(value));
}
float to_bfloat16(float value) {
  return base::bfloat16_to_float(base::float_to_bfloat16(value));
}
float same(float value) {
  return value;
}
double same_double(double value) {
  return value;
}

template <typename T, typename Round>
bool is_close(T eager, T plugin, const ToleranceLevel& level, Round round) {
  if (plugin == eager) return true;
  const T relative = round(static_cast<T>(level.rtol) * eager);
  const T allowed = round(std::abs(relative) + round(static_cast<T>(level.atol)));
  const T error = std::abs(round(plugin - eager));
  return std::isfinite(error) && error <= allowed;
}

template <typename T, typename Round>
std::vector<bool> expected(const std::vector<T>& eager, const std::vector<T>& plugin, Round round) {
  std::vector<bool> results;
  for (const auto& level : tolerance_levels()) {
    bool close = true;
    for (std::size_t i = 0; i < eager.size(); ++i) {
      close = close && is_close(eager[i], plugin[i], level, round);
    }
    results.push_back(close);
  }
  return results;
}

std::vector<bool> scanned(DType dtype, std::size_t count, const void* eager, const void* plugin) {
  const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(count)};
  return compare_outputs({{dtype, shape, eager}}, {{dtype, shape, plugin}}).outputs[0].all_close;
}

template <typename Check>
void for_many_pairs(Check check) {
  const std::uint64_t seed = 20261121;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  constexpr std::size_t kCounts[] = {1, 2, 7, 100, 1023, 1024, 1025, 2100};
  for (int i = 0; i < 400; ++i) check(random_pair(random, kCounts[i % std::size(kCounts)]));
}

TEST(AllClose, Float32IsExact) {
  for_many_pairs([](const Pair& pair) {
    const std::vector<float> eager(pair.eager.begin(), pair.eager.end());
    const std::vector<float> plugin(pair.plugin.begin(), pair.plugin.end());
    ASSERT_EQ(scanned(DType::kFloat32, eager.size(), eager.data(), plugin.data()),
              expected(eager, plugin, same));
  });
}

TEST(AllClose, Float64IsExact) {
  for_many_pairs([](const Pair& pair) {
    ASSERT_EQ(scanned(DType::kFloat64, pair.eager.size(), pair.eager.data(), pair.plugin.data()),
              expected(pair.eager, pair.plugin, same_double));
  });
}

void check_half_type(DType dtype, std::uint16_t (*encode)(float), float (*decode)(std::uint16_t),
                     float (*round)(float)) {
  for_many_pairs([&](const Pair& pair) {
    std::vector<std::uint16_t> bits[2];
    std::vector<float> values[2];
    for (std::size_t i = 0; i < pair.eager.size(); ++i) {
      for (const int side : {0, 1}) {
        const double value = side == 0 ? pair.eager[i] : pair.plugin[i];
        bits[side].push_back(encode(static_cast<float>(value)));
        values[side].push_back(decode(bits[side].back()));
      }
    }
    ASSERT_EQ(scanned(dtype, bits[0].size(), bits[0].data(), bits[1].data()),
              expected(values[0], values[1], round));
  });
}

TEST(AllClose, Float16RoundsAfterEveryOperation) {
  check_half_type(DType::kFloat16, base::float_to_half, base::half_to_float, to_half);
}

TEST(AllClose, BFloat16RoundsAfterEveryOperation) {
  check_half_type(DType::kBFloat16, base::float_to_bfloat16, base::bfloat16_to_float, to_bfloat16);
}

TEST(AllClose, IntegersAreComparedInFloat32) {
  for_many_pairs([](const Pair& pair) {
    std::vector<std::int32_t> bits[2];
    std::vector<float> values[2];
    for (std::size_t i = 0; i < pair.eager.size(); ++i) {
      for (const int side : {0, 1}) {
        const double value = 1000 * (side == 0 ? pair.eager[i] : pair.plugin[i]);
        const bool fits = std::abs(value) < 2e9;
        bits[side].push_back(fits ? static_cast<std::int32_t>(value) : 7);
        values[side].push_back(static_cast<float>(bits[side].back()));
      }
    }
    ASSERT_EQ(scanned(DType::kInt32, bits[0].size(), bits[0].data(), bits[1].data()),
              expected(values[0], values[1], same));
  });
}

// Halves of every exponent against their neighbours: the branch-free conversions of the scan must
// agree with base.
TEST(AllClose, HalvesAreReadAsBaseReadsThem) {
  std::vector<std::uint16_t> eager;
  std::vector<std::uint16_t> plugin;
  for (unsigned bits = 0; bits < 65536; bits += 9) {
    eager.push_back(static_cast<std::uint16_t>(bits));
    plugin.push_back(static_cast<std::uint16_t>(bits ^ 1u));
  }
  for (std::size_t i = 0; i < eager.size(); ++i) {
    const float e = base::half_to_float(eager[i]);
    const float p = base::half_to_float(plugin[i]);
    const std::vector<bool> result = scanned(DType::kFloat16, 1, &eager[i], &plugin[i]);
    for (const std::size_t level : {0u, 12u, 20u, 24u, 63u}) {
      ASSERT_EQ(result[level], is_close(e, p, tolerance_levels()[level], to_half)) << i;
    }
  }
}

}  // namespace all_close_test
}  // namespace graphnet::verify
