// SPDX-License-Identifier: MIT
// Results files as a user meets them: going on, trying again, shards, merging, asking.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace journal_test {

namespace fs = std::filesystem;

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kSource = source_dir();
const std::string kSmall = kSource + "/samples/transformers-auto-model/sadhaklal_mlp-iris";

class JournalE2e : public ::testing::Test {
 protected:
  JournalE2e() {
    for (const char* name : {"a", "b", "c", "d", "e"}) {
      fs::create_directories(samples() / name);
      fs::copy(kSmall, samples() / name, fs::copy_options::recursive);
    }
  }

  fs::path samples() const { return folder_.path() / "samples" / "copies"; }

  ProgramEnd graphnet(const std::vector<std::string>& words) {
    std::vector<std::string> all = {kProgram};
    all.insert(all.end(), words.begin(), words.end());
    return run_program(all, {}, folder_.path() / "log");
  }

  ProgramEnd run(const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run",        samples().string(),
                                      "--config",   kSource + "/configs/nope.yaml",
                                      "--threads",  "1",
                                      "--protocol", "upstream",
                                      "--warmup",   "0",
                                      "--trials",   "1",
                                      "--jobs",     jobs_};
    words.insert(words.end(), more.begin(), more.end());
    return graphnet(words);
  }

  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }

  /// How often each sample is in a results file.
  std::map<std::string, int> counts(const std::string& name) const {
    std::map<std::string, int> result;
    const auto journal = journal::read_journal(file(name));
    EXPECT_TRUE(journal.is_ok()) << journal.status().to_string();
    if (!journal.is_ok()) return result;
    for (const auto& record : journal->records) ++result[record.sample];
    return result;
  }

  TempDir folder_;
  std::string jobs_ = "1";
};

/// The same whatever the number of samples at a time.
class JobsE2e : public JournalE2e, public ::testing::WithParamInterface<const char*> {
 protected:
  JobsE2e() { jobs_ = GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Jobs, JobsE2e, ::testing::Values("1", "2"));

TEST_P(JobsE2e, ResumeRunsWhatIsNotThereOrNotTheSame) {
  ProgramEnd end = run({"--resume", file("r.jsonl")});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_EQ(counts("r.jsonl").size(), 5U);
  end = run({"--resume", file("r.jsonl")});
  EXPECT_NE(end.output.find("skipped 5 existing results"), std::string::npos) << end.output;
  // Another content is another task, whatever its name.
  std::ofstream(samples() / "c" / "model.py", std::ios::app) << "\n# changed\n";
  end = run({"--resume", file("r.jsonl")});
  EXPECT_NE(end.output.find("skipped 4 existing results"), std::string::npos) << end.output;
  EXPECT_EQ(counts("r.jsonl")["copies/c"], 2);
}

TEST_P(JobsE2e, WhatFailedIsTriedAgainWhenAsked) {
  std::ofstream(samples() / "b" / "weight_meta.py", std::ios::trunc) << "broken";
  EXPECT_EQ(run({"-o", file("r.jsonl")}).state.exit_code, 1);
  EXPECT_EQ(run({"--resume", file("r.jsonl")}).state.exit_code, 0);
  EXPECT_EQ(counts("r.jsonl")["copies/b"], 1);
  EXPECT_EQ(run({"--resume", file("r.jsonl"), "--retry-failed"}).state.exit_code, 1);
  const auto journal = journal::read_journal(file("r.jsonl"));
  ASSERT_EQ(journal->records.size(), 6U);
  EXPECT_EQ(journal->records.back().sample, "copies/b");
  EXPECT_EQ(journal->records.back().attempt, 2);
  const auto first = std::find_if(journal->records.begin(), journal->records.end(),
                                  [](const auto& record) { return record.sample == "copies/b"; });
  EXPECT_EQ(journal->records.back().task_key, first->task_key);
  EXPECT_EQ(run({"--retry-failed"}).state.exit_code, 2);
}

TEST_P(JobsE2e, ShardsMergeToTheWhole) {
  std::filesystem::create_directory(file("shards"));
  for (const char* shard : {"1", "2", "3"}) {
    const ProgramEnd end = run({"--shard", std::string(shard) + "/3", "-o",
                                file("shards/" + std::string(shard) + ".jsonl")});
    EXPECT_EQ(end.state.exit_code, 0) << end.output;
  }
  const ProgramEnd end = graphnet({"merge", "-o", file("all.jsonl"), file("shards")});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_NE(end.output.find("5 records of 3 files"), std::string::npos) << end.output;
  EXPECT_EQ(end.output.find("conflict"), std::string::npos) << end.output;
  const auto merged = counts("all.jsonl");
  EXPECT_EQ(merged.size(), 5U);
  for (const auto& [sample, count] : merged) EXPECT_EQ(count, 1) << sample;
  // The whole is done then.
  const ProgramEnd again = run({"--resume", file("all.jsonl")});
  EXPECT_NE(again.output.find("skipped 5 existing results"), std::string::npos) << again.output;
}

TEST_F(JournalE2e, ReportShowsAnyResultsFile) {
  const std::string golden = kSource + "/tests/golden/journal/v2.jsonl";
  ProgramEnd end = graphnet({"report", golden});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_NE(end.output.find("2 ok"), std::string::npos) << end.output;
  end = graphnet({"report", "--csv", "--sql",
                  "SELECT outcome, count(*) AS n FROM records GROUP BY 1", golden});
  EXPECT_EQ(end.output, "outcome,n\nok,2\n");
  EXPECT_EQ(graphnet({"report", "--sql", "DROP TABLE records", golden}).state.exit_code, 2);
  EXPECT_EQ(graphnet({"report", file("none")}).state.exit_code, 3);
}

TEST_F(JournalE2e, SubmitPrintsItsScripts) {
  const ProgramEnd end = graphnet({"submit", samples().string(), "--config",
                                   kSource + "/configs/nope.yaml", "--shards", "2", "--sbatch",
                                   "partition=cpu", "--jobs", "2", "-o", file("out"), "--dry-run"});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  for (const std::string& wanted :
       {std::string("5 samples in 2 shards"), std::string("#SBATCH --array=1-2\n"),
        std::string("#SBATCH --partition=cpu\n"), "graphnet run " + file("out/samples.txt"),
        "--config " + kSource + "/configs/nope.yaml", std::string(" --jobs 2 "),
        std::string("sbatch --parsable --dependency=afterany:JOB ")}) {
    EXPECT_NE(end.output.find(wanted), std::string::npos) << wanted << " is not in\n" << end.output;
  }
  EXPECT_FALSE(fs::exists(file("out")));
}

}  // namespace journal_test
}  // namespace graphnet::tests
