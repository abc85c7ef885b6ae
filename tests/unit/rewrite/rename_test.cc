// SPDX-License-Identifier: MIT
// Renaming against upstream's renamers. GRAPHNET_FIXTURES names a folder with more samples before
// and after both of them.
#include "rewrite/rename.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "sample/parser.h"
#include "support/folders.h"
#include "validate/program_hash.h"
#include "writer/meta_text.h"
#include "writer/model_text.h"
#include "writer/write_sample.h"

namespace graphnet::rewrite {
namespace rename_test {

namespace fs = std::filesystem;
using sample::Sample;
using writer::TextStyle;

const fs::path kGolden = fs::path(tests::source_dir()) / "tests/golden";
const fs::path kTools = kGolden / "upstream-tools";

std::string text_of(const fs::path& path) {
  const auto text = base::read_file(path, std::uint64_t{1} << 26);
  EXPECT_TRUE(text.is_ok()) << text.status().to_string();
  return text.is_ok() ? *text : "";
}

Sample load(const fs::path& folder) {
  auto loaded = sample::load_sample(folder);
  EXPECT_TRUE(loaded.is_ok()) << loaded.status().to_string();
  return loaded.is_ok() ? std::move(*loaded) : Sample();
}

Renaming renamed(Sample& sample) {
  const auto renaming = rename_sample(sample);
  EXPECT_TRUE(renaming.is_ok()) << renaming.status().to_string();
  return renaming.is_ok() ? *renaming : Renaming();
}

/// A sample without files, whose metadata says no more than the names.
Sample parsed(const std::string& parameters, const std::string& body) {
  const std::string text =
      "import torch\nclass GraphModule(torch.nn.Module):\n    def forward(self" + parameters +
      "):\n" + body;
  auto program = sample::parse_model(text, "model.py");
  EXPECT_TRUE(program.is_ok()) << program.status().to_string();
  Sample sample;
  if (program.is_ok()) sample.program = std::move(*program);
  for (const graph::Parameter& parameter : sample.program.parameters) {
    sample::TensorMeta meta;
    meta.class_name = "Program_weight_tensor_meta_" + parameter.name;
    meta.name = parameter.name;
    sample.metas.push_back(meta);
  }
  return sample;
}

TEST(RenameSample, NumbersInputsWeightsAndValues) {
  Sample sample = parsed(
      ", L_self_modules_l_parameters_weight_, L_x_: torch.Tensor, s0: torch.SymInt,"
      " L_instance_modules_l_eps, b: torch.nn.Parameter",
      "        l_x_ = L_x_\n"
      "        y = l_x_ @ L_self_modules_l_parameters_weight_;  l_x_ = s0 = L_x_ = None\n"
      "        y += b;  z = y;  y = b = None\n"
      "        z[0] = L_instance_modules_l_eps;  setitem = z;  setitem = None\n"
      "        L_instance_modules_l_eps = None\n"
      "        y = z * 2\n"
      "        return (y, z)\n");
  const Renaming renaming = renamed(sample);
  EXPECT_EQ(renaming.inputs, 2);
  EXPECT_EQ(renaming.weights, 3);
  EXPECT_EQ(renaming.values, 4);
  EXPECT_EQ(writer::model_text(sample.program, TextStyle::kRewritten),
            "import torch\n\nclass GraphModule(torch.nn.Module):\n\n"
            "    def forward(self, w_0, in_0: torch.Tensor, in_1: torch.SymInt, w_1, "
            "w_2: torch.nn.parameter.Parameter):\n"
            "        tmp_0 = in_0\n"
            "        tmp_1 = tmp_0 @ w_0\n"
            "        tmp_0 = None\n"
            "        tmp_1 += w_2\n"
            "        tmp_2 = tmp_1\n"
            "        tmp_1 = None\n"
            "        tmp_2[0] = w_1\n"
            "        tmp_3 = tmp_2\n"
            "        tmp_3 = None\n"
            "        tmp_1 = tmp_2 * 2\n"
            "        return (tmp_1, tmp_2)");
  EXPECT_EQ(sample.metas[1].name, "in_0");
  EXPECT_EQ(sample.metas[1].original_name, "L_x_");
  EXPECT_EQ(sample.metas[1].class_name, "Program_weight_tensor_meta_L_x_");
}

TEST(RenameSample, KeepsTheNameFromBeforeTheFirstRenaming) {
  Sample sample = parsed(", x, y", "        z = x + y\n        return (z,)\n");
  renamed(sample);
  const std::string once = writer::meta_text(sample.metas, TextStyle::kRewritten);
  renamed(sample);
  EXPECT_EQ(writer::meta_text(sample.metas, TextStyle::kRewritten), once);
  EXPECT_EQ(sample.metas[1].original_name, "y");
}

TEST(RenameSample, RefusesMetadataOfNoParameter) {
  Sample sample = parsed(", x", "        return (x,)\n");
  sample.metas.push_back(sample.metas[0]);
  sample.metas[1].name = "v";
  EXPECT_EQ(rename_sample(sample).status().code(), base::Code::kInput);
}

/// A sample of tests/golden, and the SHA-256 of the model.py that the algorithm of upstream's
/// ast_graph_variable_renamer gives for it with Python's own ast.unparse().
struct UpstreamText {
  const char* sample;
  const char* sha256;
};
constexpr UpstreamText kUpstreamTexts[] = {
    {"single_operator/samples/timm/resnet18/_decomposed/resnet18_start1_end2_1",
     "3cb20b21b46214f403ba674e67826bb150c5efd2f51fddb526d8c6e7f593a7b6"},
    {"typical_sequence/samples/timm/resnet18/_decomposed/resnet18_7",
     "4f8c641c9e994866b013661f72a0c5303c87bca4b71dd8cb61714b8fefdbf9ea"},
    {"typical_sequence/samples/transformers-auto-model/"
     "hf-tiny-model-private_tiny-random-Swinv2ForImageClassification/_decomposed/"
     "hf-tiny-model-private_tiny-random-Swinv2ForImageClassification_47",
     "de0e3bc1c62de532e3ff14a3ad90e8705b4f957b9a8f463f9fe94b2ff6570faf"},
};

TEST(RenameSample, WritesUpstreamsText) {
  for (const UpstreamText& upstream : kUpstreamTexts) {
    SCOPED_TRACE(upstream.sample);
    Sample sample = load(kTools / upstream.sample);
    const std::string hash = validate::program_hash(sample.program);
    renamed(sample);
    EXPECT_EQ(writer::stored_hash(sample.program, TextStyle::kRewritten), upstream.sha256)
        << writer::model_text(sample.program, TextStyle::kRewritten);
    EXPECT_EQ(validate::program_hash(sample.program), hash);
  }
}

// What its ast_graph_variable_renamer wrote is reproduced byte by byte. Its older renamer traces
// the program again: the names are the same, the text is another.
TEST(RenameSample, EqualsWhatUpstreamsRenamersWrote) {
  struct Case {
    std::string sample;
    const char* tool;
    bool is_same_text;
  };
  std::vector<Case> cases = {{"timm/resnet18", "variable_rename", false}};
  fs::path before = kGolden / "before-rename";
  fs::path after = kTools;
  if (const char* fixtures = std::getenv("GRAPHNET_FIXTURES")) {
    const std::string swin =
        "transformers-auto-model/hf-tiny-model-private_tiny-random-Swinv2ForImageClassification";
    cases.push_back({swin, "ast_variable_rename", true});
    cases.push_back({swin, "variable_rename", false});
    before = fs::path(fixtures) / "backward/eval_forward/samples";
    after = fixtures;
  }
  for (const auto& [name, tool, is_same_text] : cases) {
    SCOPED_TRACE(name + " by " + tool);
    Sample sample = load(before / name);
    renamed(sample);
    const Sample upstream = load(after / tool / "samples" / name);
    EXPECT_EQ(writer::meta_text(sample.metas, TextStyle::kRewritten),
              text_of(upstream.folder / "weight_meta.py"));
    EXPECT_EQ(validate::program_hash(sample.program), validate::program_hash(upstream.program));
    if (!is_same_text) continue;
    EXPECT_EQ(writer::model_text(sample.program, TextStyle::kRewritten),
              text_of(upstream.folder / "model.py"));
    EXPECT_EQ(writer::stored_hash(sample.program, TextStyle::kRewritten),
              text_of(upstream.folder / "graph_hash.txt"));
  }
}

}  // namespace rename_test
}  // namespace graphnet::rewrite
