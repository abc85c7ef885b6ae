// SPDX-License-Identifier: MIT
#include "report/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "report/terminal_text.h"

namespace graphnet::report {
namespace table_test {

RunFacts facts() {
  RunFacts facts;
  facts.version = "0.1.0";
  facts.protocol = "upstream";
  facts.device = "cpu";
  facts.hardware = "AMD EPYC";
  facts.threads = 2;
  facts.seed = 123;
  facts.samples = {"timm/resnet10t", "torchvision/vit_b_32", "ultralytics/yolo11n"};
  facts.plugins = {"nope", "xla+rewrites"};
  return facts;
}

record::Record ok_record(const std::string& sample, double speedup) {
  record::Record record;
  record.sample = sample;
  record.plugin = "nope";
  record.outcome = record::Outcome::kOk;
  record.verdict = record::Verdict("eager");
  record.eager.median_ns = 1.87e6;
  record.plugin_side.compile_ns = 12.3e6;
  record.plugin_side.first_call_ns = 25.1e6;
  record.plugin_side.median_ns = 1.84e6;
  record.plugin_side.iqr_ns = 0.011e6;
  record.speedup = speedup;
  return record;
}

record::Record failed_record(const std::string& outcome, const std::string& message) {
  record::Record record;
  record.sample = "ultralytics/yolo11n";
  record.plugin = "xla";
  record.plugin_variant = "xla+rewrites";
  record.outcome = record::Word<record::Outcome>(outcome);
  record.message = message;
  return record;
}

TableStyle at(int width) {
  TableStyle style;
  style.width = width;
  return style;
}

TableStyle coloured_style() {
  TableStyle style;
  style.color = true;
  return style;
}

std::string table(const TableStyle& style) {
  std::ostringstream out;
  RunTable table(out, style, facts());
  table.row(ok_record("timm/resnet10t", 1.02));
  auto degenerate = ok_record("torchvision/vit_b_32", 3);
  degenerate.degenerate = true;
  degenerate.plugin_side.iqr_ns = 0.5e6;
  table.row(degenerate);
  auto noisy = ok_record("timm/resnet26", 9);
  noisy.eager.median_ns = 1e6;
  noisy.eager.iqr_ns = 0.3e6;
  table.row(noisy);
  table.row(
      failed_record("unsupported", "aten.grid_sampler_2d (1 node): no lowering\nsecond line"));
  auto timed_out = failed_record("timed_out", "no answer for 600 s");
  timed_out.sample = "ultralytics/yolo8";
  table.row(timed_out);
  auto skipped = failed_record("skipped", "");
  skipped.sample = "ultralytics/yolo9";
  table.row(skipped);
  table.summary({58.2, "results/2026-11-21T0540Z-7f3a.jsonl", {"one sample has batch_norm eps 0"}});
  return out.str();
}

TEST(RunTable, Golden) {
  EXPECT_EQ(
      table({}),
      R"(graphnet 0.1.0 · upstream protocol · cpu AMD EPYC, 2 threads · seed 123 · 3 samples x 2 plugins

sample               backend      outcome     eager     plugin speedup [interval]   timing   verdict
timm/resnet10t       nope         ok        1.87 ms    1.84 ms  1.02x               ± 0.6 %  eager
torchvision/vit_b_32 nope         ok        1.87 ms    1.84 ms  3.00x               ± 27 %   eager, degenerate, noisy
timm/resnet26        nope         ok        1.00 ms    1.84 ms  9.00x               ± 0.6 %  eager, noisy
ultralytics/yolo11n  xla+rewrites unsupported  aten.grid_sampler_2d (1 node): no lowering second line
ultralytics/yolo8    xla+rewrites timed_out  no answer for 600 s
ultralytics/yolo9    xla+rewrites skipped

3 ok, 2 failed (1 unsupported, 1 timed_out), 1 skipped in 58 s

geometric mean  common samples: 1     own samples                ok      in no mean
nope            1.020x (no interval)  1.020x (no interval) of 1  3 of 3  1 degenerate, 1 noisy
xla+rewrites    -                     -                          0 of 3  1 skipped, 1 timed_out, 1 unsupported
not ok, by reason:
  unsupported (xla+rewrites): aten.grid_sampler_2d (1 node): no lowering second line, 1 sample: ultralytics/yolo11n
  timed_out (xla+rewrites): no answer for 600 s, 1 sample: ultralytics/yolo8
  skipped (xla+rewrites): 1 sample: ultralytics/yolo9
note: one sample has batch_norm eps 0
note: protocol upstream times one side after the other, on one input: a speedup within 10 % of 1 is noise, ± is the spread of one side, and stored results would not show in the timed calls
results: results/2026-11-21T0540Z-7f3a.jsonl
nope is 1.02x faster than eager on 1 sample; no speedup that counts: xla+rewrites; failed: 2 samples (xla+rewrites)
)");
}

record::Record paired_record(const std::string& sample, double speedup, const char* verdict) {
  record::Record record = ok_record(sample, speedup);
  record.timing.verdict = record::Word<record::TimingVerdict>(verdict);
  record.timing.speedup_low = speedup - 0.005;
  record.timing.speedup_high = speedup + 0.005;
  record.timing.same_within = 0.008;
  return record;
}

TEST(RunTable, PairedTimesHaveIntervalsAndWords) {
  std::ostringstream out;
  RunFacts paired = facts();
  paired.protocol = "standard";
  RunTable table(out, {}, paired);
  journal::Control control;
  control.experiments = 9;
  control.noise_floor = 0.0042;
  control.bias = 0.0005;
  table.control(control);
  table.row(paired_record("timm/resnet10t", 1.25, "faster"));
  table.row(paired_record("timm/a", 1.003, "faster"));
  table.row(paired_record("timm/b", 1.003, "same"));
  table.row(paired_record("torchvision/vit_b_32", 0.8, "unstable"));
  record::Record impossible = paired_record("ultralytics/yolo11n", 400, "faster");
  impossible.flags = {record::Flag::kImplausible};
  impossible.checks.other_inputs = {
      {"seed 124", record::Outcome::kAccuracyMismatch, "", {}, {}},
      {"zeros", record::Outcome::kOk, "", {}, {}},
      {"large", record::Outcome::kNonFinite, "", {}, {}},
      {"tiny", record::OtherInput::not_tried("out of time"), "", {}, {}}};
  impossible.checks.second_weights.outcome = record::SecondWeights::not_tried();
  impossible.checks.second_weights.message = "memory: need 9 GiB";
  table.row(impossible);
  record::Record empty = paired_record("ultralytics/empty", 400, "faster");
  empty.verdict = record::Verdict("empty");
  table.row(empty);
  table.summary({58.2, "", {}});
  EXPECT_EQ(
      out.str(),
      R"(graphnet 0.1.0 · standard protocol · cpu AMD EPYC, 2 threads · seed 123 · 3 samples x 2 plugins

sample               backend      outcome     eager     plugin speedup [interval]   timing   verdict
noise floor: 0.42 % (eager vs eager, 9 runs, mean +0.05 %)
timm/resnet10t       nope         ok        1.87 ms    1.84 ms  1.25x [1.25, 1.25]  faster   eager
timm/a               nope         ok        1.87 ms    1.84 ms  1.00x [1.00, 1.01]  noise    eager
timm/b               nope         ok        1.87 ms    1.84 ms  1.00x [1.00, 1.01]  same     eager
torchvision/vit_b_32 nope         ok        1.87 ms    1.84 ms  0.80x [0.80, 0.81]  unstable eager
ultralytics/yolo11n  nope         ok        1.87 ms    1.84 ms 400.00x [400.00, 400.00] faster eager, implausible, fails on 1 of 2 extreme inputs, second weights not tried
ultralytics/empty    nope         ok        1.87 ms    1.84 ms 400.00x [400.00, 400.00] faster empty

6 ok in 58 s

geometric mean  own samples                 ok      in no mean
nope            1.079x [1.003, 1.250] of 3  6 of 6  1 empty, 1 implausible, 1 unstable
nope is 1.08x faster than eager on 3 samples
)");
}

TEST(RunTable, RowsOfBothMethodsFitOneHeader) {
  std::ostringstream out;
  RunFacts both = facts();
  both.protocol = "standard, upstream";
  RunTable table(out, {}, both);
  table.row(paired_record("timm/resnet10t", 1.25, "faster"));
  record::Record upstream = paired_record("timm/other", 1.25, "faster");
  upstream.timing = record::Timing();
  upstream.plugin_side.iqr_ns = 0.022 * *upstream.plugin_side.median_ns;
  table.row(upstream);
  table.summary({58.2, "", {}});
  EXPECT_EQ(
      out.str(),
      R"(graphnet 0.1.0 · standard, upstream protocol · cpu AMD EPYC, 2 threads · seed 123 · 3 samples x 2 plugins

sample               backend      outcome     eager     plugin speedup [interval]   timing   verdict
timm/resnet10t       nope         ok        1.87 ms    1.84 ms  1.25x [1.25, 1.25]  faster   eager
timm/other           nope         ok        1.87 ms    1.84 ms  1.25x               ± 2.2 %  eager

2 ok in 58 s

geometric mean  own samples                 ok      in no mean
nope            1.250x [1.250, 1.250] of 2  2 of 2
note: protocol upstream times one side after the other, on one input: a speedup within 10 % of 1 is noise, ± is the spread of one side, and stored results would not show in the timed calls
nope is 1.25x faster than eager on 2 samples
)");
}

std::string row_of(const record::Record& record) {
  std::ostringstream out;
  RunTable table(out, {}, facts());
  const std::size_t before = out.str().size();
  table.row(record);
  return out.str().substr(before);
}

TEST(RunTable, TheLargestErrorIsAColumnOnDemand) {
  record::Record record = ok_record("timm/resnet10t", 1.02);
  const auto shown = [&](const base::Json& errors) {
    record.correctness["largest_error"] = errors;
    return columns_named("error")->at(0).text(record, 0);
  };
  EXPECT_EQ(shown({3.4e-7, nullptr, 1e-9}), "3e-7");
  EXPECT_EQ(shown({0, 12.2}), "1e1");
  EXPECT_EQ(shown({0.02}), "2e-2");
  EXPECT_EQ(shown({2.2e-16, 0}), "2e-16");
  EXPECT_EQ(shown({0, 0}), "0");
  EXPECT_EQ(shown({nullptr}), "-");
  EXPECT_EQ(shown({0, "inf"}), "inf");
}

TEST(RunTable, OutputsThatLendNoEvidenceShow) {
  record::Record record = ok_record("timm/resnet10t", 1.02);
  record.correctness["evidence"] = {"", "nan", "constant", "nan"};
  EXPECT_NE(row_of(record).find("eager, no evidence in 3 of 4 outputs (constant, nan)\n"),
            std::string::npos)
      << row_of(record);
  record.correctness["evidence"] = {"nan"};
  record.degenerate = true;
  EXPECT_NE(row_of(record).find("eager, degenerate\n"), std::string::npos) << row_of(record);
}

TEST(RunTable, AnotherSeedAndWhatIsIllConditionedAreNoExtremeInputs) {
  record::Record record = ok_record("timm/resnet10t", 1.02);
  for (const char* content : {"seed 124", "zeros"}) {
    record.checks.other_inputs.push_back(
        {content, record::OtherInput::ill_conditioned(), "", {}, {}});
  }
  EXPECT_EQ(row_of(record).find("fails"), std::string::npos) << row_of(record);
}

TEST(RunTable, AClaimWithoutASpeedupIsNoCrash) {
  std::ostringstream out;
  RunFacts paired = facts();
  RunTable table(out, {}, paired);
  record::Record record = paired_record("timm/resnet10t", 2, "faster");
  record.speedup.reset();
  table.row(record);
  EXPECT_NE(out.str().find("faster"), std::string::npos);
}

RunFacts long_facts() {
  RunFacts long_names = facts();
  long_names.samples = {"transformers-auto-model/hf-tiny-model-private_tiny-random-BeitModel"};
  long_names.plugins = {"nope", "xla+rewrites"};
  return long_names;
}

/// Everything that can be wide, at a width.
std::string wide_table(int width) {
  std::ostringstream out;
  TableStyle style;
  style.width = width;
  RunTable table(out, style, long_facts());
  auto record = paired_record(long_facts().samples[0], 29.47, "unstable");
  record.timing.speedup_low = 24;
  record.timing.speedup_high = 39.1;
  record.eager.median_ns = 611.27e3;
  record.plugin_variant = "xla+rewrites";
  record.verdict = record::Verdict("mixed(aten.sort, aten.topk)");
  record.flags = {record::Flag::kImplausible};
  table.row(record);
  record.verdict = record::Verdict("proven");
  record.flags.clear();
  table.row(record);
  table.row(failed_record("unsupported",
                          "aten::grid_sampler_2d (1 node): no lowering, and more "
                          "words than there is room for at any of the widths"));
  table.summary({58.2, "r.jsonl", {"a note that has more words than fit into one line of eighty"}});
  return out.str();
}

TEST(RunTable, LinesFitTheTerminalAndOneHundredCells) {
  for (const int width : {20, 40, 60, 80, 90, 100, 120, 160}) {
    for (const std::string& text : {table(at(width)), wide_table(width)}) {
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        // The line of counts and paths are whole everywhere.
        if (width < 80 && line.find(" failed ") != std::string::npos) break;
        EXPECT_LE(display_width(line), std::min(width, 100)) << line;
      }
    }
  }
}

TEST(RunTable, NothingIsCutOffFromEightyCellsOn) {
  for (const int width : {80, 100, 160}) {
    const std::string text = wide_table(width);
    for (const char* wanted :
         {"611.27 us", "29.47x [24.00, 39.10]", "unstable", "proven", "implausible", "widths"}) {
      EXPECT_NE(text.find(wanted), std::string::npos) << wanted << " is not in\n" << text;
    }
  }
}

TEST(RunTable, LongSamplesAreShortenedInTheMiddleOrStandAbove) {
  EXPECT_NE(wide_table(100).find("\ntransform…-BeitModel xla+rewrites ok "), std::string::npos)
      << wide_table(100);
  EXPECT_NE(wide_table(80).find("\n" + long_facts().samples[0] + "\n xla+rewrites ok "),
            std::string::npos)
      << wide_table(80);
}

TEST(RunTable, RemarksBesideAVerdictGoToTheNextLineWithoutIt) {
  auto record = paired_record(long_facts().samples[0], 2, "faster");
  record.plugin_variant = "xla+rewrites";
  record.verdict = record::Verdict("proven");
  record.flags = {record::Flag::kImplausible};
  std::ostringstream out;
  RunTable table(out, at(100), long_facts());
  table.row(record);
  EXPECT_NE(out.str().find(" proven\n    implausible\n"), std::string::npos) << out.str();
}

TEST(RunTable, SaysWhatToDoIfHalfOfTheResultsAreUnstable) {
  const auto notes_of = [](const std::vector<const char*>& timings) {
    std::ostringstream out;
    RunTable table(out, {}, facts());
    for (std::size_t i = 0; i < timings.size(); ++i) {
      table.row(paired_record("timm/" + std::to_string(i), 2, timings[i]));
    }
    table.summary({1, "", {}});
    return out.str().find("are unstable: ") != std::string::npos;
  };
  EXPECT_TRUE(notes_of({"unstable", "unstable", "faster"}));
  EXPECT_FALSE(notes_of({"unstable", "faster", "faster", "faster"}));
  EXPECT_FALSE(notes_of({"unstable"}));
}

TEST(RunTable, SaysThatColumnsAreCutOff) {
  const auto cut_at = [](int width) {
    std::ostringstream out;
    TableStyle style = at(width);
    style.columns = *columns_named("+compile,p99,memory");
    const RunTable table(out, style, long_facts());
    return out.str().find("columns do not fit") != std::string::npos;
  };
  EXPECT_TRUE(cut_at(80));
  EXPECT_FALSE(cut_at(160));
  EXPECT_FALSE(cut_at(0));
}

TEST(RunTable, ColumnsCanBeChosen) {
  const auto chosen = columns_named("p90,throughput");
  ASSERT_TRUE(chosen.is_ok());
  std::ostringstream out;
  TableStyle style;
  style.columns = *chosen;
  RunTable table(out, style, facts());
  auto record = ok_record("timm/resnet10t", 2);
  record.plugin_side.trials_ns = {1e6, 2e6, 3e6};
  table.row(record);
  EXPECT_NE(out.str().find("  p90    throughput\n"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("  2.80 ms      543.5 /s\n"), std::string::npos) << out.str();
}

TEST(TableColumns, AListThatBeginsWithPlusComesAfterTheDefaultOnes) {
  const auto columns = columns_named("+kept,compile");
  ASSERT_TRUE(columns.is_ok());
  std::string names;
  for (const TableColumn& column : *columns) names += std::string(column.name) + " ";
  EXPECT_EQ(names, "eager plugin speedup timing kept compile verdict ");
}

TEST(TableColumns, UnknownNamesGetSuggestions) {
  const auto columns = columns_named("eager,trouhgput");
  ASSERT_FALSE(columns.is_ok());
  EXPECT_EQ(columns.status().code(), base::Code::kUsage);
  EXPECT_NE(columns.status().to_string().find("'throughput'"), std::string::npos);
  EXPECT_FALSE(columns_named("").is_ok());
  EXPECT_FALSE(columns_named("+").is_ok());
}

TEST(TableColumns, MemoryAndKeptBytesHaveOneUnit) {
  record::Record record = ok_record("timm/resnet10t", 2);
  record.plugin_side.peak_rss_bytes = 148303872;
  record.plugin_side.kept_bytes = 1536;
  EXPECT_EQ(columns_named("memory")->at(0).text(record, 0), "141.4 MiB");
  EXPECT_EQ(columns_named("kept")->at(0).text(record, 0), "0.0 MiB");
}

TEST(DurationCell, HasTwoDecimals) {
  EXPECT_EQ(duration_cell(41), "41.00 ns");
  EXPECT_EQ(duration_cell(4514), "4.51 us");
  EXPECT_EQ(duration_cell(611270), "611.27 us");
  EXPECT_EQ(duration_cell(999994e3), "999.99 ms");
  EXPECT_EQ(duration_cell(999996e3), "1.00 s");
}

TEST(RunTable, ErrorsOnlyShowsWhatFails) {
  TableStyle style;
  style.errors_only = true;
  std::ostringstream out;
  RunTable table(out, style, facts());
  table.control({});
  table.row(ok_record("timm/resnet10t", 2));
  table.row(failed_record("skipped", "too large"));
  table.summary({58.2, "r.jsonl", {}});
  EXPECT_EQ(out.str(), "");
  table.row(failed_record("crashed", "SIGSEGV"));
  EXPECT_EQ(out.str(), "ultralytics/yolo11n  xla+rewrites crashed  SIGSEGV\n");
}

TEST(RunTable, EarlierRecordsCountButHaveNoRow) {
  std::ostringstream out;
  RunTable table(out, {}, facts());
  table.earlier(ok_record("before", 2));
  table.row(ok_record("timm/resnet10t", 8));
  table.summary({});
  EXPECT_EQ(out.str().find("before"), std::string::npos);
  EXPECT_NE(out.str().find("nope is 4.00x faster than eager on 2 samples"), std::string::npos)
      << out.str();
}

TEST(RunTable, ColourIsDecorationOnly) {
  const std::string plain = table({});
  std::string stripped;
  const std::string decorated = table(coloured_style());
  for (std::size_t i = 0; i < decorated.size(); ++i) {
    if (decorated[i] == '\x1b') {
      i = decorated.find('m', i);
    } else {
      stripped += decorated[i];
    }
  }
  EXPECT_NE(decorated, plain);
  EXPECT_EQ(stripped, plain);
}

TEST(RunTable, HostileNamesCannotForgeARow) {
  std::ostringstream out;
  RunTable table(out, {}, facts());
  const std::string before = out.str();
  table.row(failed_record("crashed", "a\n  fake  nope  ok\x1b[2J\r"));
  const std::string row = out.str().substr(before.size());
  EXPECT_EQ(row.find('\x1b'), std::string::npos);
  EXPECT_EQ(row.find('\n'), row.size() - 1);
}

TEST(RunTable, GeometricMeanOverOkRowsPerPlugin) {
  std::ostringstream out;
  RunTable table(out, {}, facts());
  table.row(ok_record("a", 0.5));
  table.row(ok_record("b", 4.5));
  auto other = ok_record("b", 3);
  other.plugin_variant = "xla+rewrites";
  table.row(other);
  auto wrong = ok_record("c", 100);
  wrong.outcome = record::Outcome::kAccuracyMismatch;
  table.row(wrong);
  table.summary({});
  EXPECT_NE(out.str().find("nope            4.500x (no interval)  1.500x [0.500, 4.500] of 2"),
            std::string::npos)
      << out.str();
  EXPECT_NE(out.str().find("xla+rewrites    3.000x (no interval)  3.000x (no interval) of 1"),
            std::string::npos)
      << out.str();
  EXPECT_EQ(out.str().find("results:"), std::string::npos);
}

TEST(RunTable, WhatIsNotCountedIsNoFailure) {
  std::ostringstream out;
  RunTable table(out, {}, facts());
  table.row(ok_record("a", 2));
  auto invalid = failed_record("invalid_sample", "no model.py");
  invalid.phase = record::Phase::kLoad;
  table.row(invalid);
  auto refused = failed_record("plugin_failed", "its library is missing");
  refused.sample = "refused";
  table.row(refused);
  auto doubtful = ok_record("b", 50);
  doubtful.outcome = record::Outcome::kAccuracyMismatch;
  doubtful.flags = {record::Flag::kImplausible};
  table.row(doubtful);
  table.summary({});
  EXPECT_NE(
      out.str().find("\n1 ok, 1 failed (1 accuracy_mismatch), 1 invalid_sample, 1 not usable\n"),
      std::string::npos)
      << out.str();
}

}  // namespace table_test
}  // namespace graphnet::report
