// SPDX-License-Identifier: MIT
// Evaluations as a user makes and checks them, and what somebody might do to their files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace evaluation_test {

namespace fs = std::filesystem;
using record::Record;

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kSource = source_dir();
const std::string kSmall = kSource + "/samples/transformers-auto-model/sadhaklal_mlp-iris";

class EvaluationE2e : public ::testing::Test {
 protected:
  EvaluationE2e() {
    for (const char* name : {"a", "b"}) {
      fs::create_directories(file("samples/copies/") + name);
      fs::copy(kSmall, file("samples/copies/") + name, fs::copy_options::recursive);
    }
  }

  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }

  ProgramEnd graphnet(const std::vector<std::string>& words) {
    std::vector<std::string> all = {kProgram, "evaluate"};
    all.insert(all.end(), words.begin(), words.end());
    return run_program(all, {}, folder_.path() / "log");
  }

  ProgramEnd evaluate(const std::string& folder, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {file("samples/copies"),
                                      "--config",
                                      kSource + "/configs/nope.yaml",
                                      "--threads",
                                      "1",
                                      "--protocol",
                                      "smoke",
                                      "--proof",
                                      "none",
                                      "-o",
                                      file(folder)};
    words.insert(words.end(), more.begin(), more.end());
    return graphnet(words);
  }

  void expect_unchanged(const std::string& folder, const std::string& what) {
    const ProgramEnd end = graphnet({"--verify", file(folder)});
    EXPECT_EQ(end.state.exit_code, 0) << end.output;
    EXPECT_NE(end.output.find(what), std::string::npos) << end.output;
  }

  void expect_found(const std::string& what) {
    const ProgramEnd end = graphnet({"--verify", file("e")});
    EXPECT_EQ(end.state.exit_code, 1) << end.output;
    EXPECT_NE(end.output.find(what), std::string::npos) << end.output;
  }

  /// Writes the results anew, with all their checks, as this program would.
  void rewrite(const std::function<void(std::vector<Record>&)>& change) {
    auto journal = journal::read_journal(file("e/results.jsonl"));
    ASSERT_TRUE(journal.is_ok()) << journal.status().to_string();
    change(journal->records);
    fs::remove(file("e/results.jsonl"));
    journal->header.erase("check");
    auto written = journal::JournalFile::open(file("e/results.jsonl"), journal->header);
    ASSERT_TRUE(written.is_ok()) << written.status().to_string();
    for (const Record& record : journal->records) ASSERT_TRUE(written->append(record).is_ok());
  }

  std::string text_of(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(file(name)).rdbuf();
    return text.str();
  }

  TempDir folder_;
};

TEST_F(EvaluationE2e, IsMadeContinuedAndChecked) {
  const ProgramEnd end = evaluate("e");
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  expect_unchanged("e", "2 records for 2 tasks, 6 files: nothing was changed");
  const std::string records = text_of("e/results.jsonl");
  EXPECT_NE(evaluate("e").output.find("skipped 2 existing results"), std::string::npos);
  EXPECT_EQ(text_of("e/results.jsonl"), records);
  expect_unchanged("e", "nothing was changed");
  // Wherever it lies, it says the same.
  fs::rename(file("e"), file("moved"));
  expect_unchanged("moved", "nothing was changed");
}

TEST_F(EvaluationE2e, APlanWritesNothing) {
  const ProgramEnd end = evaluate("e", {"--dry-run"});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_NE(end.output.find("copies/b"), std::string::npos) << end.output;
  EXPECT_FALSE(fs::exists(file("e")));
}

TEST_F(EvaluationE2e, ShardsMergeToOne) {
  EXPECT_EQ(evaluate("1", {"--shard", "1/2"}).state.exit_code, 0);
  EXPECT_EQ(evaluate("2", {"--shard", "2/2"}).state.exit_code, 0);
  expect_unchanged("1", "1 record for 1 task");
  const ProgramEnd end = graphnet({"--merge", file("1"), "--merge", file("2"), "-o", file("both")});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  expect_unchanged("both", "2 records for 2 tasks");
}

TEST_F(EvaluationE2e, EditedRecordsAreFound) {
  ASSERT_EQ(evaluate("e").state.exit_code, 0);
  rewrite([](std::vector<Record>& records) { *records[0].speedup *= 2; });
  expect_found("results.jsonl: it is not the file that was written");
  expect_found("copies/a with nope: speedup is ");
  expect_found("and the durations of its calls give ");
  expect_found("scores.json:");
  // A record that is right in itself, of something else.
  rewrite([](std::vector<Record>& records) {
    *records[0].speedup /= 2;
    records[0].threads = 2;
    records[1].sample_sha256[0] = records[1].sample_sha256[0] == '0' ? '1' : '0';
  });
  expect_found("results.jsonl:2: copies/a with nope: its task key is not that of what it says");
  expect_found("results.jsonl:3: copies/b with nope: its task key is not that of what it says");
}

TEST_F(EvaluationE2e, AnotherMachinesRecordsAreFound) {
  ASSERT_EQ(evaluate("e").state.exit_code, 0);
  rewrite([](std::vector<Record>& records) {
    records[0].environment.rest["host_hash"] = "0123456789ab";
  });
  expect_found("copies/a with nope: it was measured on machine 0123456789ab");
  // A whole file of another evaluation.
  ASSERT_EQ(evaluate("other", {"-k", "copies/a"}).state.exit_code, 0);
  fs::copy(file("other/results.jsonl"), file("e/results.jsonl"),
           fs::copy_options::overwrite_existing);
  expect_found("1 task of 2 has no record");
}

TEST_F(EvaluationE2e, MissingAndForeignFilesAreFound) {
  ASSERT_EQ(evaluate("e").state.exit_code, 0);
  rewrite([](std::vector<Record>& records) { records.pop_back(); });
  expect_found("1 task of 2 has no record, copies/b with nope first");
  std::ofstream(file("e/report.html"), std::ios::app) << "<p>58x</p>\n";
  expect_found("report.html: it is not the file that was written");
  expect_found("it is not what the records give");
  fs::remove(file("e/scores.json"));
  expect_found("scores.json: it is missing or cannot be read");
  std::ofstream(file("e/notes.txt")) << "mine\n";
  expect_found("notes.txt: it belongs to no evaluation");
  fs::remove(file("e/SHA256SUMS"));
  expect_found("SHA256SUMS: it cannot be read");
  std::ofstream(file("e/evaluation.json"), std::ios::trunc) << "{";
  EXPECT_EQ(graphnet({"--verify", file("e")}).state.exit_code, 3);
  EXPECT_EQ(graphnet({"--verify", file("nothing")}).state.exit_code, 3);
  for (const char* machines : {"[\"x\"]", "[{\"host_hash\": 1}]", "{}"}) {
    std::ofstream(file("e/evaluation.json"), std::ios::trunc)
        << R"({"schema":"graphnet.evaluation/1","graphnet":"","commands":[],"tasks":[],"machines":)"
        << machines << "}";
    const ProgramEnd end = graphnet({"--verify", file("e")});
    EXPECT_EQ(end.state.exit_code, 3) << end.output;
    EXPECT_NE(end.output.find("evaluation.json' cannot be read: 'machines"), std::string::npos)
        << end.output;
  }
}

TEST_F(EvaluationE2e, FolderMayHaveANameOfAnyBytes) {
  const ProgramEnd end = evaluate("r\xe9sultats");
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  expect_unchanged("r\xe9sultats", "nothing was changed");
}

TEST_F(EvaluationE2e, WrongUsesAreExplained) {
  EXPECT_EQ(graphnet({}).state.exit_code, 2);
  EXPECT_EQ(graphnet({"--config", "nope"}).state.exit_code, 2);
  EXPECT_EQ(graphnet({"timm", "--verify", file("e")}).state.exit_code, 2);
  std::ofstream(file("samples/README")) << "not an evaluation\n";
  const ProgramEnd end = evaluate("samples");
  EXPECT_EQ(end.state.exit_code, 2);
  EXPECT_NE(end.output.find("is not empty, and no evaluation"), std::string::npos) << end.output;
  const std::string long_name(300, 'x');
  EXPECT_EQ(evaluate(long_name, {"--dry-run"}).state.exit_code, 0);
  EXPECT_NE(evaluate(long_name).output.find("File name too long"), std::string::npos);
}

}  // namespace evaluation_test
}  // namespace graphnet::tests
