// SPDX-License-Identifier: MIT
// `graphnet run --config tvm.yaml` on bundled samples, with an artifact cache: what is found again
// runs, is right, and is proven to be the plugin's own code.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace tvm_test {

namespace fs = std::filesystem;

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kSamples = source_dir() + "/samples";

const std::vector<std::string> kSmall = {"transformers-auto-model/sadhaklal_mlp-iris",
                                         "transformers-auto-model/opt-tiny-random",
                                         "mmpose/SimpleBaseline3D"};

class Tvm : public ::testing::Test {
 protected:
  /// The records of one run of all samples, with an artifact cache.
  std::vector<record::Record> run(const std::string& name, const std::string& weights = "bound") {
    const fs::path config = folder_.path() / "tvm.yaml";
    std::ofstream(config) << "schema: graphnet/run/v1\nbackend: {name: tvm}\nweights: " << weights
                          << "\n";
    fs::create_directories(temporary());
    std::vector<std::string> command = {kProgram, "run"};
    for (const std::string& sample : kSmall) command.push_back(kSamples + "/" + sample);
    const fs::path results = folder_.path() / name;
    command.insert(command.end(),
                   {"--config", config.string(), "--protocol", "upstream", "--warmup", "0",
                    "--trials", "1", "--threads", "2", "--artifact-cache", cache().string(),
                    "--dump", dump().string(), "-o", results.string()});
    output_ =
        run_program(command, {"TMPDIR=" + temporary().string()}, folder_.path() / "log").output;
    auto content = journal::read_journal(results);
    return content.is_ok() ? content->records : std::vector<record::Record>();
  }
  bool is_missing() const { return output_.find("fetch the wheels with") != std::string::npos; }
  fs::path cache() const { return folder_.path() / "cache"; }
  fs::path dump() const { return folder_.path() / "dump"; }
  fs::path temporary() const { return folder_.path() / "temporary"; }

  TempDir folder_;
  std::string output_;
};

enum class Origin : std::uint8_t { kCompiled, kLoaded };

void expect_all(const std::vector<record::Record>& records, Origin origin,
                const std::string& note = "") {
  for (const record::Record& record : records) {
    EXPECT_EQ(record.outcome, record::Outcome::kOk) << record.sample << ": " << record.message;
    EXPECT_EQ(record.verdict.text(), "proven")
        << record.sample << ": " << base::dump_json(part_to_json(record.proof));
    EXPECT_EQ(record.plugin_variant, "tvm+rules");
    EXPECT_EQ(record.plugin_side.load_ns.has_value(), origin == Origin::kLoaded) << record.sample;
    EXPECT_EQ(record.plugin_side.compile_ns.has_value(), origin == Origin::kCompiled)
        << record.sample;
    EXPECT_EQ(base::join(record.notes, "\n").find(note) != std::string::npos, true)
        << record.sample << ": " << base::join(record.notes, "\n");
  }
}

TEST_F(Tvm, WhatTheArtifactCacheKeepsRunsInTheNextProcess) {
  const std::vector<record::Record> cold = run("cold.jsonl");
  if (is_missing()) GTEST_SKIP() << "no TVM: ./graphnet run --config tvm.yaml fetches it";
  ASSERT_EQ(cold.size(), kSmall.size()) << output_;
  expect_all(cold, Origin::kCompiled);
  for (const std::string& sample : kSmall) {
    EXPECT_EQ(read_text(dump() / sample / "tvm+rules" / "lowered.ir").rfind("%0: ", 0), 0U);
  }
  const std::vector<record::Record> warm = run("warm.jsonl");
  ASSERT_EQ(warm.size(), kSmall.size()) << output_;
  expect_all(warm, Origin::kLoaded);
  // It came from the linker, so it is code of a file of that name.
  EXPECT_NE(base::dump_json(part_to_json(warm[0].proof)).find("program.so"), std::string::npos)
      << base::dump_json(part_to_json(warm[0].proof));
  EXPECT_TRUE(fs::is_empty(temporary())) << "files are left behind";
}

TEST_F(Tvm, DamagedArtifactsCostACompilationAndNothingElse) {
  ASSERT_TRUE(run("cold.jsonl").size() == kSmall.size() || is_missing()) << output_;
  if (is_missing()) GTEST_SKIP() << "no TVM: ./graphnet run --config tvm.yaml fetches it";
  for (const auto& entry : fs::directory_iterator(cache())) {
    fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
  }
  expect_all(run("again.jsonl"), Origin::kCompiled,
             "artifact not loaded: stored program is cut off or damaged");
  expect_all(run("warm.jsonl"), Origin::kLoaded);
}

TEST_F(Tvm, TakesWeightsInEveryMode) {
  for (const char* mode : {"frozen", "per_call"}) {
    const std::vector<record::Record> records = run(std::string(mode) + ".jsonl", mode);
    if (is_missing()) GTEST_SKIP() << "no TVM: ./graphnet run --config tvm.yaml fetches it";
    ASSERT_EQ(records.size(), kSmall.size()) << output_;
    for (const record::Record& record : records) {
      EXPECT_EQ(record.outcome, record::Outcome::kOk) << record.sample << ": " << record.message;
      EXPECT_EQ(record.verdict.text(), "proven") << record.sample;
      EXPECT_EQ(record.weights, mode);
    }
  }
}

}  // namespace tvm_test
}  // namespace graphnet::tests
