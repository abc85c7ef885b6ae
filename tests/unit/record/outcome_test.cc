// SPDX-License-Identifier: MIT
#include "record/outcome.h"

#include <gtest/gtest.h>

#include <iterator>
#include <set>

namespace graphnet::record {
namespace outcome_test {

struct Answer {
  const char* outcome;
  const char* phase;
  Counting counting;
  const char* why_not;
  FailOn exits;          ///< the mildest --fail-on that makes the exit code 1
  bool is_open = false;  ///< --resume tries it again
};

constexpr Counting kCounted = Counting::kCounted;
constexpr Counting kFailed = Counting::kFailed;
constexpr Counting kNot = Counting::kNotCounted;

constexpr Answer kAnswers[] = {
    {"", "", kNot, "no outcome", FailOn::kError},
    {"ok", "proof", kCounted, "", FailOn::kNever},
    {"accuracy_mismatch", "compare", kFailed, "", FailOn::kError},
    {"shape_mismatch", "compare", kFailed, "", FailOn::kError},
    {"dtype_mismatch", "compare", kFailed, "", FailOn::kError},
    {"count_mismatch", "compare", kFailed, "", FailOn::kError},
    {"non_finite", "compare", kFailed, "", FailOn::kError},
    {"unsupported", "compile", kFailed, "", FailOn::kFailed},
    {"unsupported", "", kFailed, "", FailOn::kFailed},
    {"compile_failed", "compile", kFailed, "", FailOn::kError},
    {"runtime_failed", "run", kFailed, "", FailOn::kError},
    {"crashed", "run", kFailed, "", FailOn::kError},
    {"timed_out", "compile", kFailed, "", FailOn::kError},
    {"out_of_memory", "run", kFailed, "", FailOn::kError},
    {"killed", "run", kFailed, "", FailOn::kError},
    {"plugin_failed", "compile", kFailed, "", FailOn::kError},
    {"plugin_failed", "", kNot, "not usable", FailOn::kError, true},
    {"reference_failed", "eager", kFailed, "", FailOn::kError},
    {"invalid_sample", "load", kNot, "invalid_sample", FailOn::kError},
    {"skipped", "plan", kNot, "skipped", FailOn::kAny, true},
    {"interrupted", "run", kNot, "interrupted", FailOn::kError},
};

TEST(Outcome, OneAnswerToWhatCounts) {
  std::set<Outcome> seen;
  for (const Answer& answer : kAnswers) {
    const Word<Outcome> outcome(std::string_view(answer.outcome));
    const Word<Phase> phase(std::string_view(answer.phase));
    const std::string name = std::string(answer.outcome) + " in phase " + answer.phase;
    seen.insert(outcome.value());
    EXPECT_EQ(counting_of(outcome, phase), answer.counting) << name;
    EXPECT_EQ(why_not_counted(outcome, phase), answer.why_not) << name;
    EXPECT_EQ(leaves_open(outcome, phase), answer.is_open) << name;
    for (const FailOn fail_on : {FailOn::kNever, FailOn::kError, FailOn::kFailed, FailOn::kAny}) {
      const bool fails = answer.exits != FailOn::kNever && fail_on >= answer.exits;
      EXPECT_EQ(fails_run(outcome, fail_on), fails) << name;
    }
  }
  EXPECT_EQ(seen.size(), std::size(table(Outcome()))) << "an outcome has no answer here";
}

TEST(Outcome, WhatFailsIsNoSuccessOfUpstreams) {
  for (const OutcomeFacts& facts : table(Outcome())) {
    // Of what was compared, only distance decides at which levels it is correct.
    const bool has_failure = facts.failure != Failure::kNone;
    const bool is_by_level = facts.value == Outcome::kOk ||
                             facts.value == Outcome::kAccuracyMismatch ||
                             facts.counting == Counting::kNotCounted;
    EXPECT_NE(has_failure, is_by_level) << facts.name;
    EXPECT_EQ(facts.blame == Blame::kNobody,
              facts.counting == Counting::kCounted || *facts.name == '\0')
        << facts.name;
  }
}

TEST(Outcome, WhileThePluginCompilesItsFailuresAreOnesOfCompiling) {
  EXPECT_EQ(failure_of(Outcome::kTimedOut, Phase::kCompile, false), Failure::kCompile);
  EXPECT_EQ(failure_of(Outcome::kTimedOut, Phase::kBind, false), Failure::kCompile);
  EXPECT_EQ(failure_of(Outcome::kTimedOut, Phase::kRun, false), Failure::kRuntime);
  EXPECT_EQ(failure_of(Outcome::kTimedOut, Phase::kRun, true), Failure::kReference);
}

}  // namespace outcome_test
}  // namespace graphnet::record
