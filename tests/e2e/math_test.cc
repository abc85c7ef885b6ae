// SPDX-License-Identifier: MIT
// The math policy of a run: what it does to eager, and what records say of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace math_test {

namespace fs = std::filesystem;

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kSample = source_dir() + "/samples/transformers-auto-model/sadhaklal_mlp-iris";

/// The smallest sample with numbers around 1e-20, whose products are subnormal.
class SubnormalSample : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(sample().parent_path());
    fs::copy(kSample, sample());
    std::ifstream from(kSample + "/weight_meta.py");
    std::ofstream to(sample() / "weight_meta.py");
    bool is_bias = false;
    for (std::string line; std::getline(from, line);) {
      if (line.rfind("class", 0) == 0) is_bias = line.find("bias") != std::string::npos;
      if (line.rfind("    mean = ", 0) == 0 && line != "    mean = None") line = "    mean = 0.0";
      if (line.rfind("    std = ", 0) == 0 && line != "    std = None") {
        line = is_bias ? "    std = 1e-39" : "    std = 1e-20";
      }
      to << line << '\n';
    }
  }

  record::Record run(const std::string& name, const std::vector<std::string>& more) {
    const fs::path results = folder_.path() / (name + ".jsonl");
    std::vector<std::string> words = {kProgram,     "run",   sample().string(), "--config",
                                      "nope.yaml",  "-o",    results.string(),  "--digest",
                                      "--protocol", "smoke", "--threads",       "2"};
    words.insert(words.end(), more.begin(), more.end());
    output_ = run_program(words, {}, folder_.path() / "log").output;
    const auto content = journal::read_journal(results);
    EXPECT_TRUE(content.is_ok() && content->records.size() == 1) << output_;
    return content.is_ok() && content->records.size() == 1 ? content->records[0] : record::Record();
  }
  fs::path sample() const { return folder_.path() / "family" / "tiny"; }

  TempDir folder_;
  std::string output_;
};

bool has_flag(const record::Record& record, record::Flag flag) {
  return std::find(record.flags.begin(), record.flags.end(), flag) != record.flags.end();
}

TEST_F(SubnormalSample, IsFlushedIfThePolicySaysSo) {
  const record::Record kept = run("kept", {});
  ASSERT_EQ(kept.outcome, record::Outcome::kOk) << kept.message;
  EXPECT_TRUE(has_flag(kept, record::Flag::kDenormal));
  EXPECT_TRUE(kept.math.is_default());
  EXPECT_EQ(output_.find("math"), std::string::npos) << output_;
  const base::Json& before = kept.correctness["statistics"][0]["eager"];
  EXPECT_EQ(before["subnormal"], 6) << base::dump_json(before);

  const record::Record flushed = run("flushed", {"--set", "math.flush_denormals=true"});
  EXPECT_EQ(flushed.outcome, record::Outcome::kOk) << flushed.message;
  EXPECT_FALSE(has_flag(flushed, record::Flag::kDenormal));
  EXPECT_TRUE(flushed.math.flush_denormals);
  EXPECT_NE(output_.find("math flush_denormals"), std::string::npos) << output_;
  const base::Json& after = flushed.correctness["statistics"][0]["eager"];
  EXPECT_EQ(after["zero"], 6) << base::dump_json(after);
  EXPECT_EQ(flushed.digest["arguments"], kept.digest["arguments"]) << "inputs have no policy";
  EXPECT_NE(flushed.task_key, kept.task_key);
}

}  // namespace math_test
}  // namespace graphnet::tests
