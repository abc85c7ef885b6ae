// SPDX-License-Identifier: MIT
#include "record/parts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "record/record.h"
#include "support/folders.h"

namespace graphnet::record {
namespace parts_test {

using base::Json;

Json parsed(const std::string& text) {
  const auto json = base::parse_json(text, "test");
  EXPECT_TRUE(json.is_ok()) << json.status().to_string();
  return json.is_ok() ? *json : Json();
}

template <typename T>
std::string again(const std::string& text) {
  return base::dump_json(part_to_json(part_from_json<T>(parsed(text))));
}

TEST(Parts, KeepOrderAndWhatTheyDoNotKnow) {
  for (const char* text :
       {R"({})", R"({"new":[1,{"a":null}],"verdict":"faster","speedup_low":0.5})",
        R"({"verdict":"sideways","pairs_kept":7,"other":{"x":"y"}})",
        R"({"calls_per_half":{"eager":1,"backend":2},"verdict":"same"})"}) {
    EXPECT_EQ(again<Timing>(text), text);
  }
}

TEST(Parts, KeepWhatOlderAndNewerRecordsSayOfSecondWeights) {
  const std::string old = R"({"outcome":"ok","evidence":"sensitive","bind_ns":5.0,"changed":4})";
  EXPECT_EQ(again<SecondWeights>(old), old);
  EXPECT_FALSE(part_from_json<SecondWeights>(parsed(old)).speedup);
  const std::string timed =
      R"({"outcome":"ok","speedup":1.5,"speedup_low":1.25,"speedup_high":1.75,"pairs":8,"eager_ns":3.0,"plugin_ns":2.0,"untimed":"","later":{}})";
  EXPECT_EQ(again<SecondWeights>(timed), timed);
  EXPECT_EQ(part_from_json<SecondWeights>(parsed(timed)).pairs, 8);
}

TEST(Parts, KeepWhatOlderRecordsSayOfImportsAndLookups) {
  const std::string old =
      R"({"witness":"full","imports":[{"module":"libgn_x.so","looks_up":true,"denied_count":0,"denied":[]}],)"
      R"("dlsym":[{"module":"libgn_x.so","names":3,"denied_count":1,"denied":["at::mm"]}],"extra_ns":5.0})";
  EXPECT_EQ(again<Proof>(old), old);
}

TEST(Parts, KeepWhatHasAnotherType) {
  const std::string text =
      R"({"verdict":7,"speedup_low":"low","pairs_kept":1.5,"calls_per_half":[],"stop":"","looks":null})";
  const auto timing = part_from_json<Timing>(parsed(text));
  EXPECT_TRUE(timing.verdict.empty());
  EXPECT_FALSE(timing.speedup_low || timing.pairs_kept || timing.analyses);
  EXPECT_EQ(base::dump_json(part_to_json(timing)), text);
}

TEST(Parts, WriteWhatWasSetSince) {
  auto timing = part_from_json<Timing>(parsed(R"({"a":1,"verdict":"same","b":2,"looks":3})"));
  timing.verdict = TimingVerdict::kFaster;
  timing.analyses.reset();
  timing.stop = "time";
  timing.rest["c"] = 4;
  const std::string text = base::dump_json(part_to_json(timing));
  EXPECT_EQ(text, R"({"a":1,"verdict":"faster","b":2,"c":4,"stop":"time"})");
  EXPECT_TRUE(timing.rest.find("verdict") == nullptr) << "a field is no remainder";
}

TEST(Parts, AreEmptyUntilSomethingIsSet) {
  EXPECT_TRUE(is_empty(Proof()));
  EXPECT_FALSE(Timing().has_pairs());
  const auto upstream = part_from_json<Timing>(
      {{"event_ns", {{"eager", {1.0}}}}, {"event_median_ns", {{"eager", 1.0}}}});
  EXPECT_FALSE(upstream.has_pairs()) << "a device's clock is read by method upstream too";
  EXPECT_TRUE(part_from_json<Timing>({{"event_ns", {{"eager", {1.0}}}}, {"looks", 3}}).has_pairs());
  EXPECT_TRUE(part_from_json<Timing>({{"new", 3}}).has_pairs());
  Proof proof;
  proof.samples.unavailable = "no signal";
  EXPECT_FALSE(is_empty(proof));
  EXPECT_FALSE(is_empty(part_from_json<Proof>({{"new", 1}})));
  EXPECT_TRUE(is_empty(part_from_json<Proof>(Json("not an object"))));
}

TEST(Parts, OneKeyCanHoldAListOrWhyThereIsNone) {
  const std::string list =
      R"({"other_inputs":[{"content":"zeros","outcome":"ok","relative_rms":0.0},)"
      R"({"content":"tiny","outcome":"not tried: out of time"}]})";
  const auto checks = part_from_json<Checks>(parsed(list));
  ASSERT_EQ(checks.other_inputs.size(), 2U);
  EXPECT_TRUE(checks.other_inputs[0].was_tried());
  EXPECT_FALSE(checks.other_inputs[1].was_tried());
  EXPECT_EQ(base::dump_json(part_to_json(checks)), list);
  auto ended = checks;
  ended.other_inputs.clear();
  ended.other_inputs_end = "crashed";
  EXPECT_EQ(base::dump_json(part_to_json(ended)), R"({"other_inputs":"crashed"})");
  EXPECT_EQ(part_from_json<Checks>(part_to_json(ended)).other_inputs_end, "crashed");
}

TEST(Parts, WhatIsIllConditionedOrNotTriedHasNotFailed) {
  OtherInput input;
  const std::pair<Word<Outcome>, bool> cases[] = {{Outcome::kOk, false},
                                                  {Outcome::kNonFinite, true},
                                                  {OtherInput::ill_conditioned(), false},
                                                  {OtherInput::not_tried("out of time"), false}};
  for (const auto& [outcome, has_failed] : cases) {
    input.outcome = Word<Outcome>(outcome.text());
    EXPECT_EQ(input.has_failed(), has_failed) << outcome;
  }
  input.content = "seed 124";
  EXPECT_TRUE(input.is_other_seed());
  input.content = "zeros";
  EXPECT_FALSE(input.is_other_seed());
}

TEST(Parts, SayWhichOutputsWereAcceptedOtherwise) {
  const auto checks = part_from_json<Checks>(parsed(
      R"({"indices":[null,{"accepted":true},{"accepted":false}],)"
      R"("random":[{"output":0,"same_distribution":true},{"output":2,"same_distribution":false}]})"));
  const bool indices[] = {false, true, false, false};
  const bool random[] = {true, false, false, false};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(checks.accepts_indices(i), indices[i]) << i;
    EXPECT_EQ(checks.accepts_distribution(i), random[i]) << i;
  }
}

/// What stored records have in these members is written again byte by byte.
TEST(Parts, OfGoldenRecordsAreWrittenAsTheyWere) {
  const auto folder = std::filesystem::path(tests::source_dir()) / "tests" / "golden" / "journal";
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      const Json stored = parsed(line);
      if (!stored.contains("outcome")) continue;
      const auto record = record_from_json(stored);
      ASSERT_TRUE(record.is_ok()) << record.status().to_string();
      const Json written = to_json(*record);
      for (const char* key : {"outcome", "phase", "verdict", "flags", "plan", "timing", "checks",
                              "proof", "environment", "crash"}) {
        if (!stored.contains(key)) continue;
        EXPECT_EQ(base::dump_json(written[key]), base::dump_json(stored[key])) << key;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 20);
}

TEST(Parts, KeepWhatIsWrittenNoMore) {
  const std::string old =
      R"({"eager_reproducible":true,"reference_cache":{"found":["eager"]},"checked_calls":3})";
  EXPECT_EQ(again<Checks>(old), old);
  EXPECT_EQ(part_from_json<Checks>(parsed(old)).checked_calls, 3);
}

}  // namespace parts_test
}  // namespace graphnet::record
