// SPDX-License-Identifier: MIT
// Scores that upstream's own program computed.
#include <gtest/gtest.h>

#include <map>

#include "score/score_set.h"
#include "score/upstream_log_row.h"
#include "unit/score/log_text.h"

namespace graphnet::score {
namespace golden_scores_test {

ScoreSet score_of(const std::string& log, bool compat) {
  std::vector<Row> rows;
  for (const LogSample& sample : read_upstream_log(log, compat)) {
    rows.push_back(row_of(sample, compat));
  }
  Settings settings;
  settings.compat = compat;
  settings.resamples = 0;
  auto set = score_rows(std::move(rows), settings);
  EXPECT_TRUE(set.is_ok()) << set.status().to_string();
  return set.is_ok() ? *set : ScoreSet();
}

/// Upstream prints three decimals and writes all digits of a double, of which the last two are its
/// logarithm's rounding: computed with 40 digits, 0.12226888665447937 ends in 34 and
/// 0.7155244911585144 in 42, as ours do.
std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

void expect_es(const std::string& log, const std::map<int, double>& wanted) {
  for (const bool compat : {false, true}) {
    const ScoreSet set = score_of(log, compat);
    ASSERT_EQ(set.columns.size(), 1U);
    ASSERT_EQ(set.columns[0].points.size(), wanted.size());
    for (const Point& point : set.columns[0].points) {
      EXPECT_EQ(digits(point.es), digits(wanted.at(point.t))) << "t = " << point.t;
      EXPECT_DOUBLE_EQ(point.es, wanted.at(point.t)) << "t = " << point.t;
    }
  }
}

/// One value for a range of levels.
void put(std::map<int, double>& wanted, int from, int to, double value) {
  for (int t = from; t <= to; ++t) wanted[t] = value;
}

// source   GraphNet test/data_calculate_es_scores/evaluation.log: its speedups, and the one sample
//          that is wrong at -10 and -9
std::string evaluation_log() {
  const double speedups[] = {0.97755, 0.86527, 0.90789, 0.98506, 0.96703,
                             0.91559, 0.88539, 0.88024, 0.68206, 0.897};
  std::vector<LoggedSample> samples;
  for (const double speedup : speedups) {
    LoggedSample sample;
    sample.path = "/workspace/samples/timm/" + std::to_string(samples.size());
    sample.speedup = speedup;
    sample.correct_from = speedup == 0.90789 ? -8 : -10;
    samples.push_back(sample);
  }
  return log_text(samples);
}

TEST(GoldenScores, Evaluation) {
  std::map<int, double> wanted;
  put(wanted, -10, -9, 0.7155244911585144);
  put(wanted, -8, 4, 0.8921293487108027);
  expect_es(evaluation_log(), wanted);
  const ScoreSet set = score_of(evaluation_log(), true);
  EXPECT_DOUBLE_EQ(set.columns[0].aggregate, -0.049608101740355855);
  EXPECT_DOUBLE_EQ(set.columns[0].points[0].macro.lambda, 0.9);
}

// source   GraphNet test/log_file_for_test.txt: its speedups and the levels from which on all
//          outputs are accepted
TEST(GoldenScores, TargetDevice) {
  const std::pair<double, int> facts[] = {{0.91301, -6}, {3.74864, -4}, {0.56134, 1}, {0.49635, -3},
                                          {0.53351, 1},  {0.53439, -3}, {2.64786, 0}, {2.48173, -3},
                                          {0.48519, -1}, {0.48618, -1}, {1.02826, 0}};
  std::vector<LoggedSample> samples;
  for (const auto& [speedup, level] : facts) {
    LoggedSample sample;
    sample.path = "/test/model/path" + std::to_string(samples.size());
    sample.speedup = speedup;
    sample.correct_from = level;
    samples.push_back(sample);
  }
  std::map<int, double> wanted;
  put(wanted, -10, -7, 0.1);
  put(wanted, -6, -5, 0.12226888665447937);
  put(wanted, -4, -4, 0.16997904626148225);
  put(wanted, -3, -2, 0.30662929881884393);
  put(wanted, -1, -1, 0.4087006899327101);
  put(wanted, 0, 0, 0.6804070765495606);
  put(wanted, 1, 4, 0.9267959876877593);
  expect_es(log_text(samples), wanted);
}

// source   GraphNet test/log_file_for_subgraph_decompose_and_evaluation_step.log: one sample with
//          NaN in some outputs, which is wrong at every level
TEST(GoldenScores, SubgraphDecomposition) {
  LoggedSample sample;
  sample.speedup = 2.38248;
  sample.correct_from = 6;
  std::map<int, double> wanted;
  put(wanted, -10, 0, 0.1);
  put(wanted, 1, 4, 1.0);
  expect_es(log_text(sample), wanted);
}

}  // namespace golden_scores_test
}  // namespace graphnet::score
