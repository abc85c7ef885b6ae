// SPDX-License-Identifier: MIT
#include "report/run_tally.h"

#include <gtest/gtest.h>

namespace graphnet::report {
namespace run_tally_test {

using record::Counting;
using record::Outcome;

record::Record record_of(const std::string& plugin, Outcome outcome, double speedup = 0) {
  static int number = 0;
  record::Record record;
  record.sample = "f/" + std::to_string(++number);
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
  const auto outcomes = tally.result().outcomes;
  ASSERT_EQ(outcomes.size(), 3U);
  EXPECT_EQ(outcomes[0].word, "ok");
  EXPECT_EQ(outcomes[0].count, 2);
  EXPECT_EQ(outcomes[0].counting, Counting::kCounted);
  EXPECT_EQ(outcomes[1].counting, Counting::kFailed);
  EXPECT_EQ(outcomes[2].counting, Counting::kNotCounted);
}

TEST(RunTally, ARefusedPluginIsNotCounted) {
  RunTally tally;
  record::Record refused = record_of("a", Outcome::kPluginFailed);
  refused.phase = record::Phase::kNone;
  tally.add(refused);
  tally.add(record_of("a", Outcome::kPluginFailed));
  const auto outcomes = tally.result().outcomes;
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_EQ(outcomes[0].counting, Counting::kNotCounted);
  EXPECT_EQ(outcomes[1].counting, Counting::kFailed);
}

TEST(RunTally, DoubtfulSpeedupsAreLeftOutOfTheirBackend) {
  RunTally tally;
  tally.add(record_of("a", Outcome::kOk, 0.5));
  record::Record doubtful = record_of("a", Outcome::kOk, 50);
  doubtful.flags = {record::Flag::kImplausible};
  tally.add(doubtful);
  tally.add(record_of("a", Outcome::kOk));
  tally.add(record_of("b", Outcome::kAccuracyMismatch, 9));
  const auto result = tally.result();
  ASSERT_EQ(result.headlines.size(), 1U);
  const auto& backends = result.headlines[0].backends;
  ASSERT_EQ(backends.size(), 2U);
  EXPECT_EQ(backends[0].name, "a");
  EXPECT_EQ(backends[0].own.count, 1);
  EXPECT_DOUBLE_EQ(backends[0].own.value, 0.5);
  EXPECT_EQ(backends[0].left_out.at(name_of(record::Flag::kImplausible)), 1);
  EXPECT_EQ(backends[0].left_out.at("no speedup"), 1);
  EXPECT_EQ(backends[1].own.count, 0);
  EXPECT_TRUE(backends[1].left_out.empty());
  EXPECT_EQ(backends[1].num_wrong, 1);
}

TEST(RunTally, TheSameSampleAndConfigTwiceIsOne) {
  RunTally tally;
  record::Record record = record_of("a", Outcome::kOk, 2);
  tally.add(record);
  record.speedup = 8;
  tally.add(record);
  const auto result = tally.result();
  EXPECT_EQ(result.num_repeated, 1);
  EXPECT_EQ(result.outcomes.at(0).count, 1);
  EXPECT_EQ(result.headlines.at(0).backends.at(0).own.count, 1);
}

TEST(RunTally, ConditionsNeverMix) {
  RunTally tally;
  record::Record record = record_of("a", Outcome::kOk, 2);
  record.protocol = "smoke";
  record.threads = 1;
  record.environment.cpu_model = "AMD EPYC";
  tally.add(record);
  for (const auto& change :
       {+[](record::Record& other) { other.protocol = "standard"; },
        +[](record::Record& other) { other.threads = 2; },
        +[](record::Record& other) { other.device = "cuda:0"; },
        +[](record::Record& other) { other.weights = "frozen"; },
        +[](record::Record& other) { other.environment.cpu_model = "Intel Xeon"; }}) {
    record::Record other = record;
    change(other);
    tally.add(other);
  }
  const auto headlines = tally.result().headlines;
  EXPECT_EQ(headlines.size(), 6U);
  EXPECT_EQ(headlines.at(0).condition, "smoke protocol, cpu, 1 thread, weights bound, AMD EPYC");
  for (const Headline& headline : headlines) {
    ASSERT_EQ(headline.backends.size(), 1U);
    EXPECT_EQ(headline.backends[0].name, "a") << "its title says the rest";
  }
}

TEST(RunTally, AWorkerThatDiedEarlyBelongsToItsBackend) {
  RunTally tally;
  record::Record record = record_of("a", Outcome::kOk, 2);
  record.environment.cpu_model = "AMD EPYC";
  tally.add(record);
  record::Record died = record_of("a", Outcome::kCrashed);
  died.message = "crashed";
  tally.add(died);
  record::Record refused = record_of("b", Outcome::kPluginFailed);
  tally.add(refused);
  const auto result = tally.result();
  ASSERT_EQ(result.headlines.size(), 1U);
  EXPECT_EQ(result.headlines[0].backends.size(), 2U);
  EXPECT_EQ(result.headlines[0].backends[0].num_samples, 2);
  ASSERT_EQ(result.reasons.size(), 2U);
  EXPECT_EQ(result.reasons[0].reason, "crashed");
}

}  // namespace run_tally_test
}  // namespace graphnet::report
