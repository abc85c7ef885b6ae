// SPDX-License-Identifier: MIT
#include "score/record_row.h"

#include <gtest/gtest.h>

#include "report/graphnet_log.h"
#include "score/upstream_log_row.h"

namespace graphnet::score {
namespace record_row_test {

using base::Json;
using record::Record;

/// Digits of an output that its schedule accepts from level t on; other schedules reject it.
std::string digits(int t, std::size_t schedule) {
  std::string text(64, '0');
  for (int level = t; level <= kLastLevel; ++level) {
    text[level_index(level) * 4 + schedule] = '1';
  }
  // All schedules allow the same at t = 0.
  for (std::size_t i = 0; i < 4; ++i) {
    text[level_index(0) * 4 + i] = text[level_index(0) * 4 + schedule];
  }
  return text;
}
constexpr std::size_t kFloat16 = 0;
constexpr std::size_t kFloat32 = 2;

Record record_of(const std::string& outcome, const std::string& phase = "compare") {
  Record record;
  record.sample = "timm/tiny";
  record.sample_path = "samples/timm/tiny";
  record.family = "timm";
  record.plugin = "xla";
  record.plugin_version = "0.3.0";
  record.plugin_options["level"] = 3;
  record.threads = 2;
  record.outcome = record::Word<record::Outcome>(outcome);
  record.phase = record::Word<record::Phase>(phase);
  record.speedup = 1.25;
  record.eager.median_ns = 2.5e6;
  record.plugin_side.median_ns = 2e6;
  record.environment.cpu_model = "AMD EPYC";
  return record;
}

/// Two float32 outputs, right from -7 and from -5 on.
Record ok_record() {
  Record record = record_of("ok");
  record.eager.output_dtypes = record.plugin_side.output_dtypes = {"float32", "float32"};
  record.correctness["equal"] = {0, 0};
  record.correctness["all_close"] = {digits(-7, kFloat32), digits(-5, kFloat32)};
  return record;
}

TEST(RecordRow, KnowsTheBackend) {
  const Row row = row_of(ok_record(), false);
  EXPECT_EQ(row.sample, "timm/tiny");
  EXPECT_EQ(row.backend.name, "xla");
  const std::map<std::string, std::string> facets = {
      {"source", "journal"},    {"version", "0.3.0"},     {"weights", "bound"},
      {"device", "cpu"},        {"protocol", "upstream"}, {"threads", "2"},
      {"hardware", "AMD EPYC"}, {"option.level", "3"},    {"math", "default"}};
  EXPECT_EQ(row.backend.facets, facets);
  EXPECT_EQ(row.speedup, 1.25);
  EXPECT_EQ(first_correct_level(row), -5);
}

TEST(RecordRow, DevicesOfOneModelShareAColumn) {
  Record first = ok_record();
  Record second = ok_record();
  first.device = "cuda:0";
  second.device = "cuda:1";
  EXPECT_TRUE(row_of(first, false).backend == row_of(second, false).backend);
  EXPECT_FALSE(row_of(first, false).backend == row_of(ok_record(), false).backend);
}

TEST(RecordRow, OfAnotherMathPolicyIsOfAnotherColumn) {
  Record relaxed = ok_record();
  relaxed.math.tf32 = relaxed.math.fast_math = true;
  EXPECT_EQ(row_of(relaxed, false).backend.facets.at("math"), "tf32, fast_math");
  EXPECT_FALSE(row_of(relaxed, false).backend == row_of(ok_record(), false).backend);
}

TEST(RecordRow, ClassifiesOutcomes) {
  struct Case {
    const char* outcome;
    const char* phase;
    Failure failure;
    Failure compat;
  };
  const Case cases[] = {
      {"accuracy_mismatch", "compare", Failure::kNone, Failure::kNone},
      {"non_finite", "compare", Failure::kNonFinite, Failure::kNone},
      {"shape_mismatch", "compare", Failure::kShapeMismatch, Failure::kNone},
      {"count_mismatch", "compare", Failure::kShapeMismatch, Failure::kShapeMismatch},
      {"dtype_mismatch", "compare", Failure::kTypeMismatch, Failure::kShapeMismatch},
      {"unsupported", "compile", Failure::kCompile, Failure::kReference},
      {"compile_failed", "compile", Failure::kCompile, Failure::kReference},
      {"crashed", "bind", Failure::kCompile, Failure::kReference},
      {"timed_out", "compile", Failure::kCompile, Failure::kReference},
      {"timed_out", "run", Failure::kRuntime, Failure::kReference},
      {"out_of_memory", "run", Failure::kRuntime, Failure::kReference},
      {"killed", "compile", Failure::kCompile, Failure::kReference},
      {"plugin_failed", "run", Failure::kRuntime, Failure::kReference},
      {"runtime_failed", "run", Failure::kRuntime, Failure::kReference},
      {"reference_failed", "eager", Failure::kReference, Failure::kReference}};
  for (const Case& one : cases) {
    const Record record = record_of(one.outcome, one.phase);
    EXPECT_EQ(row_of(record, false).failure, one.failure) << one.outcome << " " << one.phase;
    EXPECT_EQ(row_of(record, true).failure, one.compat) << one.outcome << " " << one.phase;
    EXPECT_EQ(row_of(record, false).left_out, "") << one.outcome;
  }
}

TEST(RecordRow, FailsInCompatWhatUpstreamRefuses) {
  Record record = ok_record();
  record.notes = {"batch_norm with eps 0 (upstream refuses it)"};
  EXPECT_EQ(row_of(record, false).failure, Failure::kNone);
  EXPECT_EQ(row_of(record, true).failure, Failure::kReference);
}

TEST(RecordRow, LeavesOutWhatWasNotRun) {
  const std::pair<Record, const char*> cases[] = {
      {record_of("skipped"), "skipped"},
      {record_of("invalid_sample"), "invalid_sample"},
      {record_of("of_another_version"), "of_another_version"},
      {record_of(""), "no outcome"},
      {record_of("plugin_failed", ""), "not usable"}};
  for (const auto& [record, reason] : cases) {
    EXPECT_EQ(row_of(record, false).left_out, reason);
    EXPECT_FALSE(row_of(record, true).can_be_kept);
  }
}

TEST(RecordRow, LeavesOutDoubtfulSpeedups) {
  Record degenerate = ok_record();
  degenerate.degenerate = true;
  Record flagged = ok_record();
  flagged.flags = {record::Flag::kDenormal, record::Flag::kImplausible};
  Record noisy = ok_record();
  noisy.eager.iqr_ns = 0.21 * *noisy.eager.median_ns;
  Record unstable = ok_record();
  unstable.timing.verdict = record::TimingVerdict::kUnstable;
  unstable.eager.iqr_ns = noisy.eager.iqr_ns;  // means nothing under this method
  const std::pair<Record, const char*> cases[] = {
      {degenerate, "degenerate"}, {flagged, "denormal"}, {noisy, "noisy"}, {unstable, "unstable"}};
  for (auto [record, reason] : cases) {
    EXPECT_EQ(row_of(record, false).left_out, reason);
    EXPECT_TRUE(row_of(record, false).can_be_kept);
    record.outcome = record::Outcome::kAccuracyMismatch;
    const bool is_evidence = std::string(reason) == "degenerate";
    EXPECT_EQ(row_of(record, false).left_out, is_evidence ? "" : reason);
    record.outcome = record::Outcome::kCrashed;
    EXPECT_EQ(row_of(record, false).left_out, "") << "a failure needs no speedup";
  }
}

TEST(RecordRow, JudgesLevels) {
  Record nan = ok_record();
  nan.correctness["all_close"] = {digits(6, kFloat32), digits(-5, kFloat32)};
  nan.correctness["statistics"] = {{{"all_close_nan_equal", digits(-6, kFloat32)}}, nullptr};
  EXPECT_EQ(first_correct_level(row_of(nan, false)), -5);
  EXPECT_EQ(first_correct_level(row_of(nan, true)), std::nullopt);

  Record indices = ok_record();
  indices.eager.output_dtypes = {"int64", "float32"};
  EXPECT_EQ(first_correct_level(row_of(indices, false)), std::nullopt);
  indices.checks.indices = {{{"accepted", true}}, nullptr};
  EXPECT_EQ(first_correct_level(row_of(indices, false)), -5);
  EXPECT_EQ(first_correct_level(row_of(indices, true)), std::nullopt);
  indices.outcome = record::Outcome::kAccuracyMismatch;
  EXPECT_EQ(first_correct_level(row_of(indices, false)), std::nullopt);

  Record random = ok_record();
  random.correctness["all_close"][1] = std::string(64, '0');
  random.checks.random = {{1, true, "", {}}};
  EXPECT_EQ(first_correct_level(row_of(random, false)), -7);
  EXPECT_EQ(first_correct_level(row_of(random, true)), std::nullopt);

  Record mixed = ok_record();
  mixed.eager.output_dtypes = {"bool", "float16"};
  mixed.correctness["equal"] = {1, 0};
  mixed.correctness["all_close"] = {"", digits(-2, kFloat16)};
  EXPECT_EQ(first_correct_level(row_of(mixed, false)), -2);
}

TEST(RecordRow, SurvivesBrokenCorrectness) {
  const Json broken[] = {Json::object(),
                         {{"equal", {1, 1}}},
                         {{"equal", 3}},
                         {{"equal", {nullptr, "x"}}, {"all_close", {{1}, "1"}}},
                         {{"equal", {0, 0, 0}}, {"all_close", {std::string(64, '1')}}}};
  for (const Json& correctness : broken) {
    Record record = ok_record();
    record.correctness = correctness;
    record.checks = record::part_from_json<record::Checks>(
        {{"indices", "not known"}, {"random", {1, {{"output", "x"}}}}});
    EXPECT_EQ(first_correct_level(row_of(record, false)), std::nullopt) << correctness;
  }
  Record nothing = ok_record();
  nothing.correctness = Json::object();
  nothing.eager.output_dtypes.clear();
  EXPECT_EQ(first_correct_level(row_of(nothing, false)), -10) << "a sample without outputs";
}

/// What a record means in compat is what upstream's analysis reads from the lines that are printed
/// for it; by default a log loses no class either.
TEST(RecordRow, AgreesWithTheLogOfTheRecord) {
  std::vector<Record> records;
  for (const char* outcome :
       {"ok", "accuracy_mismatch", "shape_mismatch", "count_mismatch", "dtype_mismatch",
        "compile_failed", "unsupported", "reference_failed"}) {
    Record record = ok_record();
    record.outcome = record::Word<record::Outcome>(outcome);
    record.eager.trials_ns = record.plugin_side.trials_ns = {2e6};
    if (record.outcome == record::Outcome::kShapeMismatch)
      record.correctness["all_close"] = {"", ""};
    if (record.outcome == record::Outcome::kCountMismatch) {
      record.plugin_side.output_dtypes.pop_back();
    }
    if (record.outcome == record::Outcome::kDtypeMismatch) {
      record.plugin_side.output_dtypes[1] = "float16";
    }
    if (record.outcome == record::Outcome::kCompileFailed) record.plugin_side.trials_ns.clear();
    records.push_back(record);
    record.device = "cuda:0";
    record.timing.event_ns = {{"eager", {1e6}}, {"plugin", {2e6}}};
    record.proof.device.busy_ns = record.proof.device.eager_calls.busy_ns = 1e5;
    records.push_back(record);
  }
  for (const Record& record : records) {
    report::GraphnetLogStyle style;
    style.kernel_time = true;
    const std::string log = report::graphnet_log(record, style);
    for (const bool compat : {false, true}) {
      const auto samples = read_upstream_log(log, compat);
      ASSERT_EQ(samples.size(), 1U) << log;
      const Row from_log = row_of(samples[0], compat);
      const Row from_record = row_of(record, compat);
      EXPECT_EQ(from_log.sample, from_record.sample);
      EXPECT_EQ(from_log.correct, from_record.correct) << record.outcome;
      // A log does not say that shapes differ, only that nothing is close.
      const bool is_lost = !compat && record.outcome == record::Outcome::kShapeMismatch;
      EXPECT_EQ(from_log.failure, is_lost ? Failure::kNone : from_record.failure) << log;
    }
  }
}

}  // namespace record_row_test
}  // namespace graphnet::score
