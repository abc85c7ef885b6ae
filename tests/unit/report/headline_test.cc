// SPDX-License-Identifier: MIT
#include "report/headline.h"

#include <gtest/gtest.h>

#include <sstream>

#include "report/terminal_text.h"
#include "support/mentions.h"

namespace graphnet::report {
namespace headline_test {

using record::Counting;
using record::Outcome;
using tests::mentions;

HeadlineResult ok(std::size_t backend, const std::string& sample, double speedup) {
  return {sample, backend, Outcome::kOk, Counting::kCounted, "", speedup};
}

HeadlineResult left_out(std::size_t backend, const std::string& sample, const std::string& why) {
  return {sample, backend, Outcome::kOk, Counting::kCounted, why, 9};
}

HeadlineResult failed(std::size_t backend, const std::string& sample, Outcome outcome) {
  return {sample, backend, outcome, Counting::kFailed, "", {}};
}

const std::vector<HeadlineBackend> kTwo = {{"xla", "smoke"}, {"tvm", "smoke"}};

TEST(Headlines, CommonMeansAreOfSamplesThatEveryBackendDid) {
  // xla has no speedup that counts on the sample where it would look slow.
  const std::vector<Headline> all =
      headlines(kTwo, {ok(0, "a", 2), ok(1, "a", 3), ok(0, "b", 2), ok(1, "b", 3),
                       left_out(0, "c", "unstable"), ok(1, "c", 0.5)});
  ASSERT_EQ(all.size(), 1U);
  const Headline& headline = all[0];
  EXPECT_EQ(headline.common, (std::vector<std::string>{"a", "b"}));
  EXPECT_DOUBLE_EQ(headline.backends[0].common.value, 2);
  EXPECT_DOUBLE_EQ(headline.backends[1].common.value, 3);
  EXPECT_EQ(headline.backends[0].own.count, 2);
  EXPECT_EQ(headline.backends[1].own.count, 3);
  EXPECT_EQ(headline.backends[0].left_out.at("unstable"), 1);
  EXPECT_EQ(headline.fastest, 1U);
  ASSERT_EQ(headline.ratios.size(), 1U);
  EXPECT_EQ(headline.ratios[0].other, 0U);
  EXPECT_DOUBLE_EQ(headline.ratios[0].faster.value, 1.5);
}

TEST(Headlines, EveryResultIsInTheDenominator) {
  HeadlineResult skipped{"d", 0, Outcome::kSkipped, Counting::kNotCounted, "skipped", {}};
  const auto all = headlines({{"xla", ""}}, {ok(0, "a", 2), left_out(0, "b", "degenerate"),
                                             failed(0, "c", Outcome::kAccuracyMismatch), skipped,
                                             failed(0, "e", Outcome::kCrashed)});
  const BackendHeadline& backend = all[0].backends[0];
  EXPECT_EQ(backend.num_samples, 5);
  EXPECT_EQ(backend.num_ok, 2);
  EXPECT_EQ(backend.num_wrong, 1);
  EXPECT_EQ(backend.failures.size(), 2U);
  EXPECT_EQ(backend.not_run.at("skipped"), 1);
}

TEST(Headlines, OneConditionAHeadline) {
  const auto all = headlines({{"xla", "smoke, 1 thread"}, {"xla", "standard, 2 threads"}},
                             {ok(0, "a", 2), ok(1, "a", 4)});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].condition, "smoke, 1 thread");
  EXPECT_EQ(all[0].backends.size(), 1U);
  EXPECT_TRUE(all[0].ratios.empty());
}

TEST(Headlines, ASampleCountsOnce) {
  HeadlineResult skipped{"a", 0, Outcome::kSkipped, Counting::kNotCounted, "skipped", {}};
  const auto all = headlines({{"xla", ""}}, {ok(0, "a", 2), ok(0, "a", 8), skipped});
  EXPECT_EQ(all[0].backends[0].num_samples, 1);
  EXPECT_EQ(all[0].backends[0].own.count, 1);
  EXPECT_DOUBLE_EQ(all[0].backends[0].own.value, 8);
  EXPECT_EQ(counted_indices({ok(0, "a", 2), ok(1, "a", 8), skipped}),
            (std::vector<std::size_t>{0, 1}));
}

TEST(Headlines, ABackendWithoutAnySpeedupLeavesTheOthersComparable) {
  const auto all =
      headlines({{"xla", ""}, {"tvm", ""}, {"broken", ""}},
                {ok(0, "a", 2), ok(1, "a", 3), failed(2, "a", Outcome::kCompileFailed)});
  EXPECT_EQ(all[0].common.size(), 1U);
  EXPECT_EQ(all[0].backends[2].common.count, 0);
}

std::string sentence(const std::vector<HeadlineBackend>& backends,
                     const std::vector<HeadlineResult>& results, double noise_floor = 0) {
  return headline_sentence(headlines(backends, results).at(0), noise_floor);
}

TEST(HeadlineSentence, SaysWhichIsFasterOnHowMany) {
  EXPECT_EQ(sentence(kTwo, {ok(0, "a", 2), ok(1, "a", 3), ok(0, "b", 2), ok(1, "b", 3),
                            failed(0, "c", Outcome::kAccuracyMismatch)}),
            "tvm is 1.50x faster than xla on 2 common samples; wrong: 1 sample (xla)");
  EXPECT_EQ(sentence({{"xla", ""}}, {ok(0, "a", 0.5), failed(0, "c", Outcome::kUnsupported)}),
            "xla is 2.00x slower than eager on 1 sample; failed: 1 sample (xla)");
}

TEST(HeadlineSentence, NamesTheNearestFirst) {
  EXPECT_EQ(sentence({{"nope", ""}, {"xla", ""}, {"tvm", ""}},
                     {ok(0, "a", 1), ok(1, "a", 2), ok(2, "a", 3)}),
            "tvm is 1.50x faster than xla, 3.00x faster than nope on 1 common sample");
}

TEST(HeadlineSentence, DoesNotClaimWhatTheIntervalDoesNotShow) {
  EXPECT_TRUE(
      mentions(sentence(kTwo, {ok(0, "a", 2), ok(1, "a", 4), ok(0, "b", 4), ok(1, "b", 2.2)}),
               {"tvm", "about as fast", "xla", "2 common samples"}));
  EXPECT_TRUE(mentions(sentence(kTwo, {ok(0, "a", 2), ok(1, "a", 2.02)}, 0.05),
                       {"tvm", "about as fast", "xla", "1 common sample"}));
}

TEST(HeadlineSentence, NamesThoseThatHaveNoSpeedupThatCounts) {
  EXPECT_TRUE(mentions(sentence(kTwo, {left_out(0, "a", "unstable"), ok(1, "a", 3)}),
                       {"tvm", "3.00x faster", "eager", "1 sample", "no speedup", "xla"}));
}

TEST(HeadlineSentence, WithoutCommonSamplesThereIsNoComparison) {
  EXPECT_TRUE(mentions(sentence(kTwo, {ok(0, "a", 2), ok(1, "b", 3)}),
                       {"no sample", "cannot be compared"}));
  EXPECT_TRUE(mentions(sentence(kTwo, {failed(0, "a", Outcome::kCrashed)}),
                       {"no speedup", "failed: 1 sample (xla)"}));
  EXPECT_TRUE(mentions(sentence(kTwo, {left_out(0, "a", "unstable"), left_out(1, "a", "unstable")}),
                       {"no speedup", "2 unstable"}));
}

TEST(HeadlineTable, CommonMeansStandFirst) {
  EXPECT_EQ(headline_table(headlines(kTwo, {ok(0, "a", 2), ok(1, "a", 3), ok(1, "b", 0.75),
                                            left_out(0, "b", "unstable"),
                                            failed(0, "c", Outcome::kUnsupported)}),
                           0),
            "geometric mean  common samples: 1     own samples                 ok      in no mean\n"
            "xla             2.000x (no interval)  2.000x (no interval) of 1   2 of 3  1 unstable, "
            "1 unsupported\n"
            "tvm             3.000x (no interval)  1.500x [0.750, 3.000] of 2  2 of 2\n");
}

TEST(HeadlineTable, FitsItsWidth) {
  std::vector<HeadlineResult> results = {ok(0, "a", 2), ok(1, "a", 3)};
  for (const char* why : {"unstable", "degenerate", "implausible", "over_threads", "unvaried"}) {
    results.push_back(left_out(0, why, why));
  }
  const std::string text = headline_table(headlines(kTwo, results), 80);
  EXPECT_NE(text.find(" ok\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n    in no mean: 1 degenerate, "), std::string::npos) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80) << line;
}

}  // namespace headline_test
}  // namespace graphnet::report
