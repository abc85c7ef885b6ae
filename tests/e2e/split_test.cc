// SPDX-License-Identifier: MIT
// `graphnet sample split` and `compose`.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/sample_command.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace split_test {

namespace fs = std::filesystem;

const fs::path kSamples = fs::path(source_dir()) / "samples";
const fs::path kPerceptron = kSamples / "transformers-auto-model/sadhaklal_mlp-iris";
const fs::path kResNet = kSamples / "timm/resnet10t.c3_in1k";
const fs::path kOpt = kSamples / "transformers-auto-model/opt-tiny-random";

class Split : public testing::Test {
 protected:
  fs::path output() const { return temp_.path() / "pieces"; }

  /// Splits a sample, composes it again; its row of the composition.
  base::Json round_trip(const fs::path& sample, std::vector<std::string> words, int exit_code = 0) {
    words.insert(words.begin(), {"split", sample.string(), "--output", output().string()});
    run_sample_json(words, 0);
    const base::Json json =
        run_sample_json({"compose", output().string(), "--against", sample.string()}, exit_code);
    return json["samples"].empty() ? base::Json::object() : json["samples"][0];
  }

  TempDir temp_;
};

TEST_F(Split, PiecesAreTheWholeToTheBit) {
  const base::Json row = round_trip(kResNet, {"--at", "5,17,40"});
  EXPECT_EQ(row["pieces"], 4);
  EXPECT_EQ(row["patterns_equal"], true) << row["difference"];
  EXPECT_EQ(row["bit_equal"], true);
  EXPECT_EQ(row["operators"], row["operators_of_pieces"]);
  ASSERT_FALSE(row["outputs"].empty());
  for (const base::Json& level : row["outputs"][0]["all_close"]) EXPECT_EQ(level, true);
}

TEST_F(Split, SizesAndTuplesPassFromPieceToPiece) {
  const base::Json row = round_trip(kOpt, {"--ops", "1-3"});
  EXPECT_GT(row["pieces"], 20);
  EXPECT_EQ(row["patterns_equal"], true) << row["difference"];
  EXPECT_EQ(row["bit_equal"], true);
}

TEST_F(Split, PiecesThatPassAllThroughAreTheWhole) {
  EXPECT_EQ(round_trip(kResNet, {"--at", "20", "--pass-through"})["bit_equal"], true);
}

// As upstream writes them.
TEST_F(Split, PiecesMayHavePublicSpellings) {
  run_sample_json({"split", kPerceptron.string(), "--at", "2", "--output", output().string()}, 0);
  const base::Json converted =
      run_sample_json({"convert", output().string(), "--apis", "stable", "--write"}, 0);
  EXPECT_EQ(converted["samples"].size(), 2U) << converted;
  const base::Json json =
      run_sample_json({"compose", output().string(), "--against", kPerceptron.string()}, 0);
  ASSERT_EQ(json["samples"].size(), 1U) << json;
  EXPECT_EQ(json["samples"][0]["patterns_equal"], true) << json["samples"][0]["difference"];
}

TEST_F(Split, PiecesHaveUpstreamsNamesAndFiles) {
  const base::Json json = run_sample_json(
      {"split", kPerceptron.string(), "--single-op", "--output", output().string()}, 0);
  const fs::path folder = output() / "samples/transformers-auto-model/sadhaklal_mlp-iris";
  const fs::path first = folder / "_decomposed/sadhaklal_mlp-iris_start0_end1_0";
  EXPECT_EQ(json["samples"][0]["written"][0], first.string());
  for (const char* file : {"model.py", "weight_meta.py", "input_meta.py", "graph_net.json",
                           "input_tensor_constraints.py", "graph_hash.txt"}) {
    EXPECT_TRUE(fs::exists(first / file)) << file;
  }
  const auto sources = base::parse_json(read_text(first / "subgraph_sources.json"), "sources");
  ASSERT_TRUE(sources.is_ok());
  EXPECT_EQ((*sources)["samples/transformers-auto-model/sadhaklal_mlp-iris"],
            base::Json::parse("[[0, 1]]"));
  const auto ranges = base::parse_json(read_text(folder / "subgraph_ranges.json"), "ranges");
  ASSERT_TRUE(ranges.is_ok());
  EXPECT_EQ((*ranges)["total_length"], json["samples"][0]["operators"]);
  // They are samples.
  run_sample_json({"validate", output().string(), "--run", "--no-redundancy"}, 0);
  // The ranges can be given again.
  const base::Json again = run_sample_json({"split", kPerceptron.string(), "--dry-run", "--ranges",
                                            (folder / "subgraph_ranges.json").string()},
                                           0);
  EXPECT_EQ(again["samples"][0]["ranges"], json["samples"][0]["ranges"]);
}

TEST_F(Split, TypicalPiecesRepeat) {
  const base::Json json =
      run_sample_json({"split", kResNet.string(), "--typical", "--output", output().string()}, 0);
  const auto found = base::parse_json(read_text(output() / "typical_sequences.json"), "sequences");
  ASSERT_TRUE(found.is_ok());
  std::size_t num_places = 0;
  for (const base::Json& sequence : (*found)["sequences"]) {
    EXPECT_GE(sequence["operators"].size(), 4U);
    EXPECT_LT(sequence["operators"].size(), 64U);
    EXPECT_GE(sequence["occurrences"].size(), 2U);
    num_places += sequence["occurrences"].size();
  }
  EXPECT_GT(num_places, 0U);
  EXPECT_EQ(json["samples"][0]["written"].size(), num_places);
}

TEST_F(Split, RecordedInputsAreTheValues) {
  run_sample_json({"split", kPerceptron.string(), "--at", "2", "--inputs", "recorded", "--output",
                   output().string()},
                  0);
  std::size_t num_literals = 0;
  for (const auto& entry : fs::recursive_directory_iterator(output())) {
    if (entry.path().filename() != "weight_meta.py") continue;
    const std::string text = read_text(entry.path());
    num_literals += text.find("data = [") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(num_literals, 0U);
}

TEST_F(Split, ComposeFindsAnotherOperator) {
  run_sample_json({"split", kPerceptron.string(), "--at", "1", "--output", output().string()}, 0);
  for (const auto& entry : fs::recursive_directory_iterator(output())) {
    if (entry.path().filename() != "model.py") continue;
    std::string text = read_text(entry.path());
    const std::size_t relu = text.find("torch.relu(");
    if (relu == std::string::npos) continue;
    ASSERT_TRUE(
        base::write_file_atomic(entry.path(), text.replace(relu, 11, "torch.sigmoid(")).is_ok());
    break;
  }
  const std::string log = (temp_.path() / "compose.log").string();
  const base::Json json = run_sample_json(
      {"compose", output().string(), "--against", kPerceptron.string(), "--log", log}, 1);
  ASSERT_EQ(json["samples"].size(), 1U);
  EXPECT_EQ(json["samples"][0]["patterns_equal"], false);
  EXPECT_EQ(json["samples"][0]["bit_equal"], false);
  EXPECT_EQ(json["samples"][0]["outcome"], "accuracy_mismatch");
  EXPECT_NE(read_text(log).find("[Correctness]"), std::string::npos);
}

TEST_F(Split, ScoresOfTheLogAreOne) {
  run_sample_json({"split", kPerceptron.string(), "--at", "1,3", "--output", output().string()}, 0);
  const std::string log = (temp_.path() / "compose.log").string();
  run_sample_json({"compose", output().string(), "--against", kPerceptron.string(), "--log", log},
                  0);
  const ProgramEnd end =
      run_program({(fs::path(build_dir()) / "bin/graphnet").string(), "score", log, "--json"}, {},
                  temp_.path() / "log");
  ASSERT_EQ(end.state.exit_code, 0) << end.output;
  const auto scores = base::parse_json(end.output, "score");
  ASSERT_TRUE(scores.is_ok()) << end.output;
  const base::Json& points = (*scores)["columns"].at(0)["points"];
  ASSERT_FALSE(points.empty());
  for (const base::Json& point : points) EXPECT_EQ(point["es"], 1.0) << point;
}

TEST_F(Split, SaysWhichPieceIsMissing) {
  run_sample_json({"split", kPerceptron.string(), "--single-op", "--output", output().string()}, 0);
  fs::remove_all(output() /
                 "samples/transformers-auto-model/sadhaklal_mlp-iris/_decomposed/"
                 "sadhaklal_mlp-iris_start0_end1_0");
  const ProgramEnd end =
      run_program({(fs::path(build_dir()) / "bin/graphnet").string(), "sample", "compose",
                   output().string(), "--against", kPerceptron.string()},
                  {}, temp_.path() / "log");
  EXPECT_EQ(end.state.exit_code, 1) << end.output;
  EXPECT_TRUE(mentions(end.output, {"operator 0", "start1_end2"}));
}

}  // namespace split_test
}  // namespace graphnet::tests
