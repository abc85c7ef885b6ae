// SPDX-License-Identifier: MIT
#include "record/record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace graphnet::record {
namespace record_test {

using base::Json;

Record full_record() {
  Record record;
  record.task_key = "0123456789abcdef0123456789abcdef";
  record.attempt = 2;
  record.graphnet = "0.1.0";
  record.run_id = "2026-11-21T0540Z-7f3a";
  record.time_utc = "2026-11-21T05:40:12Z";
  record.sample = "timm/resnet10t";
  record.sample_path = "samples/timm/resnet10t";
  record.family = "timm";
  record.category = "computer_vision";
  record.model_name = "resnet10t";
  record.sample_sha256 = "ab";
  record.plugin = "nope";
  record.plugin_version = "0.1.0";
  record.plugin_variant = "nope+x";
  record.plugin_sha256 = "cd";
  record.plugin_library = "/plugins/nope/libgn_nope.so";
  record.plugin_options = {{"level", 3}};
  record.math.fast_math = true;
  record.threads = 2;
  record.seed = 4'000'000'000u;
  record.warmup = 3;
  record.trials = 5;
  record.settings = {{"proof", "full"}, {"timeouts_ms", {{"load", 60000}}}};
  record.outcome = record::Outcome::kOk;
  record.phase = record::Phase::kCompare;
  record.verdict = record::Verdict("eager");
  record.degenerate = true;
  record.notes = {"a", "b"};
  record.eager.first_call_ns = 12.5;
  record.eager.trials_ns = {1, 2, 3.25};
  record.eager.output_dtypes = {"float32"};
  record.plugin_side.compile_ns = 1e9;
  record.plugin_side.bind_ns = 7;
  record.plugin_side.capture_ns = 8.5;
  record.plugin_side.median_ns = 0.1 + 0.2;
  record.speedup = 1.02;
  record.correctness = {{"equal", {1}}};
  record.digest = {{"arguments", {{"count", 3}}}};
  record.phases_ns = {{"load", 5}};
  record.environment.cpu_model = "x";
  record.peak_rss_bytes = std::int64_t{5} << 30;
  record.output_tail = "line\n";
  record.crash = {"SIGSEGV", "", {"a.so+0x1 f"}, {}};
  record.command = "graphnet run";
  record.protocol_settings = {{"max_pairs", 3}};
  record.flags = {record::Flag::kImplausible};
  record.timing.verdict = TimingVerdict::kFaster;
  record.checks.checked_calls = 7;
  record.proof.tracer = "full";
  record.proof.calls = 3;
  record.eager.peak_rss_bytes = 1 << 20;
  return record;
}

TEST(Record, EveryFieldSurvivesTheRoundTrip) {
  const Json json = to_json(full_record());
  const auto text = base::dump_json(json);
  const auto parsed = base::parse_json(text, "test");
  ASSERT_TRUE(parsed.is_ok());
  const auto record = record_from_json(*parsed);
  ASSERT_TRUE(record.is_ok()) << record.status().to_string();
  EXPECT_EQ(base::dump_json(to_json(*record)), text);
  EXPECT_EQ(record->seed, 4'000'000'000u);
  EXPECT_EQ(*record->plugin_side.median_ns, 0.1 + 0.2);
  EXPECT_EQ(record->eager.compile_ns, std::nullopt);
  EXPECT_TRUE(record->degenerate);
}

TEST(Record, ReadingASpentValueGivesTheSame) {
  Json json = to_json(full_record());
  const auto text = base::dump_json(json);
  const auto record = record_from_json(std::move(json));
  ASSERT_TRUE(record.is_ok()) << record.status().to_string();
  EXPECT_EQ(base::dump_json(to_json(*record)), text);
}

TEST(Record, KeysAreInTheOrderOfTheStruct) {
  std::string keys;
  const Json json = to_json(full_record());
  for (const auto& [key, value] : json.items()) keys += key + " ";
  EXPECT_EQ(
      keys,
      "schema task_key attempt outcome phase run_id time_utc graphnet sample plugin device threads "
      "seed weights math protocol protocol_settings warmup trials settings message verdict "
      "degenerate "
      "notes "
      "flags "
      "plan "
      "eager plugin_side speedup timing checks proof correctness digest phases_ns environment "
      "peak_rss_bytes output_tail crash command ");
}

TEST(Record, UnknownKeysAreIgnored) {
  Json json = to_json(full_record());
  json["new_key"] = {{"a", 1}};
  json["plugin"]["new_key"] = 1;
  EXPECT_TRUE(record_from_json(json).is_ok());
}

TEST(Record, OlderNamesOfPhasesAreRead) {
  Json json = to_json(full_record());
  json["phase"] = "replay";
  json["phases_ns"] = {{"load", 5}, {"replay", 6}, {"run", 7}};
  json["settings"]["timeouts_ms"] = {{"replay", 120000}};
  const auto record = record_from_json(json);
  ASSERT_TRUE(record.is_ok()) << record.status().to_string();
  EXPECT_EQ(record->phase, Phase::kInputs);
  EXPECT_EQ(base::dump_json(record->phases_ns), R"({"load":5,"inputs":6,"run":7})");
  EXPECT_EQ(record->settings["timeouts_ms"], (Json{{"inputs", 120000}}));
}

TEST(Record, WordsOfNewerVersionsAreKeptAndWrittenBack) {
  Json json = to_json(full_record());
  json["outcome"] = "melted";
  json["phase"] = "afterwards";
  json["verdict"] = "witnessed(by nobody)";
  json["flags"] = {"implausible", "over_the_moon"};
  json["timing"] = {{"verdict", "sideways"}};
  const auto record = record_from_json(json);
  ASSERT_TRUE(record.is_ok()) << record.status().to_string();
  EXPECT_EQ(record->outcome.value(), Outcome::kOther);
  EXPECT_EQ(record->counting(), Counting::kNotCounted);
  EXPECT_EQ(record->flags.at(0), Flag::kImplausible);
  EXPECT_EQ(record->flags.at(1).value(), Flag::kOther);
  EXPECT_EQ(base::dump_json(to_json(*record)), base::dump_json(json));
}

TEST(Record, TheDefaultMathPolicyIsNotWritten) {
  Record record;
  EXPECT_FALSE(to_json(record).contains("math"));
  record.math.flush_denormals = true;
  EXPECT_EQ(base::dump_json(to_json(record)["math"]),
            "{\"tf32\":false,\"fast_math\":false,\"flush_denormals\":true}");
  Json json = to_json(full_record());
  json["math"]["tf32"] = 1;
  EXPECT_NE(record_from_json(json).status().message().find("math.tf32"), std::string::npos);
}

TEST(Record, SmallestRecordHasDefaults) {
  const Json json = {{"schema", "graphnet.record/1"},
                     {"sample", {{"name", "a/b"}}},
                     {"plugin", {{"name", "nope"}}},
                     {"outcome", "ok"}};
  const auto record = record_from_json(json);
  ASSERT_TRUE(record.is_ok()) << record.status().to_string();
  EXPECT_EQ(record->device, "cpu");
  EXPECT_EQ(record->speedup, std::nullopt);
  EXPECT_TRUE(is_empty(record->proof)) << "records of before there was one";
}

TEST(Record, NewerSchemaIsRefusedNamingBoth) {
  Json json = to_json(full_record());
  json["schema"] = "graphnet.record/2";
  const auto status = record_from_json(json).status();
  EXPECT_EQ(status.code(), base::Code::kInput);
  EXPECT_NE(status.message().find("graphnet.record/2"), std::string::npos);
  EXPECT_NE(status.message().find("graphnet.record/1"), std::string::npos);
}

TEST(Record, WrongSchemasAreRefused) {
  for (const char* schema :
       {"", "graphnet.record", "graphnet.record/", "graphnet.record/0", "graphnet.record/-1",
        "graphnet.record/1x", "graphnet.journal/1", "graphnet.record/99999999999999999999"}) {
    Json json = to_json(full_record());
    json["schema"] = schema;
    EXPECT_EQ(record_from_json(json).status().code(), base::Code::kInput) << schema;
  }
}

TEST(Record, EveryKeyOfTheWrongTypeIsAnErrorThatNamesIt) {
  const Json good = to_json(full_record());
  const Json wrong_values[] = {Json::array({1, Json::object()}),
                               Json(1.5),
                               Json("x"),
                               Json(true),
                               Json({{"a", 1}}),
                               Json(-1)};
  for (const auto& [key, value] : good.items()) {
    int refused = 0;
    for (const Json& wrong : wrong_values) {
      Json json = good;
      json[key] = wrong;
      const auto result = record_from_json(json);
      if (result.is_ok()) continue;
      ++refused;
      EXPECT_NE(result.status().message().find(key == "schema" ? "schema" : key), std::string::npos)
          << result.status().to_string();
    }
    EXPECT_GE(refused, 3) << key;
  }
}

TEST(Record, NumbersOutOfRangeAreRefused) {
  Json json = to_json(full_record());
  json["threads"] = std::int64_t{1} << 40;
  EXPECT_FALSE(record_from_json(json).is_ok());
  json = to_json(full_record());
  json["seed"] = -1;
  EXPECT_FALSE(record_from_json(json).is_ok());
  json = to_json(full_record());
  json["peak_rss_bytes"] = std::numeric_limits<std::uint64_t>::max();
  EXPECT_FALSE(record_from_json(json).is_ok());
}

TEST(Record, NotAnObjectIsRefused) {
  for (const Json& json : {Json(), Json(1), Json("x"), Json::array()}) {
    EXPECT_EQ(record_from_json(json).status().code(), base::Code::kInput);
  }
}

TEST(Record, NaNInADurationBecomesNullAndComesBack) {
  Record record = full_record();
  record.eager.trials_ns = {1, std::nan("")};
  record.speedup = std::nan("");
  const auto json = base::parse_json(base::dump_json(to_json(record)), "test");
  const auto back = record_from_json(*json);
  ASSERT_TRUE(back.is_ok()) << back.status().to_string();
  EXPECT_TRUE(std::isnan(back->eager.trials_ns.at(1)));
  EXPECT_EQ(back->speedup, std::nullopt);
}

}  // namespace record_test
}  // namespace graphnet::record
