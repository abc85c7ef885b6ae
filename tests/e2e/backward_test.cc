// SPDX-License-Identifier: MIT
// `graphnet sample backward`.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/sample_command.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace backward_test {

namespace fs = std::filesystem;

const fs::path kSamples = fs::path(source_dir()) / "samples";
const fs::path kPerceptron = kSamples / "transformers-auto-model/sadhaklal_mlp-iris";
const fs::path kOpt = kSamples / "transformers-auto-model/opt-tiny-random";
const fs::path kResNet = kSamples / "timm/resnet10t.c3_in1k";

class Backward : public testing::Test {
 protected:
  fs::path output() const { return temp_.path() / "training"; }
  fs::path pass(const char* name, const fs::path& sample) const {
    return output() / name / "samples" / sample.parent_path().filename() / sample.filename();
  }

  TempDir temp_;
};

TEST_F(Backward, GivesTheGradientsOfAutograd) {
  const base::Json json = run_sample_json({"backward", kPerceptron.string(), kOpt.string(),
                                           kResNet.string(), "--output", output().string()},
                                          0);
  ASSERT_EQ(json["samples"].size(), 3U);
  for (const base::Json& row : json["samples"]) {
    EXPECT_EQ(row["validates"], true) << row;
    EXPECT_EQ(row["bit_equal"], true) << row;
    EXPECT_EQ(row["finite"], true) << row;
    EXPECT_GT(row["gradients"], 0);
    EXPECT_EQ(row["written"].size(), 3U);
  }
  for (const std::size_t small : {0, 1}) {
    ASSERT_TRUE(json["samples"][small]["differences"].is_number()) << json["samples"][small];
    EXPECT_LT(json["samples"][small]["differences"], 1e-5);
  }
  EXPECT_TRUE(json["samples"][2]["no_differences"].is_string());
}

TEST_F(Backward, PassesAreSamples) {
  run_sample_json({"backward", kPerceptron.string(), "-o", output().string()}, 0);
  const fs::path backward = pass("train_backward", kPerceptron);
  EXPECT_EQ(read_text(pass("eval_forward", kPerceptron) / "graph_hash.txt"),
            read_text(kPerceptron / "graph_hash.txt"));
  for (const fs::path& folder : {pass("train_forward", kPerceptron), backward}) {
    for (const char* file : {"model.py", "weight_meta.py", "input_meta.py", "graph_net.json",
                             "input_tensor_constraints.py", "graph_hash.txt"}) {
      EXPECT_TRUE(fs::exists(folder / file)) << file;
    }
    EXPECT_NE(read_text(folder / "model.py").find("return ["), std::string::npos);
  }
  EXPECT_TRUE(mentions(read_text(backward / "model.py"), {"tangents_1", "primals_5"}));
  const auto labels = base::parse_json(read_text(backward / "graph_net.json"), "labels");
  ASSERT_TRUE(labels.is_ok());
  EXPECT_EQ((*labels)["model_name"], "sadhaklal_mlp-iris_train_backward");
  run_sample_json({"validate", output().string(), "--run", "--no-redundancy"}, 0);
  // They are run as any sample.
  const ProgramEnd end =
      run_program({(fs::path(build_dir()) / "bin/graphnet").string(), "run", backward.string(),
                   "--config", (fs::path(source_dir()) / "configs/nope.yaml").string(),
                   "--protocol", "smoke", "-o", (temp_.path() / "results.jsonl").string()},
                  {}, temp_.path() / "log");
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
}

TEST_F(Backward, SaysWhatHasNoGradient) {
  const fs::path sample = temp_.path() / "samples/made/whole";
  fs::create_directories(sample);
  ASSERT_TRUE(base::write_file_atomic(sample / "model.py",
                                      "import torch\n\n\nclass GraphModule(torch.nn.Module):\n"
                                      "    def forward(self, x: torch.Tensor):\n"
                                      "        y = x.detach()\n        return (y,)\n")
                  .is_ok());
  ASSERT_TRUE(base::write_file_atomic(sample / "weight_meta.py",
                                      "class Program_weight_tensor_meta_x:\n    name = \"x\"\n"
                                      "    shape = [2]\n    dtype = \"torch.float32\"\n"
                                      "    device = \"cpu\"\n    mean = 0.0\n    std = 1.0\n"
                                      "    data = None\n")
                  .is_ok());
  ASSERT_TRUE(base::write_file_atomic(sample / "graph_net.json", "{}").is_ok());
  const base::Json json =
      run_sample_json({"backward", sample.string(), "--output", output().string()}, 1);
  ASSERT_EQ(json["samples"].size(), 1U);
  EXPECT_EQ(json["samples"][0]["validates"], false);
  EXPECT_TRUE(mentions(json["samples"][0]["problem"].get<std::string>(), {"requires a gradient"}));
  EXPECT_FALSE(fs::exists(output()));
}

TEST_F(Backward, WritesNothingInADryRun) {
  run_sample_json({"backward", kPerceptron.string(), "--dry-run", "-o", output().string()}, 0);
  EXPECT_FALSE(fs::exists(output()));
}

}  // namespace backward_test
}  // namespace graphnet::tests
