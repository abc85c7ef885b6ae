// SPDX-License-Identifier: MIT
#include "journal/repetition.h"

#include <gtest/gtest.h>

#include "support/mentions.h"

namespace graphnet::journal {
namespace repetition_test {

using record::Record;

using Texts = std::vector<std::string>;

Record crash() {
  Record record;
  record.sample_sha256 = "aaaaaaaaaaaaaaaa";
  record.plugin_version = "0.1.0";
  record.outcome = record::Outcome::kCrashed;
  record.phase = record::Phase::kRun;
  record.message = "plugin 'x' crashed";
  record.crash.signal = "SIGSEGV";
  record.environment.libtorch = "2.11.0";
  record.settings = {{"proof", "full"}, {"digest", false}, {"memory_bytes", 5}};
  return record;
}

TEST(Repetition, TheSameEndRepeats) {
  const Repetition same = compare_repetition(crash(), crash());
  EXPECT_TRUE(same.is_repeated);
  EXPECT_EQ(same.differences, Texts());
  EXPECT_EQ(same.conditions, Texts());
  EXPECT_TRUE(tests::mentions(end_of(crash()), {"crashed", "phase run", "SIGSEGV"}));
}

TEST(Repetition, AnotherOutcomePhaseOrSignalDoesNot) {
  Record outcome = crash();
  outcome.outcome = record::Outcome::kTimedOut;
  EXPECT_FALSE(compare_repetition(crash(), outcome).is_repeated);
  Record phase = crash();
  phase.phase = record::Phase::kCompile;
  EXPECT_FALSE(compare_repetition(crash(), phase).is_repeated);
  Record signal = crash();
  signal.crash.signal = "SIGABRT";
  EXPECT_FALSE(compare_repetition(crash(), signal).is_repeated);
  Record unseen = crash();
  unseen.crash = record::Crash();
  EXPECT_TRUE(compare_repetition(crash(), unseen).is_repeated) << "it could not tell its signal";
}

TEST(Repetition, AnotherMathPolicyIsAnotherCondition) {
  Record again = crash();
  again.math.tf32 = true;
  const Texts conditions = compare_repetition(crash(), again).conditions;
  ASSERT_EQ(conditions.size(), 1U);
  EXPECT_NE(conditions[0].find("math"), std::string::npos) << conditions[0];
}

TEST(Repetition, OkIsOkInAnyPhaseAndSaysWhatElseDiffers) {
  Record recorded = crash();
  recorded.outcome = record::Outcome::kOk;
  recorded.verdict = record::Verdict("proven");
  recorded.message.clear();
  recorded.crash = record::Crash();
  recorded.digest = {{"plugin_outputs", {"a"}}};
  Record again = recorded;
  again.phase = record::Phase::kProof;
  again.verdict = record::Verdict("eager");
  again.digest["plugin_outputs"] = {"b"};
  const Repetition result = compare_repetition(recorded, again);
  EXPECT_TRUE(result.is_repeated);
  EXPECT_EQ(result.differences,
            (Texts{"verdict: eager, was proven", "plugin_outputs: other bits than recorded"}));
  EXPECT_EQ(end_of(again), "ok");
}

TEST(Repetition, AJudgementHasNoPhase) {
  Record recorded = crash();
  recorded.outcome = record::Outcome::kAccuracyMismatch;
  recorded.phase = record::Phase::kProof;
  recorded.crash = record::Crash();
  Record again = recorded;
  again.phase = record::Phase::kRobustness;  // --proof none
  EXPECT_TRUE(compare_repetition(recorded, again).is_repeated);
  EXPECT_EQ(end_of(again), "accuracy_mismatch");
}

TEST(Repetition, ConditionsAreThoseThatBothKnow) {
  Record again = crash();
  again.sample_sha256 = "bbbbbbbbbbbbbbbb";
  again.plugin_version.clear();
  again.environment.libtorch = "2.12.0";
  again.environment.kernel = "6.1";
  again.settings["memory_bytes"] = 6;
  again.settings["digest"] = true;
  EXPECT_EQ(compare_repetition(crash(), again).conditions,
            (Texts{"sample: bbbbbbbbbbbb, was aaaaaaaaaaaa", "libtorch: 2.12.0, was 2.11.0"}));
}

}  // namespace repetition_test
}  // namespace graphnet::journal
