// SPDX-License-Identifier: MIT
// `graphnet sample vary`.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "support/control_sample.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/sample_command.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace vary_test {

namespace fs = std::filesystem;

const fs::path kSamples = fs::path(source_dir()) / "samples";
const fs::path kResNet = kSamples / "timm/resnet10t.c3_in1k";

class Vary : public testing::Test {
 protected:
  fs::path output() const { return temp_.path() / "variants"; }

  TempDir temp_;
};

TEST_F(Vary, MakesHalves) {
  const base::Json json = run_sample_json(
      {"vary", kResNet.string(), "--dtype", "float16,bfloat16", "-o", output().string()}, 0);
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
  run_sample_json({"validate", half.string(), "--run", "--no-redundancy"}, 0);
}

TEST_F(Vary, MakesOtherSizes) {
  const base::Json json = run_sample_json({"vary", kResNet.string(), "--dims", "--dry-run"}, 0);
  const base::Json& row = json["samples"][0];
  ASSERT_EQ(row["variants"].size(), 9U) << row;
  std::size_t num_run = 0;
  for (const base::Json& variant : row["variants"]) {
    EXPECT_EQ(variant["planned"], true) << variant;
    EXPECT_EQ(variant["validates"], variant["run"] == "finite") << variant;
    EXPECT_EQ(variant["run"] == "not-run", variant["not_run_because"].is_string()) << variant;
    num_run += variant["run"] == "finite" ? 1 : 0;
  }
  // Large batches of large images are planned only.
  EXPECT_GT(num_run, 0U);
  EXPECT_LT(num_run, 9U);
}

// The sample's results are too small for float16.
TEST_F(Vary, CountsATypeInWhichNothingValidates) {
  const fs::path sample = write_control_sample(
      temp_, "small_results",
      {{"L_second_weight_", "0.0", "0.0"}, {"L_second_bias_", "0.0", "1e-12"}});
  const ProgramEnd end =
      run_sample({"vary", sample.string(), "--dtype", "float16,bfloat16", "-o", output().string()});
  EXPECT_EQ(end.state.exit_code, 1) << end.output;
  EXPECT_TRUE(mentions(end.output, {"float16, ", "fails: outputs differ by 1.0",
                                    "float16: 0 of 1 sample", "bfloat16: 1 of 1 sample"}))
      << end.output;
}

TEST_F(Vary, WritesNothingInADryRun) {
  run_sample_json(
      {"vary", kResNet.string(), "--dtype", "float16", "--dry-run", "-o", output().string()}, 0);
  EXPECT_FALSE(fs::exists(output()));
}

}  // namespace vary_test
}  // namespace graphnet::tests
