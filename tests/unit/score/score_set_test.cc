// SPDX-License-Identifier: MIT
#include "score/score_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "score/columns.h"
#include "score/shared_samples.h"
#include "support/mentions.h"

namespace graphnet::score {
namespace score_set_test {

Row row_named(const std::string& sample, double speedup, int correct_from = -10) {
  Row row;
  row.sample = sample;
  row.backend.name = "xla";
  row.outcome = record::Outcome::kOk;
  row.speedup = speedup;
  for (int t = correct_from; t <= kLastLevel; ++t) row.correct[level_index(t)] = true;
  return row;
}

Row failed_row(const std::string& sample, Failure failure) {
  Row row;
  row.sample = sample;
  row.backend.name = "xla";
  row.failure = failure;
  return row;
}

ScoreSet score(std::vector<Row> rows, const Settings& settings = {}) {
  auto set = score_rows(std::move(rows), settings);
  EXPECT_TRUE(set.is_ok()) << set.status().to_string();
  return set.is_ok() ? *set : ScoreSet();
}

const Point& point_at(const Column& column, int t) {
  return column.points[level_index(t)];
}

/// 100 columns of random rows under random settings, whatever may come from results.
TEST(ScoreSet, BothFormsAgreeOnRandomRows) {
  std::mt19937 generator(17);
  const auto chance = [&](double probability) {
    return std::generate_canonical<double, 53>(generator) < probability;
  };
  double largest = 0;
  for (int experiment = 0; experiment < 200; ++experiment) {
    std::vector<Row> rows;
    const int count = 1 + static_cast<int>(generator() % 300);
    const double share_of_failures = experiment % 5 / 4.0;
    for (int i = 0; i < count; ++i) {
      const std::string name = "f/" + std::to_string(i);
      const auto failure = static_cast<Failure>(2 + generator() % (kNumFailures - 2));
      const double speedup = std::exp(std::normal_distribution<double>(0, 2)(generator));
      Row row = chance(share_of_failures) ? failed_row(name, failure) : row_named(name, speedup, 6);
      // Correctness that comes and goes with t exists: a NaN schedule, a log with lines missing.
      if (row.failure == Failure::kNone) {
        for (bool& correct : row.correct) correct = chance(0.7);
      }
      rows.push_back(std::move(row));
    }
    Settings settings;
    settings.resamples = 0;
    settings.penalty = experiment % 3 * 0.75;
    settings.fail_base = 0.001 + std::generate_canonical<double, 53>(generator);
    settings.interpretation =
        chance(0.5) ? InterpretationKind::kDefault : InterpretationKind::kMismatchExtended;
    largest = std::max(largest, score(rows, settings).largest_form_difference);
  }
  EXPECT_LT(largest, 1e-12);
}

TEST(ScoreSet, PenalisesSlowdownsAndForgivesByLevel) {
  Settings settings;
  settings.penalty = 1;
  const ScoreSet set = score({row_named("a/1", 4), row_named("a/2", 0.5, -5),
                              failed_row("a/3", Failure::kCompile), row_named("a/4", 2, 6)},
                             settings);
  const Column& column = set.columns[0];
  const auto root = [](double product) { return std::pow(product, 0.25); };
  EXPECT_DOUBLE_EQ(point_at(column, -10).s, root(4 * 0.1 * 0.1 * 0.1));
  EXPECT_DOUBLE_EQ(point_at(column, -5).s, root(4 * 0.25 * 0.1 * 0.1));
  EXPECT_DOUBLE_EQ(point_at(column, -5).es, point_at(column, -5).s);
  EXPECT_DOUBLE_EQ(point_at(column, 1).s, root(4 * 0.25 * 0.1 * 0.1));
  EXPECT_DOUBLE_EQ(point_at(column, 1).es, root(4 * 0.25 * 0.1));
  EXPECT_DOUBLE_EQ(point_at(column, 3).es, root(4 * 0.25));
  const MacroParameters& macro = point_at(column, 3).macro;
  EXPECT_EQ(macro.samples, 4);
  EXPECT_EQ(macro.correct, 2);
  EXPECT_DOUBLE_EQ(macro.alpha, std::sqrt(2));
  EXPECT_DOUBLE_EQ(macro.beta, 0.5);
  EXPECT_DOUBLE_EQ(macro.lambda, 0.5);
  EXPECT_DOUBLE_EQ(macro.eta, 0.5);
  EXPECT_DOUBLE_EQ(macro.gamma, 1);
  EXPECT_DOUBLE_EQ(point_at(column, 1).macro.gamma, std::sqrt(0.1));
  EXPECT_DOUBLE_EQ(macro.pi[static_cast<std::size_t>(Failure::kCompile)], 0.5);
  EXPECT_EQ(column.failure_counts()[static_cast<std::size_t>(Failure::kAccuracy)], 1);
}

/// From which level on each failure counts 1.
TEST(ScoreSet, ForgivesWhatTheInterpretationSays) {
  struct Case {
    Failure failure;
    int by_default;
    int extended;
  };
  const Case cases[] = {{Failure::kNonFinite, 3, 2},     {Failure::kTypeMismatch, 3, 2},
                        {Failure::kShapeMismatch, 3, 2}, {Failure::kRuntime, 3, 3},
                        {Failure::kCompile, 3, 4},       {Failure::kReference, 3, 99}};
  for (const Case& one : cases) {
    for (const auto kind : {InterpretationKind::kDefault, InterpretationKind::kMismatchExtended}) {
      Settings settings;
      settings.interpretation = kind;
      const bool is_default = kind == InterpretationKind::kDefault;
      const ScoreSet set = score({failed_row("a/1", one.failure)}, settings);
      EXPECT_EQ(set.columns[0].points.back().t, is_default ? 4 : 5);
      for (const Point& point : set.columns[0].points) {
        const bool is_forgiven = point.t >= (is_default ? one.by_default : one.extended);
        EXPECT_DOUBLE_EQ(point.es, is_forgiven ? 1 : 0.1)
            << failure_name(one.failure) << " at " << point.t;
        EXPECT_DOUBLE_EQ(point.s, 0.1);
      }
    }
  }
}

TEST(ScoreSet, RepeatsUpstreamsDisagreementInCompat) {
  Settings settings;
  settings.interpretation = InterpretationKind::kMismatchExtended;
  settings.compat = true;
  const ScoreSet set = score({failed_row("a/1", Failure::kReference)}, settings);
  EXPECT_DOUBLE_EQ(point_at(set.columns[0], 3).es, 0.1);
  EXPECT_DOUBLE_EQ(point_at(set.columns[0], 3).es_aggregated, 1);
  ASSERT_EQ(set.notes.size(), 1U);
}

TEST(ScoreSet, CountsEveryRowOnce) {
  std::vector<Row> rows = {row_named("a/1", 2), row_named("a/2", 2), row_named("a/3", 2),
                           row_named("a/4", 2), row_named("a/5", 2), row_named("a/6", 2)};
  rows[1].left_out = "degenerate";
  rows[2].left_out = "skipped";
  rows[2].can_be_kept = false;
  rows[3].speedup.reset();
  rows[4].speedup.reset();
  rows[4].correct.fill(false);  // wrong everywhere: needs none
  rows.push_back(row_named("a/1", 8));
  rows.push_back(rows[2]);
  rows.back().sample = "a/6";  // skipped later: the earlier result stands
  const Column column = score(rows).columns[0];
  EXPECT_EQ(column.rows.size(), 3U);
  EXPECT_EQ(column.superseded, 2);
  EXPECT_EQ(column.rows[0].speedup, 8);
  const std::map<std::string, int> left_out = {
      {"degenerate", 1}, {"no speedup", 1}, {"skipped", 1}};
  EXPECT_EQ(column.left_out_counts(), left_out);

  for (const char* keep : {"degenerate", "all"}) {
    Settings settings;
    settings.keep = {keep};
    EXPECT_EQ(score(rows, settings).columns[0].rows.size(), 4U) << keep;
  }
  Settings mistyped;
  mistyped.keep = {"degenerat", "all"};
  const auto notes = score(rows, mistyped).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_TRUE(tests::mentions(notes[0], {"'degenerat'"}));
  Settings compat;
  compat.compat = true;
  EXPECT_EQ(score(rows, compat).columns[0].rows.size(), 5U);
}

TEST(ScoreSet, KeepsConditionsApart) {
  std::vector<Row> rows;
  const auto add = [&](std::map<std::string, std::string> facets) {
    rows.push_back(row_named("a/" + std::to_string(rows.size()), 2));
    rows.back().backend.facets = std::move(facets);
  };
  add({{"source", "journal"}, {"hardware", "A"}, {"threads", "1"}, {"option.rewrites", "all"}});
  add({{"source", "journal"}, {"hardware", "A"}, {"threads", "2"}, {"option.rewrites", "all"}});
  add({{"source", "journal"}, {"hardware", "A"}, {"threads", "2"}, {"option.rewrites", "none"}});
  add({{"source", "log"}, {"hardware", "B"}});
  // A worker that died early: any of the first two, but only one with two threads and no option.
  add({{"source", "journal"}, {"threads", "1"}, {"option.rewrites", "all"}});
  add({{"source", "journal"}, {"option.rewrites", "all"}});
  rows.push_back(row_named("a/9", 2));
  rows.back().backend.name = "nope";
  const ScoreSet set = score(rows);
  std::map<std::string, std::size_t> sizes;
  for (const Column& column : set.columns) sizes[column.label] = column.rows.size();
  const std::map<std::string, std::size_t> wanted = {
      {"nope", 1U},
      {"xla (log)", 1U},
      {"xla (journal, rewrites=all, 1 thread)", 2U},
      {"xla (journal, rewrites=all, 2 threads)", 1U},
      {"xla (journal, rewrites=all)", 1U},
      {"xla (journal, rewrites=none, 2 threads)", 1U}};
  EXPECT_EQ(sizes, wanted);
  EXPECT_EQ(set.notes.size(), 2U) << "unequal samples, journals beside logs";
}

TEST(Columns, LabelsInGroupsRepeatNothingOfTheGroup) {
  const std::vector<Backend> backends = {{"xla", {{"threads", "1"}, {"weights", "bound"}}},
                                         {"xla", {{"threads", "2"}, {"weights", "bound"}}},
                                         {"xla", {{"threads", "2"}, {"weights", "frozen"}}},
                                         {"tvm", {{"threads", "2"}}}};
  const std::vector<std::string> wanted = {"xla", "xla (bound)", "xla (frozen)", "tvm"};
  EXPECT_EQ(labels_in_groups(backends, {"1 thread", "2 threads", "2 threads", "2 threads"}),
            wanted);
}

TEST(ScoreSet, MathPoliciesNeverShareAColumn) {
  std::vector<Row> rows;
  for (const char* policy : {"default", "tf32"}) {
    rows.push_back(row_named("a/1", 2));
    rows.back().backend.facets = {{"source", "journal"}, {"math", policy}};
  }
  const ScoreSet set = score(rows);
  ASSERT_EQ(set.columns.size(), 2U);
  EXPECT_EQ(set.columns[0].label, "xla (math default)");
  EXPECT_EQ(set.columns[1].label, "xla (math tf32)");
}

TEST(CommonSamples, AreInEverySet) {
  using Names = std::set<std::string>;
  EXPECT_EQ(common_samples({}), Names());
  EXPECT_EQ(common_samples({{"b", "a"}}), (Names{"a", "b"}));
  EXPECT_EQ(common_samples({{"a", "b", "c"}, {"b", "c"}, {"c", "d", "b"}}), (Names{"b", "c"}));
  EXPECT_EQ(common_samples({{"a"}, {}}), Names());
}

TEST(ScoreSet, CountsCommonSamplesOnly) {
  std::vector<Row> rows = {row_named("a/1", 2), row_named("a/2", 2), row_named("a/2", 3),
                           row_named("a/3", 3)};
  rows[2].backend.name = rows[3].backend.name = "nope";
  Settings settings;
  settings.common_samples = true;
  const ScoreSet set = score(rows, settings);
  for (const Column& column : set.columns) {
    ASSERT_EQ(column.rows.size(), 1U);
    EXPECT_EQ(column.rows[0].sample, "a/2");
    EXPECT_EQ(column.left_out_counts().at("not in every column"), 1);
  }
  EXPECT_TRUE(set.notes.empty());
}

TEST(ScoreSet, HasNoPointsWithoutCountedRows) {
  Row row = row_named("a/1", 2);
  row.left_out = "degenerate";
  const ScoreSet set = score({row});
  ASSERT_EQ(set.columns.size(), 1U);
  EXPECT_TRUE(set.columns[0].points.empty());
}

TEST(ScoreSet, WeightsLevels) {
  Settings settings;
  settings.weights = {{-10, 1}, {1, 3}, {5, 7}};  // 5 has no score under this interpretation
  const Column column = score({row_named("a/1", 4, -5)}, settings).columns[0];
  EXPECT_DOUBLE_EQ(column.aggregate, (std::log10(0.1) + 3 * std::log10(4)) / 4);
}

TEST(ScoreSet, BandsHoldTheScoreAndAreRepeatable) {
  std::mt19937 generator(5);
  std::vector<Row> rows;
  for (int i = 0; i < 60; ++i) {
    const double speedup = std::exp(std::normal_distribution<double>(0.2, 0.5)(generator));
    rows.push_back(row_named("a/" + std::to_string(i), speedup, i % 10 - 10));
  }
  const Column column = score(rows).columns[0];
  const Column again = score(rows).columns[0];
  for (std::size_t i = 0; i < column.points.size(); ++i) {
    const Point& point = column.points[i];
    EXPECT_LT(point.s_band.low, point.s);
    EXPECT_GT(point.s_band.high, point.s);
    EXPECT_EQ(point.s_band.low, again.points[i].s_band.low);
    EXPECT_EQ(point.es_band.high, again.points[i].es_band.high);
  }
  EXPECT_LT(column.aggregate_band.low, column.aggregate);
  EXPECT_GT(column.aggregate_band.high, column.aggregate);
  Settings settings;
  settings.resamples = 0;
  const Column plain = score(rows, settings).columns[0];
  EXPECT_EQ(plain.points[3].s_band.low, plain.points[3].s);
}

/// The band of a mean of normal logarithms is known: 1.96 standard errors on both sides.
TEST(ScoreSet, BandsHaveTheWidthOfTheStandardError) {
  std::mt19937 generator(11);
  constexpr int kCount = 400;
  constexpr double kSpread = 0.5;
  std::vector<Row> rows;
  for (int i = 0; i < kCount; ++i) {
    const double speedup = std::exp(std::normal_distribution<double>(0, kSpread)(generator));
    rows.push_back(row_named("a/" + std::to_string(i), speedup));
  }
  const Point point = score(rows).columns[0].points[0];
  const double width = std::log(point.s_band.high / point.s_band.low);
  EXPECT_NEAR(width, 2 * 1.96 * kSpread / std::sqrt(kCount), 0.015);
}

TEST(ScoreSet, ExplainsMistakes) {
  Settings base;
  base.fail_base = 0;
  Settings penalty;
  penalty.penalty = -1;
  Settings weights;
  weights.weights = {{5, 1}};
  Settings negative;
  negative.weights[0] = -1;
  Settings confidence;
  confidence.confidence = 1;
  for (const Settings& settings : {base, penalty, weights, negative, confidence}) {
    EXPECT_EQ(score_rows({row_named("a/1", 2)}, settings).status().code(), base::Code::kUsage);
  }
  EXPECT_EQ(score_rows({}, Settings()).status().code(), base::Code::kInput);
}

}  // namespace score_set_test
}  // namespace graphnet::score
