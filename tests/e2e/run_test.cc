// SPDX-License-Identifier: MIT
// `graphnet run --config nope.yaml` on the bundled samples, against what upstream computed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/json.h"
#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/refused_call.h"
#include "support/run_program.h"
#include "support/temp_dir.h"
#include "support/upstream_golden.h"

namespace graphnet::tests {
namespace run_test {

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kSamples = source_dir() + "/samples";
const std::string kConfigs = source_dir() + "/configs";

std::map<std::string, base::Json> load_goldens() {
  std::map<std::string, base::Json> goldens;
  for (base::Json& golden : read_upstream_goldens(source_dir() + "/tests/golden/shared.jsonl")) {
    const auto name = golden["sample"].get<std::string>();
    goldens[name] = std::move(golden);
  }
  return goldens;
}

// As in a sandbox whose kernel lacks what Linux has; zygote, worker and what they leave included.
TEST(Run, NeedsNoPidfd) {
  const TempDir folder;
  const std::string sample = kSamples + "/transformers-auto-model/sadhaklal_mlp-iris";
  EXPECT_EXIT(
      {
        if (!refuse_call(SYS_pidfd_open, ENOSYS)) ::_exit(1);
        const ProgramEnd end =
            run_program({kProgram, "run", sample, "--config", kConfigs + "/nope.yaml", "--protocol",
                         "smoke", "-o", (folder.path() / "results.jsonl").string()},
                        {}, folder.path() / "log");
        std::fputs(end.output.c_str(), stderr);
        ::_exit(end.state.exit_code.value_or(1));
      },
      testing::ExitedWithCode(0), "1 ok in ");
}

TEST(Run, BundledSamplesEqualUpstream) {
  const TempDir folder;
  const auto journal = folder.path() / "results.jsonl";
  const ProgramEnd end =
      run_program({kProgram, "run", kSamples, "--config", kConfigs + "/nope.yaml", "--threads", "1",
                   "--protocol", "upstream", "--warmup", "0", "--trials", "1", "--digest", "-o",
                   journal.string()},
                  {}, folder.path() / "log");
  ASSERT_EQ(end.state.exit_code, 0) << end.output;
  const auto content = journal::read_journal(journal);
  ASSERT_TRUE(content.is_ok()) << content.status().to_string();
  const auto goldens = load_goldens();
  ASSERT_EQ(goldens.size(), 13U);
  ASSERT_EQ(content->records.size(), goldens.size());
  int num_bit_equal = 0;
  int num_compared = 0;
  for (const record::Record& record : content->records) {
    const std::string& name = record.sample;
    ASSERT_EQ(goldens.count(name), 1U) << name;
    const base::Json& golden = goldens.at(name);
    EXPECT_EQ(record.outcome, record::Outcome::kOk) << name << ": " << record.message;
    EXPECT_EQ(record.verdict.text(), "eager") << name;
    EXPECT_EQ(record.environment.libtorch_threads, 1) << name;
    EXPECT_EQ(record.digest["arguments"]["sha256"], golden["inputs"]["sha256"]) << name;
    EXPECT_EQ(record.digest["arguments"]["bytes"], golden["inputs"]["bytes"]) << name;
    const base::Json& ours = record.digest["eager_outputs"];
    EXPECT_EQ(ours, record.digest["plugin_outputs"]) << name;
    if (golden["status"] != "ok") {
      // Refused by torch's Python layer only; we run it and say so.
      ASSERT_EQ(record.notes.size(), 2U) << name;
      EXPECT_NE(record.notes[0].find("eps 0"), std::string::npos) << record.notes[0];
      EXPECT_EQ(record.notes[1].rfind("unchecked: ", 0), 0U) << record.notes[1];
      continue;
    }
    ASSERT_EQ(ours.size(), golden["outputs"].size()) << name;
    bool equal = true;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      equal = equal && ours[i]["sha256"] == golden["outputs"][i]["sha256"];
      expect_near_golden(ours[i], golden["outputs"][i], name + " output " + std::to_string(i));
    }
    num_bit_equal += equal ? 1 : 0;
    ++num_compared;
  }
  std::cout << num_bit_equal << " of " << num_compared
            << " samples give outputs equal to the bit on this processor\n";
  EXPECT_EQ(num_compared, 12);
}

TEST(Run, PrintsTableAndNextSteps) {
  const TempDir folder;
  const ProgramEnd end =
      run_program({kProgram, "run", kSamples + "/transformers-auto-model/sadhaklal_mlp-iris",
                   "--config", kConfigs + "/nope.yaml", "--threads", "1", "--protocol", "smoke",
                   "-o", (folder.path() / "r.jsonl").string()},
                  {}, folder.path() / "log");
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  for (const char* wanted :
       {"smoke protocol", "sample", "outcome", "speedup [interval]",
        "noise floor: ", "sadhaklal_mlp-iris", "nope", "ok", "eager", "1 ok", "results: "}) {
    EXPECT_NE(end.output.find(wanted), std::string::npos) << wanted << " is not in\n" << end.output;
  }
}

/// Standard output of a short measurement with --json.
std::string measure_in_json() {
  const TempDir folder;
  const auto out = folder.path() / "out";
  const ProgramEnd end = run_program(
      {"/bin/sh", "-c",
       kProgram + " run " + kSamples + "/transformers-auto-model/sadhaklal_mlp-iris --config " +
           kConfigs + "/nope.yaml --threads 1 --protocol smoke --json -o " +
           (folder.path() / "r.jsonl").string() + " > " + out.string()},
      {}, folder.path() / "log");
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  return read_text(out);
}

TEST(Run, JsonPrintsOneRecordALine) {
  constexpr int kMostRuns = 3;
  std::string text = measure_in_json();
  auto json = base::parse_json(text, "stdout");
  // On a busy machine too few pairs may count for an interval.
  for (int i = 1; i < kMostRuns && json.is_ok(); ++i) {
    if ((*json)["outcome"] != "ok" || (*json)["timing"].contains("speedup_low")) break;
    text = measure_in_json();
    json = base::parse_json(text, "stdout");
  }
  ASSERT_TRUE(json.is_ok()) << text;
  EXPECT_EQ((*json)["schema"], "graphnet.record/1");
  EXPECT_EQ((*json)["outcome"], "ok");
  const base::Json& timing = (*json)["timing"];
  ASSERT_TRUE(timing.contains("speedup_low")) << text;
  EXPECT_LE(timing["speedup_low"], (*json)["speedup"]);
  EXPECT_GE(timing["speedup_high"], (*json)["speedup"]);
  EXPECT_EQ(timing["backend_first"].get<std::string>().size(),
            (*json)["eager"]["trials_ns"].size());
  EXPECT_EQ((*json)["plugin_side"]["trials_ns"].size(), (*json)["eager"]["trials_ns"].size());
  EXPECT_GT((*json)["checks"]["checked_calls"], 0);
  EXPECT_EQ((*json)["checks"]["eager_reproducible"], true);
  EXPECT_EQ((*json)["checks"]["other_inputs"].size(), 7U);
  EXPECT_EQ((*json)["flags"].size(), 0U);
}

TEST(Run, ClosedPipeEndsQuietly) {
  const TempDir folder;
  const ProgramEnd end = run_program(
      {"/bin/sh", "-c",
       kProgram + " run " + kSamples + "/transformers-auto-model/sadhaklal_mlp-iris --config " +
           kConfigs + "/nope.yaml --protocol upstream -o " + (folder.path() / "r.jsonl").string() +
           " | true"},
      {}, folder.path() / "log");
  EXPECT_EQ(end.output.find("error"), std::string::npos) << end.output;
}

}  // namespace run_test
}  // namespace graphnet::tests
