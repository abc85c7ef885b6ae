// SPDX-License-Identifier: MIT
//
// Verdicts through the real program.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "journal/journal_file.h"
#include "proof/ways.h"
#include "support/control_sample.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace run_test {

/// Runs a way; `settings`: more lines of the config, `flags`: of the command line.
record::Record run(const std::string& way, const std::string& settings = "",
                   const std::vector<std::string>& flags = {},
                   const std::filesystem::path& sample = way_sample()) {
  TempDir folder;
  const auto config = folder.write(
      "way.yaml", "schema: graphnet/run/v1\nbackend: {library: " + way_library(way).string() +
                      "}\nthreads: 1\n" + settings);
  const auto journal = folder.path() / "results.jsonl";
  std::vector<std::string> words = {build_dir() + "/bin/graphnet",
                                    "run",
                                    sample.string(),
                                    "-o",
                                    journal.string(),
                                    "--config",
                                    config.string()};
  words.insert(words.end(), flags.begin(), flags.end());
  const ProgramEnd end = run_program(words, {}, folder.path() / "log");
  auto content = journal::read_journal(journal);
  if (!content.is_ok() || content->records.size() != 1) {
    ADD_FAILURE() << "no record: " << end.output;
    return {};
  }
  // The table shows what the record says.
  if (content->records.front().outcome == record::Outcome::kOk) {
    EXPECT_NE(end.output.find(content->records.front().verdict.text()), std::string::npos)
        << end.output;
  }
  return content->records.front();
}

constexpr const char* kQuick = "protocol: {time: 200ms, remeasure: false}\n";
constexpr const char* kUpstream = "protocol: upstream\n";

constexpr WayCase kCases[] = {
    {"honest", "proven"},
    {"jit", "proven"},
    {"hidden_op", "mixed(aten::relu_)"},
    {"hidden_cpu_op", "mixed(at::cpu::relu_, "},
    {"hidden_thread", "mixed(aten::relu_)"},
    {"looked_up_op", "mixed(at::cpu::relu_, "},
    {"cached_output", "empty"},
    {"blocks_signal", "unknown(thread 'blocker' ("},
    {"own_handler", "proven"},
    {"killed", "unknown(killed in proof)"},
};

class Runs : public ::testing::TestWithParam<WayCase> {};

TEST_P(Runs, RecordTheVerdict) {
  const std::string wanted = GetParam().verdict;
  for (const char* settings : {kQuick, kUpstream}) {
    const record::Record record = run(GetParam().way, settings);
    EXPECT_EQ(record.verdict.text().substr(0, wanted.size()), wanted) << settings << record.message;
    // A stored result is found before the proof, in timed calls or in those on other inputs.
    const bool is_failed = GetParam().way == std::string("cached_output");
    EXPECT_EQ(record.outcome, is_failed ? record::Outcome::kPluginFailed : record::Outcome::kOk)
        << record.message;
    EXPECT_TRUE(!record.environment.libtorch.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, Runs, ::testing::ValuesIn(kCases),
                         [](const auto& tested) { return std::string(tested.param.way); });

// It starts when all times have been taken, and is its worker's however often it changes parents.
TEST(Runs, FindAProcessThatTheProofMeets) {
  const record::Record record = run("late_helper", kQuick);
  EXPECT_EQ(record.verdict.text(), "unknown(helper_process)");
  const auto& flags = record.flags;
  EXPECT_NE(std::find(flags.begin(), flags.end(), record::Flag::kHelperProcess), flags.end());
  ASSERT_FALSE(record.notes.empty());
  EXPECT_EQ(record.notes.back().rfind("helper_process: ", 0), 0U) << record.notes.back();
}

TEST(Runs, SayHowAProofWasKilled) {
  const record::Record record = run("killed", kQuick);
  EXPECT_TRUE(is_empty(record.proof));
  EXPECT_TRUE(record.speedup.has_value());
  ASSERT_FALSE(record.notes.empty());
  EXPECT_EQ(record.notes.back(),
            "during proof tracing: plugin 'killed' crashed in gn_backend_run (phase proof) "
            "with SIGSEGV (Segmentation fault)");
}

// The fault passes through the tracer's handler to that of the worker.
TEST(Runs, SayWhereAProofCrashed) {
  const record::Record record = run("crashes", kQuick);
  EXPECT_EQ(record.verdict.text(), "unknown(killed in proof)");
  ASSERT_FALSE(record.notes.empty());
  EXPECT_EQ(record.notes.back(),
            "during proof tracing: plugin 'crashes' crashed in gn_backend_run (phase proof) "
            "with SIGSEGV (Segmentation fault)");
  EXPECT_EQ(record.crash.signal, "SIGSEGV");
  const auto& frames = record.crash.frames;
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(frames[0].rfind("libgn_crashes.so+0x", 0), 0U) << frames[0];
}

// Eager's outputs follow the inputs in the last bits only. Keeping the first results is then no
// proof of having stored them, and the honest plugin keeps them too where its order of sums rounds
// all that follows away.
TEST(Runs, AccuseNobodyWhereOutputsHardlyFollowInputs) {
  constexpr const char* kUndecided =
      "unknown(outputs stay as they are where eager's change by rounding only)";
  TempDir folder;
  const Redrawn ones = {"L_second_bias_", "1.0", "0.0"};
  const auto seen =
      write_control_sample(folder, "seen", {{"L_second_weight_", "0.0", "5e-6"}, ones});
  EXPECT_EQ(run("honest", kUpstream, {}, seen).verdict.text(), "proven");
  EXPECT_EQ(run("cached_output", kUpstream, {}, seen).verdict.text(), kUndecided);
  const auto rounded =
      write_control_sample(folder, "rounded", {{"L_second_weight_", "0.0", "5e-8"}, ones});
  EXPECT_EQ(run("honest", kUpstream, {}, rounded).verdict.text(), kUndecided);
}

TEST(Runs, LeaveTheProofOutIfAsked) {
  const record::Record none = run("honest", kQuick, {"--proof", "none"});
  EXPECT_EQ(none.verdict.text(), "unknown(not traced)");
  EXPECT_TRUE(is_empty(none.proof));
  const record::Record counts = run("honest", std::string(kQuick) + "proof: counts\n");
  EXPECT_EQ(counts.verdict.text(), "unknown(execute-deny is switched off)");
  EXPECT_EQ(counts.proof.tracer, "counts");
}

}  // namespace run_test
}  // namespace graphnet::tests
