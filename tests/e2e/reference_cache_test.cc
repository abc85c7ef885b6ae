// SPDX-License-Identifier: MIT
// `graphnet run --reference-cache DIR`: what a second run takes from the first, and what it does
// not.
#include <gtest/gtest.h>

#include "journal/journal_file.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace {

namespace fs = std::filesystem;
using base::Json;

class ReferenceCacheRuns : public ::testing::Test {
 protected:
  /// Checks of the sample's record.
  Json run(const std::string& sample, std::vector<std::string> flags = {}) {
    const fs::path results = temp_.path() / "results.jsonl";
    fs::remove(results);
    const std::string root = GRAPHNET_SOURCE_DIR;
    std::vector<std::string> words = {GRAPHNET_BINARY_DIR "/bin/graphnet",
                                      "run",
                                      root + "/samples/" + sample,
                                      "--config",
                                      root + "/configs/nope.yaml",
                                      "--threads",
                                      "1",
                                      "--protocol",
                                      "smoke",
                                      "--proof",
                                      "none",
                                      "--reference-cache",
                                      (temp_.path() / "cache").string(),
                                      "-o",
                                      results.string()};
    words.insert(words.end(), flags.begin(), flags.end());
    const ProgramEnd end = run_program(words, {}, temp_.path() / "log");
    EXPECT_EQ(end.state.exit_code, 0) << end.output;
    const auto content = journal::read_journal(results);
    EXPECT_TRUE(content.is_ok() && content->records.size() == 1) << end.output;
    if (!content.is_ok() || content->records.size() != 1) return {};
    return part_to_json(content->records[0].checks);
  }

  TempDir temp_;
};

constexpr const char* kSmall = "transformers-auto-model/sadhaklal_mlp-iris";

TEST_F(ReferenceCacheRuns, ASecondRunTakesWhatTheFirstKept) {
  const Json first = run(kSmall);
  const Json second = run(kSmall);
  ASSERT_TRUE(first.contains("reference_cache")) << first.dump();
  const Json& stored = first["reference_cache"]["stored"];
  EXPECT_EQ(stored[0], "eager");
  EXPECT_EQ(stored.size(), 1 + first["other_inputs"].size()) << stored.dump();
  EXPECT_FALSE(first["reference_cache"].contains("found"));
  EXPECT_EQ(second["reference_cache"], Json({{"found", stored}}));
  EXPECT_EQ(second["eager_reproducible"], true);
  EXPECT_EQ(second["other_inputs"], first["other_inputs"]);
}

TEST_F(ReferenceCacheRuns, AnotherNumberOfThreadsIsAnotherReference) {
  run(kSmall);
  const Json other = run(kSmall, {"--threads", "2"});
  EXPECT_FALSE(other["reference_cache"].contains("found")) << other.dump();
}

TEST_F(ReferenceCacheRuns, DamageIsToldAndMendedAndChangesNothing) {
  const Json first = run(kSmall);
  for (const auto& file : fs::recursive_directory_iterator(temp_.path() / "cache")) {
    if (file.is_regular_file()) fs::resize_file(file.path(), fs::file_size(file.path()) - 1);
  }
  const Json second = run(kSmall);
  EXPECT_EQ(second["reference_cache"]["damaged"], first["reference_cache"]["stored"]);
  EXPECT_EQ(second["reference_cache"]["stored"], first["reference_cache"]["stored"]);
  EXPECT_EQ(second["other_inputs"], first["other_inputs"]);
}

TEST_F(ReferenceCacheRuns, OffMeansNoWordOfIt) {
  EXPECT_FALSE(run(kSmall, {"--reference-cache", "off"}).contains("reference_cache"));
}

TEST_F(ReferenceCacheRuns, AFolderThatCannotBeIsRefused) {
  const std::string file = temp_.write("file", "").string();
  const ProgramEnd end = run_program(
      {GRAPHNET_BINARY_DIR "/bin/graphnet", "run", "--config",
       std::string(GRAPHNET_SOURCE_DIR) + "/configs/nope.yaml", "--reference-cache", file + "/x"},
      {}, temp_.path() / "log");
  EXPECT_EQ(end.state.exit_code, 5) << end.output;
}

}  // namespace
}  // namespace graphnet::tests
