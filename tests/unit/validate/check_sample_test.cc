// SPDX-License-Identifier: MIT
#include "validate/check_sample.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "support/temp_dir.h"
#include "validate/constraints.h"
#include "validate/redundancy.h"

namespace graphnet::validate {
namespace check_sample_test {

namespace fs = std::filesystem;

constexpr const char* kModel =
    "import torch\nclass GraphModule(torch.nn.Module):\n"
    "    def forward(self, L_x_: torch.Tensor, s0: torch.SymInt, w: torch.nn.Parameter):\n"
    "        y = L_x_ @ w\n        z = y * s0\n        y = None\n        return (z,)\n";

std::string class_of(const std::string& name, const std::string& rest) {
  return "class Program_weight_tensor_meta_" + name + ":\n    name = \"" + name + "\"\n" + rest +
         "\n";
}

std::string metadata() {
  return class_of("L_x_",
                  "    shape = [2, 3]\n    dtype = \"torch.float32\"\n    device = \"cpu\"\n"
                  "    mean = 0.000\n    std = 1.000\n    data = None\n") +
         class_of("s0",
                  "    shape = []\n    dtype = \"torch.int64\"\n    device = \"cpu\"\n"
                  "    mean = None\n    std = None\n    data = [4]\n") +
         class_of("w",
                  "    shape = [3, 2]\n    dtype = \"torch.float32\"\n    device = \"cuda:0\"\n"
                  "    mean = 0.500\n    std = 0.100\n    data = None\n");
}

constexpr const char* kConstraints =
    "from sympy import Symbol\n\nS0 = Symbol(\"S0\")\n\n"
    "dynamic_dim_constraint_symbols = [S0]\n\n"
    "dynamic_dim_constraint_symbol2example_value = {S0: 2}\n\n"
    "dynamic_dim_constraint_relations = []\n\n"
    "dynamic_dim_constraint_input_shapes = [\n    ([S0, 3], \"L_x_\"),\n    (\n        [3, S0],\n"
    "        \"w\",\n    ),\n]\n";

/// A sample in which one thing is wrong.
class Sample {
 public:
  explicit Sample(const std::string& name = "tiny") : folder_(temp_.path() / "samples/t" / name) {
    fs::create_directories(folder_);
    write("model.py", kModel);
    write("weight_meta.py", metadata());
    write("input_meta.py", "");
    write("input_tensor_constraints.py", kConstraints);
    write("graph_net.json",
          R"({"framework": "torch", "num_devices_required": 1, "num_nodes_required": 1})");
    write("graph_hash.txt", std::string(64, 'a'));
    write("subgraph_sources.json", R"({"samples/timm/a": [[0, 3], [4, 5]]})");
  }

  void write(const char* file, const std::string& text) const {
    ASSERT_TRUE(base::write_file_atomic(folder_ / file, text).is_ok());
  }
  void remove(const char* file) const { fs::remove(folder_ / file); }
  void replace(const char* file, const std::string& part, const std::string& by) const {
    auto text = base::read_file(folder_ / file, 1 << 20);
    ASSERT_TRUE(text.is_ok());
    const std::size_t position = text->find(part);
    ASSERT_NE(position, std::string::npos) << part;
    write(file, text->replace(position, part.size(), by));
  }
  const fs::path& folder() const { return folder_; }

 private:
  tests::TempDir temp_;
  fs::path folder_;
};

std::vector<std::string> words_of(const CheckedSample& sample) {
  std::vector<std::string> words;
  for (const Finding& finding : sample.findings) {
    words.push_back(std::string(row_of(finding.kind).word) + ":" + finding.file);
  }
  return words;
}

/// A fault made by replacing a part of a file; an empty part replaces all of it.
struct Fault {
  const char* file;
  const char* part;
  const char* by;
  const char* word;
};
constexpr const char* kWeights = "weight_meta.py";
constexpr const char* kShapes = "input_tensor_constraints.py";
constexpr const char* kLabels = "graph_net.json";
constexpr Fault kFaults[] = {
    {"model.py", "y = L_x_ @ w", "y = L_x_ @ ", "model"},
    {"model.py", "y * s0", "q * s0", "model"},
    {"model.py", "return (z,)", "return (y,)", "model"},
    {"model.py", "class", "clas", "model"},
    {"model.py", "return (z,)", "return ()", "no-result"},
    {"model.py", "torch.nn.Parameter", "torch.nn.Parameter, b", "no-metadata"},
    {"model.py", ", w: torch.nn.Parameter", ", w=None", "model"},
    {kWeights, "shape = [2, 3]", "shape = [2, -3]", "metadata"},
    {kWeights, "torch.float32", "torch.float23", "metadata"},
    {kWeights, "    std = 1.000\n", "    std = 1.000\n    std = 1.000\n", "metadata"},
    {kWeights, "data = [4]", "data = [4, 5]", "metadata"},
    {kWeights, "    name = \"w\"\n", "", "metadata"},
    {kWeights, "meta_w:", "meta_v:", "class-name"},
    {kWeights, "cuda:0", "gpu", "device"},
    {kWeights, "std = 1.000", "std = -1.000", "moments"},
    {kWeights, "mean = 0.500", "mean = float('inf')", "moments"},
    {kWeights, "std = 0.100", "std = float('nan')", "moments"},
    {kWeights, "data = None", "data = None\n    min_val = 2.5\n    max_val = 1", "moments"},
    {kWeights, "\"torch.int64\"", "\"torch.int32\"", "extent"},
    {kWeights, "\"torch.int64\"", "\"torch.float32\"", "extent"},
    {"input_meta.py", "", "class a:\n    name = \"a\"\n", "metadata"},
    {"input_meta.py", "", "a = 1\n", "metadata"},
    {kShapes, "[S0, 3]", "[S0, 4]", "shape"},
    {kShapes, "{S0: 2}", "{S0: 3}", "shape"},
    {kShapes, "\"L_x_\"", "\"L_y_\"", "shape"},
    {kShapes, "{S0: 2}", "{}", "constraints"},
    {kShapes, "([S0, 3]", "([S0, 3", "constraints"},
    {kLabels, "\"torch\"", "\"paddle\"", "labels"},
    {kLabels, "\"num_nodes_required\": 1", "\"num_nodes_required\": 0", "labels"},
    {kLabels, "}", "", "labels"},
    {kLabels, "", "[]", "labels"},
    {"graph_hash.txt", "", "none", "hash"},
    {"subgraph_sources.json", "[4, 5]", "[5, 5]", "sources"},
    {"subgraph_sources.json", "{", "", "sources"},
};

TEST(CheckSample, FindsNothingWrongWithASample) {
  const CheckedSample checked = check_sample(Sample().folder());
  EXPECT_EQ(words_of(checked), std::vector<std::string>());
  EXPECT_EQ(checked.name, "t/tiny");
  EXPECT_EQ(checked.program_hash.size(), 64U);
}

TEST(CheckSample, FindsEachPlantedFault) {
  for (const Fault& fault : kFaults) {
    SCOPED_TRACE(std::string(fault.file) + ": " + fault.part + " -> " + fault.by);
    const Sample sample;
    if (*fault.part == '\0') {
      sample.write(fault.file, fault.by);
    } else {
      sample.replace(fault.file, fault.part, fault.by);
    }
    const std::vector<std::string> words = words_of(check_sample(sample.folder()));
    ASSERT_FALSE(words.empty());
    const std::string where = fault.word == std::string("no-metadata") ? kWeights : fault.file;
    EXPECT_EQ(words[0], std::string(fault.word) + ":" + where);
  }
}

TEST(CheckSample, FindsEachMissingFile) {
  for (const char* file : {"model.py", "weight_meta.py", "input_meta.py", "graph_net.json",
                           "graph_hash.txt", "input_tensor_constraints.py"}) {
    const Sample sample;
    sample.remove(file);
    EXPECT_EQ(words_of(check_sample(sample.folder()))[0], std::string("missing-file:") + file);
  }
}

TEST(CheckSample, FindsWhatReplayWouldRefuse) {
  const Sample sample;
  sample.replace("weight_meta.py", "data = [4]", "data = [1e300]");
  EXPECT_EQ(words_of(check_sample(sample.folder()))[0], "literal:weight_meta.py");
}

TEST(CheckSample, FindsMetadataWithoutAParameter) {
  const Sample sample;
  sample.write("weight_meta.py", metadata() + class_of("v", "    shape = []\n"));
  EXPECT_EQ(words_of(check_sample(sample.folder())),
            std::vector<std::string>{"no-parameter:weight_meta.py"});
}

TEST(CheckSample, FindsNamesThatAShellWouldSplit) {
  EXPECT_EQ(words_of(check_sample(Sample("a b").folder())), std::vector<std::string>{"name:"});
}

TEST(CheckSample, KnowsATensorByItsNameBeforeARenaming) {
  const Sample sample;
  sample.replace("model.py", "L_x_: torch.Tensor", "in_0: torch.Tensor");
  sample.replace("model.py", "L_x_ @ w", "in_0 @ w");
  sample.replace("weight_meta.py", "name = \"L_x_\"",
                 "name = \"in_0\"\n    original_name = \"L_x_\"");
  EXPECT_EQ(words_of(check_sample(sample.folder())), std::vector<std::string>());
}

TEST(FindRedundant, NamesTheFirstOfTheSameProgram) {
  const Sample first("first");
  const Sample second("second");
  second.replace("model.py", "y = L_x_ @ w\n        z = y", "v = L_x_ @ w\n        z = v");
  second.replace("model.py", "y = None", "v = None");
  std::vector<CheckedSample> samples = {check_sample(first.folder()),
                                        check_sample(second.folder())};
  find_redundant(samples, {first.folder()});
  EXPECT_EQ(words_of(samples[0]), std::vector<std::string>());
  ASSERT_EQ(words_of(samples[1]), std::vector<std::string>{"redundant:"});
  EXPECT_NE(samples[1].findings[0].message.find(first.folder().string()), std::string::npos);
  samples = {check_sample(second.folder())};
  find_redundant(samples, {first.folder(), second.folder()});
  EXPECT_EQ(words_of(samples[0]), std::vector<std::string>{"redundant:"});
}

TEST(FindFolders, IncludesBrokenSamples) {
  const Sample sample;
  sample.remove("model.py");
  const fs::path root = sample.folder().parent_path();
  const auto folders = find_folders(root);
  ASSERT_TRUE(folders.is_ok()) << folders.status().to_string();
  EXPECT_EQ(*folders, std::vector<fs::path>{sample.folder()});
  const auto itself = find_folders(sample.folder());
  ASSERT_TRUE(itself.is_ok());
  EXPECT_EQ(*itself, *folders);
  EXPECT_EQ(find_folders(root / "none").status().code(), base::Code::kInput);
}

TEST(ParseConstraints, ReplacesSymbols) {
  const auto constraints = parse_constraints(kConstraints, "constraints");
  ASSERT_TRUE(constraints.is_ok()) << constraints.status().to_string();
  ASSERT_EQ(constraints->size(), 2U);
  EXPECT_EQ((*constraints)[0].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ((*constraints)[1].name, "w");
  EXPECT_TRUE(parse_constraints("", "constraints").is_ok());
}

}  // namespace check_sample_test
}  // namespace graphnet::validate
