// SPDX-License-Identifier: MIT
#include "verify/distribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "support/mentions.h"

namespace graphnet::verify {
namespace distribution_test {

using base::DType;
using tests::mentions;

TensorView view(const std::vector<float>& values) {
  return {DType::kFloat32, {static_cast<std::int64_t>(values.size())}, values.data()};
}

template <typename Draw>
std::vector<float> sample(std::size_t size, std::uint64_t seed, Draw draw) {
  std::mt19937_64 random(seed);
  std::vector<float> values(size);
  for (float& value : values) value = draw(random);
  return values;
}

float gaussian(std::mt19937_64& random) {
  return std::normal_distribution<float>()(random);
}
float dropout(std::mt19937_64& random) {
  return random() % 10 == 0 ? 0 : gaussian(random) / 0.9f;
}
float rare(std::mt19937_64& random) {
  return random() % 200 == 0 ? 1.0f : 0.0f;
}
float heavy(std::mt19937_64& random) {
  return std::cauchy_distribution<float>()(random);
}

TEST(Distribution, EqualDistributionsPass) {
  std::uint64_t seed = 1;
  for (const auto draw : {gaussian, dropout, rare, heavy}) {
    for (const std::size_t size : {1u, 10u, 100u, 1000u, 5000u}) {
      for (int i = 0; i < 40; ++i) {
        const auto a = sample(size, seed++, draw);
        const auto b = sample(size, seed++, draw);
        const auto result = compare_distributions(view(a), view(b));
        ASSERT_TRUE(result.same) << size << " " << result.message;
      }
    }
  }
}

// If the p-values are right, a share x of them is below x. Wrong standard errors or tails show
// here, long before 1e-6.
TEST(Distribution, PValuesAreUniform) {
  int below[3][2] = {};
  constexpr int kRuns = 1500;
  for (int i = 0; i < kRuns; ++i) {
    const auto seed = static_cast<std::uint64_t>(2 * i + 1000);
    const auto a = sample(400, seed, gaussian);
    const auto b = sample(400, seed + 1, gaussian);
    const auto result = compare_distributions(view(a), view(b));
    const double p_values[] = {result.kolmogorov_smirnov.p_value, result.mean.p_value,
                               result.variance.p_value};
    for (int test = 0; test < 3; ++test) {
      below[test][0] += p_values[test] < 0.5;
      below[test][1] += p_values[test] < 0.05;
    }
  }
  for (const auto& test : below) {
    EXPECT_NEAR(test[0], 0.5 * kRuns, 5 * std::sqrt(0.25 * kRuns) + 30);
    EXPECT_NEAR(test[1], 0.05 * kRuns, 5 * std::sqrt(0.0475 * kRuns));
  }
}

TEST(Distribution, KolmogorovTailMatchesTables) {
  // n = m = 2 * 160^2 makes sqrt(nm/(n+m)) 160; the critical value of 5 % is 1.3581.
  constexpr int kSize = 51200;
  std::vector<float> a(kSize);
  std::vector<float> b(kSize);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = b[i] = static_cast<float>(i);
  const double effective = 160 + 0.12 + 0.11 / 160;
  const int moved = static_cast<int>(std::lround(1.3581 / effective * kSize));
  for (int i = 0; i < moved; ++i) b[static_cast<std::size_t>(i)] = 1e6f;
  const auto result = compare_distributions(view(a), view(b));
  EXPECT_NEAR(result.kolmogorov_smirnov.p_value, 0.05, 0.0005);
}

TEST(Distribution, WrongMeanVarianceAndShapeFail) {
  const auto eager = sample(20000, 1, gaussian);
  const auto message = [&](auto draw) {
    return compare_distributions(view(eager), view(sample(20000, 2, draw))).message;
  };
  EXPECT_NE(message([](auto& r) { return gaussian(r) + 0.1f; }), "");
  EXPECT_NE(message([](auto& r) { return gaussian(r) * 1.1f; }), "");
  const float width = std::sqrt(3.0f);  // a uniform of mean 0 and variance 1
  const std::string shape =
      message([&](auto& r) { return std::uniform_real_distribution<float>(-width, width)(r); });
  EXPECT_EQ(shape.rfind("the distribution differs", 0), 0u) << shape;
  EXPECT_NE(message([](auto&) { return 0.0f; }), "");
  const auto dropped = sample(20000, 3, dropout);
  const auto more = sample(20000, 4, [](auto& r) { return r() % 5 == 0 ? 0 : gaussian(r) / 0.8f; });
  EXPECT_FALSE(compare_distributions(view(dropped), view(more)).same);
}

TEST(Distribution, ConstantsAndNonFiniteShares) {
  const std::vector<float> ones(200, 1);
  const std::vector<float> twos(200, 2);
  EXPECT_TRUE(compare_distributions(view(ones), view(ones)).same);
  EXPECT_FALSE(compare_distributions(view(ones), view(twos)).same);
  std::vector<float> holes(200, 1);
  for (std::size_t i = 0; i < 60; ++i) holes[i] = std::numeric_limits<float>::quiet_NaN();
  const auto result = compare_distributions(view(ones), view(holes));
  EXPECT_EQ(result.message.rfind("the share of NaN and infinity differs", 0), 0u);
  EXPECT_EQ(result.plugin_count, 140);
  EXPECT_TRUE(compare_distributions(view({}), view({})).same);
}

TEST(Distribution, Integers) {
  const auto draw = [](std::uint64_t seed, std::int64_t values) {
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> drawn(5000);
    for (auto& value : drawn) {
      value = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(values));
    }
    return drawn;
  };
  const auto a = draw(1, 10);
  const auto b = draw(2, 10);
  const auto c = draw(3, 9);
  const auto integers = [](const std::vector<std::int64_t>& values) {
    return TensorView{DType::kInt64, {5000}, values.data()};
  };
  EXPECT_TRUE(compare_distributions(integers(a), integers(b)).same);
  EXPECT_FALSE(compare_distributions(integers(a), integers(c)).same);
}

using Values = std::vector<float>;

RandomVerdict verdict(const Values& a, const Values& b, const Values& c, const Values& plugin) {
  return judge_random_output({view(a), view(b), view(c)}, view(plugin)).verdict;
}

TEST(JudgeRandomOutput, KnowsWhereItCannotJudge) {
  const auto eager = sample(2000, 1, gaussian);
  const auto again = sample(2000, 2, gaussian);
  const auto third = sample(2000, 5, gaussian);
  const auto plugin = sample(2000, 3, gaussian);
  const auto wrong = sample(2000, 4, [](auto& random) { return gaussian(random) + 1; });
  EXPECT_EQ(verdict(eager, again, third, plugin), RandomVerdict::kSame);
  EXPECT_EQ(verdict(eager, again, third, wrong), RandomVerdict::kDifferent);
  // One draw shared by all elements: eager's two runs look like two distributions.
  EXPECT_EQ(verdict(eager, wrong, third, plugin), RandomVerdict::kUnusable);
}

TEST(JudgeRandomOutput, AnOutputThatDoesNotDifferBetweenDrawsIsNotRandom) {
  const auto eager = sample(2000, 1, gaussian);
  Values reversed(eager.rbegin(), eager.rend());
  EXPECT_EQ(verdict(eager, eager, eager, reversed), RandomVerdict::kNotRandom);
}

/// Half of `values`, drawn anew, times two.
Values dropped(const Values& values, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Values kept(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) kept[i] = random() % 2 == 0 ? 0 : 2 * values[i];
  return kept;
}

// As numbers without order both are the same.
TEST(JudgeRandomOutput, WhatADropoutLeavesMustStandWhereEagersStands) {
  const auto values = sample(4000, 1, [](auto& random) { return gaussian(random) + 1; });
  const Values reversed(values.rbegin(), values.rend());
  const auto judged = [&](const Values& plugin) {
    return verdict(dropped(values, 2), dropped(values, 3), dropped(values, 4), plugin);
  };
  EXPECT_EQ(judged(dropped(values, 5)), RandomVerdict::kSame);
  EXPECT_EQ(judged(dropped(values, 2)), RandomVerdict::kSame) << "eager's own draw";
  EXPECT_EQ(judged(dropped(reversed, 5)), RandomVerdict::kDifferent);
  const auto message = judge_random_output({view(dropped(values, 2)), view(dropped(values, 3)),
                                            view(dropped(values, 4))},
                                           view(dropped(reversed, 5)))
                           .message;
  EXPECT_TRUE(mentions(message, {"in common", "statistic "})) << message;
}

TEST(JudgeRandomOutput, HonestDrawsOfAllKindsHaveTheSameInCommon) {
  std::uint64_t seed = 1;
  for (const auto draw : {gaussian, dropout, rare, heavy}) {
    for (const std::size_t size : {10u, 100u, 1000u, 5000u}) {
      const auto values = sample(size, seed++, draw);
      for (int i = 0; i < 40; ++i, seed += 4) {
        const Values draws[] = {dropped(values, seed), dropped(values, seed + 1),
                                dropped(values, seed + 2)};
        const auto test = compare_common_part(view(draws[0]), view(draws[1]), view(draws[2]));
        ASSERT_GE(test.p_value, kSmallestPValue) << size << " " << test.statistic;
      }
    }
  }
}

}  // namespace distribution_test
}  // namespace graphnet::verify
