// SPDX-License-Identifier: MIT
// `graphnet sample index` and `select`.
#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "base/json.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/sample_command.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace index_test {

namespace fs = std::filesystem;

const fs::path kSamples = fs::path(source_dir()) / "samples";
const fs::path kPerceptron = kSamples / "transformers-auto-model/sadhaklal_mlp-iris";

class Index : public testing::Test {
 protected:
  fs::path file() const { return temp_.path() / "index.sqlite"; }
  fs::path list() const { return temp_.path() / "subset.txt"; }

  base::Json index(const std::vector<fs::path>& trees, int exit_code = 0) const {
    std::vector<std::string> words = {"index", "-o", file().string()};
    for (const fs::path& tree : trees) words.push_back(tree.string());
    return run_sample_json(words, exit_code);
  }

  /// A family of two copies of a sample, and below `broken/` one that cannot be read.
  fs::path tree_with_a_broken_sample() const {
    const fs::path tree = temp_.path() / "samples";
    for (const char* name : {"f/a", "f/b", "broken/c"}) {
      fs::create_directories(tree / name);
      fs::copy(kPerceptron, tree / name);
    }
    temp_.write("samples/broken/c/model.py", "this is no model\n");
    return tree;
  }

  /// What a command that fails says.
  void expect_error(const std::vector<std::string>& words, int exit_code,
                    const std::vector<std::string_view>& parts) const {
    const ProgramEnd end = run_sample(words);
    EXPECT_EQ(end.state.exit_code, exit_code) << end.output;
    EXPECT_TRUE(mentions(end.output, parts));
  }

  TempDir temp_;
};

TEST_F(Index, HasTheBundledSamples) {
  const base::Json json = index({kSamples});
  EXPECT_EQ(json["schema"], "graphnet.index/1");
  EXPECT_EQ(json["written"], file().string());
  EXPECT_EQ(json["left_out"], base::Json::array());
  EXPECT_GT(json["samples"], 10);
  EXPECT_EQ(json["types"]["full_graph"], json["samples"]);
  EXPECT_EQ(json["rows"]["graph_sample"], json["samples"]);
  EXPECT_EQ(json["rows"]["sample_op_name"], json["operators"]);
  EXPECT_EQ(json["rows"]["graph_net_sample_buckets"], 0);
  EXPECT_EQ(read_text(file()).rfind("SQLite format 3", 0), 0U);
  EXPECT_EQ(json["bytes"], fs::file_size(file()));
}

TEST_F(Index, KnowsPiecesAndTheirOrigin) {
  const fs::path pieces = temp_.path() / "pieces";
  run_sample_json({"split", kPerceptron.string(), "--single-op", "-o", pieces.string()}, 0);
  const base::Json json = index({pieces, kSamples});
  const base::Json count = json["types"]["sole_op_graph"];
  EXPECT_EQ(count, 3);
  EXPECT_EQ(json["rows"]["subgraph_source"], count);
  EXPECT_EQ(json["rows"]["graph_net_sample_buckets"], count);
  EXPECT_EQ(json["without_origin"], base::Json::array());
  EXPECT_GT(json["groups"], 0);
  const base::Json chosen = run_sample_json({"select", file().string(), "-k", "2", "--groups"}, 0);
  EXPECT_EQ(chosen["selected"], 2);
  for (const base::Json& row : chosen["samples"]) EXPECT_EQ(row["type"], "sole_op_graph");
  fs::remove(file());
  EXPECT_EQ(index({pieces})["without_origin"].size(), 3U);
}

TEST_F(Index, NamesWhatItLeavesOut) {
  const base::Json json = index({tree_with_a_broken_sample()}, 1);
  EXPECT_EQ(json["samples"], 2);
  ASSERT_EQ(json["left_out"].size(), 1U);
  EXPECT_TRUE(mentions(json["left_out"][0]["path"].get<std::string>(), {"broken/c"}));
  EXPECT_TRUE(mentions(json["left_out"][0]["problem"].get<std::string>(), {"model.py:1"}));
  EXPECT_TRUE(fs::exists(file()));
}

TEST_F(Index, WritesNothingWithoutASampleOrInADryRun) {
  tree_with_a_broken_sample();
  const std::string broken = (temp_.path() / "samples/broken").string();
  expect_error({"index", broken, "-o", file().string()}, 3, {"model.py:1", "no sample"});
  fs::create_directories(temp_.path() / "empty");
  expect_error({"index", (temp_.path() / "empty").string(), "-o", file().string()}, 3, {"empty"});
  const base::Json dry =
      run_sample_json({"index", kPerceptron.string(), "--dry-run", "-o", file().string()}, 0);
  EXPECT_TRUE(dry["written"].is_null());
  EXPECT_EQ(dry["samples"], 1);
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(Index, ReplacesNothing) {
  base::Status written = base::write_file_atomic(file(), "mine");
  ASSERT_TRUE(written.is_ok());
  const std::string sample = kPerceptron.string();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"index", sample}, {"select", sample, "-k", "1"}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"-o", file().string()});
    expect_error(all, 2, {"index.sqlite", "already"});
  }
  EXPECT_EQ(read_text(file()), "mine");
  expect_error({"index", sample, "-o", (temp_.path() / "no/x.sqlite").string()}, 2, {"no"});
  expect_error({"index", sample}, 2, {"--output"});
  expect_error({"index", sample, "--type", "sole_op", "--dry-run"}, 2, {"sole_op_graph"});
}

class Select : public Index {};

TEST_F(Select, IsTheSameFromAnIndexAndFromATree) {
  index({kSamples});
  const base::Json stored = run_sample_json({"select", file().string(), "-k", "5"}, 0);
  EXPECT_EQ(stored["schema"], "graphnet.selection/1");
  EXPECT_EQ(stored["selected"], 5);
  EXPECT_EQ(run_sample_json({"select", kSamples.string(), "-k", "5"}, 0), stored);
  std::set<std::string> names;
  std::size_t covered = 0;
  for (const base::Json& row : stored["samples"]) {
    names.insert(row["name"].get<std::string>());
    covered += row["new_pairs"].get<std::size_t>();
  }
  EXPECT_EQ(names.size(), 5U);
  EXPECT_EQ(stored["covered_pairs"], covered);
  EXPECT_LT(covered, stored["pairs"].get<std::size_t>());
}

TEST_F(Select, WritesAListThatRunTakes) {
  run_sample_json({"select", kSamples.string(), "-k", "3", "-o", list().string()}, 0);
  const std::string program = build_dir() + "/bin/graphnet";
  const ProgramEnd end =
      run_program({program, "run", list().string(), "--config", "nope.yaml", "--dry-run"}, {},
                  temp_.path() / "log");
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  const base::Json json = run_sample_json({"select", kSamples.string(), "-k", "3"}, 0);
  for (const base::Json& row : json["samples"]) {
    EXPECT_TRUE(mentions(end.output, {row["name"].get<std::string>()}));
  }
}

TEST_F(Select, ListsBelowTheirFolderCanBeMoved) {
  const fs::path tree = tree_with_a_broken_sample();
  const base::Json json =
      run_sample_json({"select", (tree / "f").string(), "-k", "2", "-o", list().string()}, 0);
  EXPECT_EQ(json["written"], list().string());
  EXPECT_TRUE(mentions(read_text(list()), {"\nsamples/f/a\n", "samples/f/b\n"}));
}

TEST_F(Select, TakesAllWhereMoreIsAsked) {
  const ProgramEnd end = run_sample({"select", kPerceptron.string(), "-k", "7"});
  EXPECT_EQ(end.state.exit_code, 0);
  EXPECT_TRUE(mentions(end.output, {kPerceptron.string()}));
  EXPECT_TRUE(mentions(end.output, {"note", "7", "1"}));
}

TEST_F(Select, NamesWhatIsGone) {
  const fs::path tree = tree_with_a_broken_sample();
  fs::remove_all(tree / "broken");
  index({tree});
  fs::remove_all(tree / "f/a");
  const base::Json json = run_sample_json({"select", file().string(), "-k", "1"}, 1);
  EXPECT_EQ(json["of"], 1);
  EXPECT_EQ(json["left_out"][0]["path"], "f/a");
  // An index beside its tree finds it after a move.
  fs::create_directories(temp_.path() / "moved");
  fs::rename(tree / "f", temp_.path() / "moved/f");
  fs::rename(file(), temp_.path() / "moved/index.sqlite");
  const base::Json moved =
      run_sample_json({"select", (temp_.path() / "moved/index.sqlite").string(), "-k", "1"}, 1);
  EXPECT_EQ(moved["samples"][0]["name"], "f/b");
}

TEST_F(Select, RefusesWhatItCannotSelectFrom) {
  const std::string sample = kPerceptron.string();
  expect_error({"select", (kPerceptron / "model.py").string(), "-k", "1"}, 3,
               {"model.py", "index"});
  expect_error({"select", sample}, 2, {"-k"});
  for (const char* count : {"0", "-1", "many", "1.5"}) {
    expect_error({"select", sample, "-k", count}, 2, {count});
  }
  expect_error({"select", sample, "-k", "1", "--groups"}, 3, {"groups"});
  expect_error({"select", sample, "-k", "1", "--type", "sole_op_graph"}, 3, {"--type"});
  expect_error({"select", (temp_.path() / "none").string(), "-k", "1"}, 3, {"none"});
}

}  // namespace index_test
}  // namespace graphnet::tests
