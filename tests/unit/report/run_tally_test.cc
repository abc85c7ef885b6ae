// SPDX-License-Identifier: MIT
#include "report/run_tally.h"

#include <gtest/gtest.h>

namespace graphnet::report {
namespace {

using record::Counting;
using record::Outcome;

record::Record record_of(const std::string& plugin, Outcome outcome, double speedup = 0) {
  record::Record record;
  record.plugin = plugin;
  record.outcome = outcome;
  record.phase = record::Phase::kLoad;
  if (speedup > 0) record.speedup = speedup;
  return record;
}

TEST(RunTally, CountsOutcomesInOrderOfAppearance) {
  RunTally tally;
  tally.add(record_of("a", Outcome::kOk, 2));
  tally.add(record_of("a", Outcome::kCrashed));
  tally.add(record_of("b", Outcome::kOk, 2));
  tally.add(record_of("b", Outcome::kSkipped));
  ASSERT_EQ(tally.outcomes().size(), 3U);
  EXPECT_EQ(tally.outcomes()[0].word, "ok");
  EXPECT_EQ(tally.outcomes()[0].count, 2);
  EXPECT_EQ(tally.outcomes()[0].counting, Counting::kCounted);
  EXPECT_EQ(tally.outcomes()[1].counting, Counting::kFailed);
  EXPECT_EQ(tally.outcomes()[2].counting, Counting::kNotCounted);
}

TEST(RunTally, ARefusedPluginIsNotCounted) {
  RunTally tally;
  record::Record refused = record_of("a", Outcome::kPluginFailed);
  refused.phase = record::Phase::kNone;
  tally.add(refused);
  tally.add(record_of("a", Outcome::kPluginFailed));
  ASSERT_EQ(tally.outcomes().size(), 2U);
  EXPECT_EQ(tally.outcomes()[0].counting, Counting::kNotCounted);
  EXPECT_EQ(tally.outcomes()[1].counting, Counting::kFailed);
}

TEST(RunTally, DoubtfulSpeedupsAreLeftOutOfTheirBackend) {
  RunTally tally;
  tally.add(record_of("a", Outcome::kOk, 0.5));
  record::Record doubtful = record_of("a", Outcome::kOk, 50);
  doubtful.flags = {record::Flag::kImplausible};
  tally.add(doubtful);
  tally.add(record_of("a", Outcome::kOk));
  tally.add(record_of("b", Outcome::kAccuracyMismatch, 9));
  ASSERT_EQ(tally.speedups().size(), 2U);
  EXPECT_EQ(tally.speedups()[0].backend, "a");
  EXPECT_EQ(tally.speedups()[0].counted, std::vector<double>({0.5}));
  EXPECT_EQ(tally.speedups()[0].left_out.at(name_of(record::Flag::kImplausible)), 1);
  EXPECT_TRUE(tally.speedups()[1].counted.empty());
  EXPECT_TRUE(tally.speedups()[1].left_out.empty());
}

}  // namespace
}  // namespace graphnet::report
