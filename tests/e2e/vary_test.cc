// SPDX-License-Identifier: MIT
// `graphnet sample vary`.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace {

namespace fs = std::filesystem;

const fs::path kSamples = fs::path(GRAPHNET_SOURCE_DIR) / "samples";
const fs::path kResNet = kSamples / "timm/resnet10t.c3_in1k";

class Vary : public testing::Test {
 protected:
  fs::path output() const { return temp_.path() / "variants"; }

  base::Json run(std::vector<std::string> words, int exit_code) {
    words.insert(words.begin(),
                 {(fs::path(GRAPHNET_BINARY_DIR) / "bin/graphnet").string(), "sample"});
    words.emplace_back("--json");
    const ProgramEnd end = run_program(words, {}, temp_.path() / "log");
    EXPECT_EQ(end.state.exit_code, exit_code) << end.output;
    auto json = base::parse_json(end.output, "sample");
    EXPECT_TRUE(json.is_ok()) << end.output;
    return json.is_ok() ? *json : base::Json::object();
  }

  TempDir temp_;
};

TEST_F(Vary, MakesHalves) {
  const base::Json json =
      run({"vary", kResNet.string(), "--dtype", "float16,bfloat16", "-o", output().string()}, 0);
  ASSERT_EQ(json["samples"][0]["variants"].size(), 2U);
  for (const base::Json& variant : json["samples"][0]["variants"]) {
    EXPECT_EQ(variant["validates"], true) << variant;
    EXPECT_EQ(variant["declared"], true);
    EXPECT_GT(variant["arguments"], 0);
    // It is another arithmetic.
    EXPECT_GT(variant["relative_rms"], 0);
  }
  const fs::path half = output() / "float16/samples/timm/resnet10t.c3_in1k";
  const auto labels = base::parse_json(read_text(half / "graph_net.json"), "labels");
  ASSERT_TRUE(labels.is_ok());
  EXPECT_EQ((*labels)["dtype_generalization_target_dtype"], "float16");
  EXPECT_NE(read_text(half / "weight_meta.py").find("torch.float16"), std::string::npos);
  run({"validate", half.string(), "--run", "--no-redundancy"}, 0);
}

TEST_F(Vary, MakesOtherSizes) {
  const base::Json json = run({"vary", kResNet.string(), "--dims", "--dry-run"}, 0);
  const base::Json& row = json["samples"][0];
  ASSERT_EQ(row["variants"].size(), 9U) << row;
  for (const base::Json& variant : row["variants"]) {
    EXPECT_EQ(variant["planned"], true) << variant;
    EXPECT_EQ(variant["validates"], true) << variant;
  }
}

TEST_F(Vary, WritesNothingInADryRun) {
  run({"vary", kResNet.string(), "--dtype", "float16", "--dry-run", "-o", output().string()}, 0);
  EXPECT_FALSE(fs::exists(output()));
}

}  // namespace
}  // namespace graphnet::tests
