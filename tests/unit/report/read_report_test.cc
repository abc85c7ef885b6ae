// SPDX-License-Identifier: MIT
#include "report/read_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "journal/control.h"
#include "report/summary.h"
#include "support/synthetic_records.h"
#include "support/temp_dir.h"

namespace graphnet::report {
namespace read_report_test {

constexpr const char* kHeader =
    "{\"schema\":\"graphnet.journal/1\",\"record_schema\":\"graphnet.record/1\"}\n";

std::string lines(const std::vector<record::Record>& records) {
  std::string text = kHeader;
  for (const record::Record& record : records) {
    text += base::dump_json(record::to_json(record)) + "\n";
  }
  return text;
}

record::Record ok_record(const std::string& name, double speedup, const char* word) {
  record::Record record = tests::SyntheticSweep(1, 1).record(0);
  record.sample = name;
  record.family = "timm";
  record.outcome = record::Outcome::kOk;
  record.flags.clear();
  record.degenerate = false;
  record.eager.output_dtypes = {"float32"};
  record.speedup = speedup;
  record.timing.verdict = record::Word<record::TimingVerdict>(word);
  return record;
}

TEST(ReadReport, GathersWhatJournalsSay) {
  record::Record wrong = ok_record("timm/wrong", 1, "same");
  wrong.outcome = record::Outcome::kAccuracyMismatch;
  wrong.speedup.reset();
  wrong.timing = record::Timing();
  record::Record skipped = ok_record("timm/skipped", 1, "same");
  skipped.outcome = record::Outcome::kSkipped;
  record::Record flagged = ok_record("timm/flagged", 50, "faster");
  flagged.flags = {record::Flag::kImplausible};
  journal::Control control;
  control.noise_floor = 0.03;
  const tests::TempDir temp;
  const auto file = temp.write(
      "a.jsonl", lines({ok_record("timm/a", 1.02, "faster"), ok_record("timm/b", 2, "faster"),
                        wrong, skipped, flagged, ok_record("timm/a", 1.01, "slower")}) +
                     base::dump_json(journal::to_json(control)) + "\n");
  const auto report = read_report({file}, {});
  ASSERT_TRUE(report.is_ok()) << report.status().to_string();
  EXPECT_EQ(report->backends, std::vector<std::string>{"nope"});
  EXPECT_EQ(report->noise_floor, 0.03);
  ASSERT_EQ(report->est.size(), 1U);
  EXPECT_EQ(report->est[0].points.size(), 15U);
  EXPECT_EQ(report->rows.size(), 5U) << "of two results of a sample the later one is shown";
  const BackendSummary summary = summarise(*report)[0];
  EXPECT_EQ(summary.num_samples, 4);
  EXPECT_EQ(summary.num_ok, 3);
  EXPECT_EQ(counts_text(summary.failures), "1 accuracy_mismatch");
  EXPECT_EQ(counts_text(summary.not_run), "1 skipped");
  EXPECT_EQ(counts_text(summary.left_out), "1 implausible");
  EXPECT_EQ(counts_text(summary.timing), "2 faster, 1 noise");
  EXPECT_NEAR(summary.speedup.value, std::sqrt(1.01 * 2), 1e-9);
}

/// The terminal says the same of the same records: RunTable.WhatIsNotCountedIsNoFailure.
TEST(ReadReport, WhatIsNotCountedIsNoFailure) {
  record::Record invalid = ok_record("timm/invalid", 1, "same");
  invalid.outcome = record::Outcome::kInvalidSample;
  record::Record refused = ok_record("timm/refused", 1, "same");
  refused.outcome = record::Outcome::kPluginFailed;
  refused.phase = record::Phase::kNone;
  record::Record doubtful = ok_record("timm/doubtful", 50, "faster");
  doubtful.outcome = record::Outcome::kAccuracyMismatch;
  doubtful.flags = {record::Flag::kImplausible};
  const tests::TempDir temp;
  const auto report = read_report({temp.write("a.jsonl", lines({ok_record("timm/a", 2, "faster"),
                                                                invalid, refused, doubtful}))},
                                  {});
  ASSERT_TRUE(report.is_ok()) << report.status().to_string();
  const BackendSummary summary = summarise(*report)[0];
  EXPECT_EQ(summary.num_ok, 1);
  EXPECT_EQ(counts_text(summary.failures), "1 accuracy_mismatch");
  EXPECT_EQ(counts_text(summary.not_run), "1 invalid_sample, 1 not usable");
}

TEST(ReadReport, HasQuantilesOfCallsWhereItReadsThem) {
  const tests::TempDir temp;
  const auto file = temp.write("a.jsonl", lines({ok_record("timm/a", 2, "faster")}));
  ReadReportSettings settings;
  EXPECT_FALSE(read_report({file}, settings)->rows.at(0).plugin_p90_ns);
  settings.depth = journal::JournalDepth::kAll;
  EXPECT_TRUE(read_report({file}, settings)->rows.at(0).plugin_p90_ns);
}

TEST(ReadReport, TellsTheCommandsOfMergedFilesAndTheConditions) {
  const tests::TempDir temp;
  std::string text = lines({ok_record("timm/a", 1.5, "faster")});
  text.replace(0, text.find('\n'),
               R"({"schema":"graphnet.journal/1","record_schema":"graphnet.record/1",)"
               R"("merged":[{"command":"graphnet run a"},{"command":"graphnet run b"},{}]})");
  const auto report = read_report({temp.write("a.jsonl", text)}, {});
  ASSERT_TRUE(report.is_ok()) << report.status().to_string();
  const std::pair<std::string, std::string> command{"command", "graphnet run a; graphnet run b"};
  EXPECT_NE(std::find(report->facts.begin(), report->facts.end(), command), report->facts.end());
  ASSERT_EQ(report->conditions.size(), 1U);
  EXPECT_EQ(report->conditions[0].rfind("standard protocol, cpu, 2 threads", 0), 0U)
      << report->conditions[0];
}

TEST(ReadReport, EveryResultIsInTheDenominatorOfShares) {
  record::Record skipped = ok_record("timm/skipped", 1, "same");
  skipped.outcome = record::Outcome::kSkipped;
  record::Record crashed = ok_record("timm/crashed", 1, "same");
  crashed.outcome = record::Outcome::kCrashed;
  crashed.phase = record::Phase::kRun;
  const tests::TempDir temp;
  const auto report =
      read_report({temp.write("a.jsonl", lines({ok_record("timm/a", 2, "faster"), skipped, crashed,
                                                ok_record("timm/unstable", 2, "unstable")}))},
                  {});
  ASSERT_TRUE(report.is_ok()) << report.status().to_string();
  const SpeedupGroup group = speedup_groups(*report).at(0);
  EXPECT_EQ(group.num_failed(), 1);
  EXPECT_EQ(group.num_samples(), 4);
}

TEST(ReadReport, ByFileIsABackendAFile) {
  const tests::TempDir temp;
  const auto one = temp.write("one.jsonl", lines({ok_record("timm/a", 1.5, "faster")}));
  const auto two = temp.write("two.jsonl", lines({ok_record("timm/a", 2.5, "faster")}));
  ReadReportSettings settings;
  settings.by_file = true;
  const auto report = read_report({one, two}, settings);
  ASSERT_TRUE(report.is_ok()) << report.status().to_string();
  EXPECT_EQ(report->backends, (std::vector<std::string>{"nope (one)", "nope (two)"}));
}

TEST(ReadReport, NoResultIsAnError) {
  const tests::TempDir temp;
  EXPECT_FALSE(read_report({temp.path() / "none.jsonl"}, {}).is_ok());
  EXPECT_FALSE(read_report({temp.write("empty.jsonl", kHeader)}, {}).is_ok());
}

}  // namespace read_report_test
}  // namespace graphnet::report
