// SPDX-License-Identifier: MIT
// `graphnet explain`: ranges of a sample's statements, with the control as backend.
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace explain_test {

namespace fs = std::filesystem;

const fs::path kSamples = fs::path(source_dir()) / "samples";
const std::string kPerceptron = (kSamples / "transformers-auto-model/sadhaklal_mlp-iris").string();
const std::string kNope = source_dir() + "/configs/nope.yaml";

class Explain : public ::testing::Test {
 protected:
  ProgramEnd explain(std::vector<std::string> words) {
    words.insert(words.begin(), {build_dir() + "/bin/graphnet", "explain"});
    return run_program(words, {}, temp_.path() / "log");
  }
  TempDir temp_;
};

TEST_F(Explain, DividesAProgramIntoRanges) {
  const fs::path kept = temp_.path() / "kept";
  const ProgramEnd end = explain({kPerceptron, "--config", kNope, "--threads", "1", "--parts", "3",
                                  "--json", "--quiet", "--keep", kept.string()});
  ASSERT_EQ(end.state.exit_code, 0) << end.output;
  const auto json = base::parse_json(end.output, "explain");
  ASSERT_TRUE(json.is_ok()) << end.output;
  EXPECT_EQ((*json)["schema"], "graphnet.explain/1");
  EXPECT_EQ((*json)["sample"], "transformers-auto-model/sadhaklal_mlp-iris");
  EXPECT_EQ((*json)["base"], "eager");
  const base::Json& ranges = (*json)["ranges"];
  ASSERT_EQ(ranges.size(), 3U);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(ranges[i]["calls"], i == 1 ? "1 relu" : "1 linear");
    if (i > 0) {
      EXPECT_EQ(ranges[i]["first_line"], ranges[i - 1]["last_line"].get<int>() + 1);
    }
  }
  EXPECT_GT(ranges[0]["base_ns"][0], 0);
  EXPECT_TRUE(fs::exists(kept / "results.jsonl"));
}

TEST_F(Explain, RefusesWhatItCannotDo) {
  EXPECT_EQ(explain({"--config", kNope}).state.exit_code, 2);
  EXPECT_EQ(explain({kPerceptron}).state.exit_code, 2) << "no backend";
  EXPECT_EQ(explain({kPerceptron, "--config", kNope, "--parts", "0"}).state.exit_code, 2);
  EXPECT_EQ(explain({(kSamples / "timm").string(), "--config", kNope}).state.exit_code, 2);
  EXPECT_EQ(explain({kPerceptron + "x", "--config", kNope}).state.exit_code, 3);
}

}  // namespace explain_test
}  // namespace graphnet::tests
