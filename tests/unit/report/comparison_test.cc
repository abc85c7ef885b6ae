// SPDX-License-Identifier: MIT
#include "report/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/xml_check.h"

namespace graphnet::report {
namespace comparison_test {

ResultRow ok_row(const std::string& sample, double speedup, double half_width = 0.01) {
  ResultRow row;
  row.sample = sample;
  row.outcome = record::Outcome::kOk;
  row.speedup = speedup;
  row.speedup_low = speedup * (1 - half_width);
  row.speedup_high = speedup * (1 + half_width);
  row.eager_ns = 2e6;
  row.plugin_ns = 2e6 / speedup;
  return row;
}

ResultRow failed_row(const std::string& sample) {
  ResultRow row;
  row.sample = sample;
  row.outcome = record::Outcome::kCrashed;
  row.counting = record::Counting::kFailed;
  return row;
}

Comparison compared(const std::vector<ResultRow>& a, const std::vector<ResultRow>& b,
                    CompareSettings settings = {}, std::optional<double> noise_floor = {}) {
  ComparedSide side_a{"before", {}, noise_floor};
  ComparedSide side_b{"after", {}, {}};
  for (const ResultRow& row : a) side_a.rows.push_back(&row);
  for (const ResultRow& row : b) side_b.rows.push_back(&row);
  return compare(side_a, side_b, settings);
}

TEST(Compare, EqualResultsAreNoRegression) {
  const std::vector<ResultRow> rows = {ok_row("a", 1.5), ok_row("b", 0.7), failed_row("c")};
  const Comparison result = compared(rows, rows);
  EXPECT_FALSE(result.is_regression());
  EXPECT_EQ(result.count(Change::kSame), 2);
  EXPECT_EQ(result.count(Change::kBothFail), 1);
  EXPECT_DOUBLE_EQ(result.ratio.value, 1);
}

TEST(Compare, BitsAreCountedWhereBothSidesHaveDigests) {
  std::vector<ResultRow> a = {ok_row("a", 1), ok_row("b", 1), ok_row("c", 1), failed_row("d")};
  std::vector<ResultRow> b = a;
  EXPECT_EQ(comparison_text(compared(a, b)).find("bits:"), std::string::npos);
  for (std::size_t i = 0; i < 4; ++i) a[i].inputs_digest = b[i].inputs_digest = "11";
  for (std::size_t i = 0; i < 3; ++i) a[i].eager_digest = b[i].eager_digest = "22";
  b[1].eager_digest = "33";
  a[0].plugin_digest = "44";  // on one side only
  const Comparison result = compared(a, b);
  EXPECT_NE(comparison_text(result).find(
                "\nbits: inputs 4 equal; eager's outputs 2 equal, 1 different\n"),
            std::string::npos)
      << comparison_text(result);
  const base::Json json = comparison_json({result})["comparisons"][0];
  EXPECT_EQ(json["bits"]["eager"], base::Json({{"equal", 2}, {"different", 1}}));
  EXPECT_EQ(json["bits"]["plugin"], base::Json({{"equal", 0}, {"different", 0}}));
  EXPECT_EQ(json["samples"][1]["same_eager"], false);
  EXPECT_FALSE(json["samples"][0].contains("same_plugin"));
}

TEST(ResultRow, DigestsOfAllOutputsTogether) {
  record::Record record;
  EXPECT_EQ(result_row(record).eager_digest, "");
  record.digest = {{"arguments", {{"count", 2}, {"sha256", "aa"}}},
                   {"eager_outputs", {{{"sha256", "bb"}}, {{"sha256", "cc"}}}},
                   {"plugin_outputs", 7}};
  EXPECT_EQ(result_row(record).inputs_digest, "aa");
  EXPECT_EQ(result_row(record).eager_digest, "bb cc ");
  EXPECT_EQ(result_row(record).plugin_digest, "");
}

TEST(Compare, ASlowerSampleIsARegression) {
  const Comparison result =
      compared({ok_row("a", 1.5), ok_row("b", 2)}, {ok_row("a", 1.2), ok_row("b", 2.4)});
  EXPECT_TRUE(result.is_regression());
  EXPECT_EQ(result.samples[0].change, Change::kSlower);
  EXPECT_DOUBLE_EQ(*result.samples[0].ratio, 0.8);
  // Two half-widths of 1 % join to 1.4 %.
  EXPECT_NEAR(std::log(*result.samples[0].high / 0.8), 0.01 * std::sqrt(2), 1e-5);
  EXPECT_EQ(result.samples[1].change, Change::kFaster);
}

TEST(Compare, WhatTheIntervalAllowsIsNoRegression) {
  EXPECT_FALSE(compared({ok_row("a", 1, 0.2)}, {ok_row("a", 0.9, 0.2)}).is_regression());
  EXPECT_TRUE(compared({ok_row("a", 1)}, {ok_row("a", 0.9)}).is_regression());
  CompareSettings loose;
  loose.threshold = 0.15;
  EXPECT_FALSE(compared({ok_row("a", 1)}, {ok_row("a", 0.9)}, loose).is_regression());
  EXPECT_FALSE(compared({ok_row("a", 1)}, {ok_row("a", 0.9)}, {}, 0.12).is_regression())
      << "below the noise floor";
}

TEST(Compare, WithoutIntervalTenPercentAreNeeded) {
  ResultRow before = ok_row("a", 1);
  ResultRow after = ok_row("a", 0.92);
  before.speedup_low.reset();
  EXPECT_FALSE(compared({before}, {after}).is_regression());
  after = ok_row("a", 0.85);
  EXPECT_TRUE(compared({before}, {after}).is_regression());
}

TEST(Compare, ABrokenSampleIsARegressionAMendedOneIsNot) {
  EXPECT_TRUE(compared({ok_row("a", 1)}, {failed_row("a")}).is_regression());
  EXPECT_FALSE(compared({failed_row("a")}, {ok_row("a", 1)}).is_regression());
}

TEST(Compare, DoubtfulAndMissingResultsAreCountedOnly) {
  ResultRow degenerate = ok_row("a", 5);
  degenerate.left_out = "degenerate";
  ResultRow skipped;
  skipped.sample = "b";
  skipped.outcome = record::Outcome::kSkipped;
  skipped.counting = record::Counting::kNotCounted;
  const Comparison result = compared({ok_row("a", 9), ok_row("b", 1), ok_row("c", 1)},
                                     {degenerate, skipped, ok_row("d", 1), ok_row("e", 1)});
  EXPECT_EQ(result.count(Change::kNoEvidence), 1);
  EXPECT_EQ(result.missing, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(result.only_b, 2);
  EXPECT_EQ(result.ratio.count, 0);
  EXPECT_FALSE(result.is_regression());
}

TEST(Compare, TimesOfTwoMachines) {
  ResultRow slow = ok_row("a", 1.5);
  slow.eager_ns = 4e6;
  slow.plugin_ns = 4e6 / 1.5;
  CompareSettings settings;
  EXPECT_FALSE(compared({ok_row("a", 1.5)}, {slow}, settings).is_regression());
  for (const Metric metric : {Metric::kEager, Metric::kPlugin}) {
    settings.metric = metric;
    const Comparison result = compared({ok_row("a", 1.5)}, {slow}, settings);
    EXPECT_DOUBLE_EQ(*result.samples[0].ratio, 0.5) << metric_name(metric);
    EXPECT_TRUE(result.is_regression());
  }
}

// Two measurements of the same 500 samples, each with an error that its interval of 95 % tells:
// about 30 ratios leave their interval, yet none is called a regression in 19 of 20 comparisons.
TEST(Compare, ManyEqualSamplesAreNoRegression) {
  std::uint64_t state = 7;
  const auto normal = [&] {
    double sum = -6;
    for (int i = 0; i < 12; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      sum += static_cast<double>(state >> 11) / 9007199254740992.0;
    }
    return sum;
  };
  CompareSettings strict;
  strict.threshold = 0;
  int alarms = 0;
  for (int repeat = 0; repeat < 40; ++repeat) {
    std::vector<ResultRow> a;
    std::vector<ResultRow> b;
    for (int i = 0; i < 500; ++i) {
      const std::string name = std::to_string(i);
      a.push_back(ok_row(name, std::exp(0.02 * normal()), 1.96 * 0.02));
      b.push_back(ok_row(name, std::exp(0.02 * normal()), 1.96 * 0.02));
    }
    alarms += compared(a, b, strict).count(Change::kSlower) > 0 ? 1 : 0;
  }
  EXPECT_LE(alarms, 4);
}

TEST(ComparisonText, Golden) {
  const Comparison result =
      compared({ok_row("timm/a", 1.5), ok_row("timm/b", 2), ok_row("nemo/\x1b[2Jc", 1)},
               {ok_row("timm/a", 1.2), ok_row("timm/b", 2.02), failed_row("nemo/\x1b[2Jc")});
  EXPECT_EQ(comparison_text(result), R"(A: before
B: after

speedup of B against A, above 1 is faster: geometric mean 0.899x [0.800, 1.010] over 2 samples
1 same, 1 slower, 1 broken; threshold 5 %
smallest drop it detects: 6.52 % of a sample, 15.5 % of the mean

  broken  nemo/ [2Jc  ok -> crashed
  slower  timm/a      0.800x [0.789, 0.811]

regression: slower, broken
)");
}

TEST(Compare, TheRuleSaysWhatIsARegression) {
  ResultRow doubtful = ok_row("a", 1);
  doubtful.left_out = "noisy";
  const std::vector<ResultRow> before = {ok_row("a", 1), ok_row("b", 1), ok_row("c", 1),
                                         ok_row("d", 1)};
  const std::vector<ResultRow> after = {doubtful, ok_row("b", 0.7), failed_row("c")};
  CompareSettings settings;
  using Causes = std::vector<std::string>;
  EXPECT_EQ(compared(before, after, settings).regression_causes(), (Causes{"slower", "broken"}));
  for (const RegressionCause& cause : kRegressionCauses) {
    for (const RegressionCause& other : kRegressionCauses) settings.rule.*other.member = false;
    EXPECT_FALSE(compared(before, after, settings).is_regression());
    settings.rule.*cause.member = true;
    EXPECT_EQ(compared(before, after, settings).regression_causes(), Causes{cause.name});
  }
}

// A sample that is lower by a little more than the smallest detectable drop is called slower, by a
// little less is not.
TEST(Compare, DetectsTheDropThatItSays) {
  const std::vector<ResultRow> before = {ok_row("a", 1.5, 0.03), ok_row("b", 1), ok_row("c", 1)};
  const Detectable limits = compared(before, before).detectable;
  ASSERT_TRUE(limits.median_sample && limits.worst_sample && limits.mean);
  EXPECT_EQ(limits.worst_name, "a");
  EXPECT_GT(*limits.worst_sample, *limits.median_sample);
  EXPECT_GT(*limits.median_sample, 0.05);
  EXPECT_NEAR(*limits.mean, 0.05, 1e-9) << "the samples agree, so the mean has no width";
  for (const auto& [drop, change] : {std::pair(*limits.worst_sample + 0.001, Change::kSlower),
                                     std::pair(*limits.worst_sample - 0.001, Change::kSame)}) {
    std::vector<ResultRow> after = before;
    after[0] = ok_row("a", 1.5 * (1 - drop), 0.03);
    EXPECT_EQ(compared(before, after).samples[0].change, change) << drop;
  }
  ResultRow bare = ok_row("a", 1);
  bare.speedup_low.reset();
  EXPECT_DOUBLE_EQ(*compared({bare}, {bare}).detectable.median_sample, 0.1);
  EXPECT_FALSE(compared({failed_row("a")}, {failed_row("a")}).detectable.median_sample);
}

TEST(JUnit, HasACaseForEachSampleAndTheMean) {
  const Comparison result = compared(
      {ok_row("t/a", 1), ok_row("t/b", 1), ok_row("t/<c>", 1), failed_row("t/d"), ok_row("t/e", 1)},
      {ok_row("t/a", 1), ok_row("t/b", 0.7), failed_row("t/<c>"), failed_row("t/d")});
  const std::string text = junit_xml({result, result});
  EXPECT_EQ(tests::XmlCheck(text).problem(), "") << text;
  EXPECT_NE(
      text.find(R"(<testsuite name="after against before" tests="6" failures="2" skipped="2">)"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find(R"(name="t/&lt;c&gt;">)"), std::string::npos) << text;
}

TEST(ComparisonJson, SaysAllThatTheTextSays) {
  const base::Json json =
      comparison_json({compared({ok_row("a", 1)}, {ok_row("a", 2)}), compared({}, {})});
  EXPECT_EQ(json["schema"], "graphnet.compare/1");
  EXPECT_EQ(json["is_regression"], false);
  const base::Json& first = json["comparisons"][0];
  EXPECT_EQ(first["ratio"], 2.0);
  EXPECT_TRUE(first["ratio_low"].is_null()) << "one sample has no interval over samples";
  EXPECT_EQ(first["counts"]["faster"], 1);
  EXPECT_EQ(first["samples"][0]["change"], "faster");
  EXPECT_TRUE(json["comparisons"][1]["ratio"].is_null());
}

}  // namespace comparison_test
}  // namespace graphnet::report
