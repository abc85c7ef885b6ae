// SPDX-License-Identifier: MIT
//
// `graphnet repro`: the folder it makes repeats a crash and a good result, and says so.
#include <gtest/gtest.h>

#include "journal/journal_file.h"
#include "plugin_host/zoo.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace repro_test {

namespace fs = std::filesystem;

const std::string kGraphnet = build_dir() + "/bin/graphnet";
constexpr const char* kSample = "transformers-auto-model/sadhaklal_mlp-iris";

class ReproFolders : public ::testing::Test {
 protected:
  ReproFolders() {
    const fs::path bundled = fs::path(source_dir()) / "samples" / kSample;
    fs::create_directories(sample().parent_path());
    fs::copy(bundled, sample());
  }

  fs::path sample() const { return temp_.path() / "samples" / kSample; }
  fs::path folder() const { return temp_.path() / "bug"; }
  std::string results() const { return (temp_.path() / "results.jsonl").string(); }

  /// Runs the sample with a plugin's file, method upstream unless `settings` say otherwise.
  ProgramEnd run(const fs::path& library, const std::string& settings = "") {
    const auto config = temp_.write(
        "x.yaml",
        "schema: graphnet/run/v1\nbackend: {library: " + library.string() + "}\nthreads: 1\n" +
            (settings.empty() ? "protocol: {name: upstream, warmup: 0, trials: 1}\n" : settings));
    return program({"run", sample().string(), "--config", config.string(), "-o", results()});
  }

  ProgramEnd program(std::vector<std::string> words) {
    words.insert(words.begin(), kGraphnet);
    return run_program(words, {}, temp_.path() / "log");
  }

  ProgramEnd repro(std::vector<std::string> words = {}) {
    words.insert(words.begin(), {"repro", results(), "--out", folder().string()});
    return program(words);
  }

  /// run.sh, from another folder.
  ProgramEnd repeat(std::vector<std::string> flags = {}) {
    flags.insert(flags.begin(), (folder() / "run.sh").string());
    return run_program(flags, {std::string("GRAPHNET=") + kGraphnet}, temp_.path() / "log");
  }

  TempDir temp_;
};

TEST_F(ReproFolders, ACrashIsRepeatedAndSaidToBe) {
  run(zoo_library("crash_in_run"),
      "protocol: {name: upstream, warmup: 0, trials: 2}\n"
      "timeouts: {compile: 77s, proof: none}\n"
      "limits: {memory: 2GiB, flop: 3T}\n");
  const ProgramEnd made = repro();
  ASSERT_EQ(made.state.exit_code, 0) << made.output;
  EXPECT_FALSE(contains(made.output, "warning")) << made.output;
  EXPECT_TRUE(mentions(made.output, {"crashed in phase run", "SIGSEGV"})) << made.output;
  const std::string config = read_text(folder() / "config.yaml");
  for (const char* line : {"  compile: 77s\n", "  proof: none\n", "  memory: 2GiB\n",
                           "  flop: 3T\n", "threads: 1\n", "  name: \"crash_in_run\"\n"}) {
    EXPECT_TRUE(contains(config, line)) << line << config;
  }
  EXPECT_TRUE(contains(read_text(folder() / "protocol.yaml"), "trials: 2\n"));
  const std::string readme = read_text(folder() / "README.md");
  for (const char* part : {"libgn_crash_in_run.so+0x", "libtorch: 2.", "plugin sha256   ",
                           "command         graphnet run ", "hardware_class: "}) {
    EXPECT_TRUE(contains(readme, part)) << part << readme;
  }
  // The folder needs nothing of what it was made from.
  fs::remove_all(temp_.path() / "samples");
  fs::remove(results());
  const ProgramEnd repeated = repeat();
  EXPECT_EQ(repeated.state.exit_code, 0) << repeated.output;
  EXPECT_TRUE(mentions(repeated.output, {"repeated: crashed", "phase run", "SIGSEGV\n"}))
      << repeated.output;
  EXPECT_FALSE(contains(repeated.output, "other conditions")) << repeated.output;
  const auto again = journal::read_journal(folder() / "again.jsonl");
  ASSERT_TRUE(again.is_ok()) << again.status().to_string();
  ASSERT_EQ(again->records.size(), 1U);
  EXPECT_EQ(again->records[0].sample, kSample);
}

TEST_F(ReproFolders, AGoodResultIsRepeatedToo) {
  run(build_dir() + "/lib/graphnet/plugins/nope/libgn_nope.so",
      "protocol: {name: smoke, max_pairs: 12}\n");
  const ProgramEnd made = repro({"--sample", "sadhaklal_mlp-iris", "--backend", "nope"});
  ASSERT_EQ(made.state.exit_code, 0) << made.output;
  EXPECT_TRUE(contains(read_text(folder() / "protocol.yaml"), "max_pairs: 12\n"));
  const ProgramEnd repeated = repeat({"--quiet"});
  EXPECT_EQ(repeated.state.exit_code, 0) << repeated.output;
  EXPECT_TRUE(contains(repeated.output, "repeated: ok\n")) << repeated.output;
  const ProgramEnd checked = program({"repro", "--check", folder().string(), "--json"});
  EXPECT_EQ(checked.state.exit_code, 0) << checked.output;
  EXPECT_TRUE(contains(checked.output, "\"repeated\":true")) << checked.output;
}

TEST_F(ReproFolders, WhatDoesNotRepeatIsTold) {
  run(zoo_library("crash_in_run"));
  ASSERT_EQ(repro().state.exit_code, 0);
  const ProgramEnd other = repeat({"--set", "backend.name=healthy"});
  EXPECT_EQ(other.state.exit_code, 1) << other.output;
  EXPECT_TRUE(mentions(other.output, {"not repeated: ok", "crashed", "phase run", "SIGSEGV\n"}))
      << other.output;
  EXPECT_TRUE(contains(other.output, "conditions changed:\n  plugin's file: ")) << other.output;
}

TEST_F(ReproFolders, WhatDiffersHereIsAWarning) {
  run(zoo_library("crash_in_run"));
  const auto journal = journal::read_journal(results());
  ASSERT_TRUE(journal.is_ok() && journal->records.size() == 1);
  record::Record record = journal->records[0];
  record.plugin = record.plugin_variant = "acme";
  record.plugin_library = "/nowhere/acme/libgn_acme.so";
  record.environment.libtorch = "1.0.0";
  record.sample_sha256 = std::string(64, '0');  // of files that have changed since
  fs::remove(results());
  auto file = journal::JournalFile::open(results(), base::Json::object());
  ASSERT_TRUE(file.is_ok() && file->append(record).is_ok());
  const ProgramEnd made = repro();
  EXPECT_EQ(made.state.exit_code, 0) << made.output;
  EXPECT_TRUE(mentions(made.output, {"warning: plugin 'acme'"})) << made.output;
  EXPECT_TRUE(mentions(made.output, {"warning: ", "recorded: sample: "})) << made.output;
  EXPECT_TRUE(contains(made.output, "libtorch: 2.")) << made.output;
  EXPECT_TRUE(contains(read_text(folder() / "README.md"), "not as recorded: sample: "));
  const ProgramEnd repeated = repeat();
  EXPECT_EQ(repeated.state.exit_code, 4) << repeated.output;
  EXPECT_TRUE(contains(repeated.output, "acme")) << repeated.output;
}

TEST_F(ReproFolders, MistakesAreAnswered) {
  run(zoo_library("crash_in_run"));
  run(zoo_library("zeros"));
  const ProgramEnd many = repro();
  EXPECT_EQ(many.state.exit_code, 2) << many.output;
  EXPECT_TRUE(mentions(many.output, {"2 pairs"})) << many.output;
  EXPECT_TRUE(contains(many.output, "--backend crash_in_run    crashed in phase run"))
      << many.output;
  EXPECT_EQ(repro({"--backend", "nobody"}).state.exit_code, 3);
  EXPECT_EQ(repro({"--backend", "zeros"}).state.exit_code, 0);
  const ProgramEnd full = repro({"--backend", "zeros"});
  EXPECT_EQ(full.state.exit_code, 2);
  EXPECT_TRUE(contains(full.output, "is not empty")) << full.output;
  const ProgramEnd early = program({"repro", "--check", folder().string()});
  EXPECT_EQ(early.state.exit_code, 3);
  EXPECT_TRUE(contains(early.output, "again.jsonl")) << early.output;
  fs::remove_all(sample());
  const ProgramEnd gone =
      program({"repro", results(), "--backend", "zeros", "--out", (temp_.path() / "two").string()});
  EXPECT_EQ(gone.state.exit_code, 0) << "the bundled sample has the same files: " << gone.output;
}

TEST_F(ReproFolders, ASampleThatIsNowhereIsAnError) {
  record::Record record;
  record.sample = "timm/nowhere";
  record.sample_path = "/nowhere/samples/timm/nowhere";
  record.plugin = "nope";
  record.outcome = record::Outcome::kOk;
  {
    auto file = journal::JournalFile::open(results(), base::Json::object());
    ASSERT_TRUE(file.is_ok() && file->append(record).is_ok());
  }
  const ProgramEnd made = repro();
  EXPECT_EQ(made.state.exit_code, 3) << made.output;
  EXPECT_TRUE(contains(made.output, "/nowhere/samples/timm/nowhere")) << made.output;
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(ReproFolders, NamesOfARecordStayInTheFolder) {
  record::Record record;
  record.sample = "../../escape";
  record.sample_path = sample().string();
  record.plugin = record.plugin_variant = "a\n$(touch evil)";
  record.outcome = record::Outcome::kCrashed;
  record.message = "`touch evil`\n```";
  record.settings = {{"proof", 7}, {"timeouts_ms", 3}, {"flop", "x"}};
  record.protocol_settings = {{"time_ns", "soon"}, {"cache", 4}};
  {
    auto file = journal::JournalFile::open(results(), base::Json::object());
    ASSERT_TRUE(file.is_ok() && file->append(record).is_ok());
  }
  const ProgramEnd made = repro();
  EXPECT_EQ(made.state.exit_code, 0) << made.output;
  EXPECT_TRUE(fs::exists(folder() / "samples" / "repro" / "sample" / "model.py"));
  EXPECT_FALSE(fs::exists(temp_.path() / "escape"));
  const ProgramEnd repeated = repeat();
  EXPECT_EQ(repeated.state.exit_code, 3) << "no plugin has that name: " << repeated.output;
  EXPECT_FALSE(fs::exists(folder() / "evil"));
}

}  // namespace repro_test
}  // namespace graphnet::tests
