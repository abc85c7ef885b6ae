// SPDX-License-Identifier: MIT
#include "index/index_file.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "index/catalog.h"
#include "index/tables.h"
#include "journal/database.h"
#include "support/mentions.h"
#include "support/temp_dir.h"

namespace graphnet::index {
namespace index_file_test {

using base::Json;
using tests::mentions;
using tests::TempDir;

constexpr const char* kModel =
    "import torch\n\n\nclass GraphModule(torch.nn.Module):\n"
    "    def forward(self, L_x_: torch.Tensor):\n"
    "        l_x_ = L_x_\n"
    "        a = torch.relu(l_x_);  l_x_ = None\n"
    "        b = a + 1;  a = None\n"
    "        return (b,)\n";
constexpr const char* kMeta =
    "class Program_weight_tensor_meta_L_x_:\n    name = \"L_x_\"\n    shape = [2, 20]\n"
    "    dtype = \"torch.float32\"\n    device = \"cpu\"\n    mean = 0.0\n    std = 1.0\n"
    "    data = None\n";

/// A small sample in a folder of `temp`.
void write_sample(const TempDir& temp, const std::string& folder, const std::string& sources = "") {
  temp.write(folder + "/model.py", kModel);
  temp.write(folder + "/weight_meta.py", kMeta);
  temp.write(folder + "/graph_net.json", "{\"framework\": \"torch\"}");
  temp.write(folder + "/graph_hash.txt", " abc \n");
  if (!sources.empty()) temp.write(folder + "/subgraph_sources.json", sources);
}

Entry read(const TempDir& temp, const std::string& tree, const std::string& folder,
           std::optional<SampleType> type = {}) {
  const Tree root = trees_of({temp.path() / tree})[0];
  auto entry = read_entry(root, temp.path() / tree / folder, type);
  EXPECT_TRUE(entry.is_ok()) << entry.status().to_string();
  return entry.is_ok() ? *entry : Entry();
}

const std::string kPiece = "samples/f/m/_decomposed/m_start0_end2_0";

TEST(Entry, IsWhatTheFilesSay) {
  const TempDir temp;
  write_sample(temp, "tree/samples/f/m");
  const Entry entry = read(temp, "tree", "samples/f/m");
  EXPECT_EQ(entry.repo, "tree");
  EXPECT_EQ(entry.relative_path, "samples/f/m");
  EXPECT_EQ(entry.type, SampleType::kFullGraph);
  EXPECT_EQ(entry.graph_hash, "abc");
  EXPECT_EQ(entry.op_names, (std::vector<std::string>{"relu", "add"}));
  ASSERT_EQ(entry.tensors.size(), 1U);
  EXPECT_EQ(entry.tensors[0].name, "L_x_");
  EXPECT_EQ(entry.data_type, "float32");
  EXPECT_EQ(entry.uid.size(), 32U);
}

TEST(Entry, UidsDependOnPathsAndNotOnWhereTheTreeIs) {
  const TempDir here;
  const TempDir there;
  write_sample(here, "tree/samples/f/m");
  write_sample(there, "deep/tree/samples/f/m");
  EXPECT_EQ(read(here, "tree", "samples/f/m").uid, read(there, "deep/tree", "samples/f/m").uid);
}

TEST(Entry, PiecesAreToldByTheirFilesAndFolders) {
  const TempDir temp;
  write_sample(temp, "tree/" + kPiece);
  write_sample(temp, "tree/x", "{\"samples/f/m\": [[3, 5], [1, 2]]}");
  const Entry placed = read(temp, "tree", kPiece);
  EXPECT_EQ(placed.type, SampleType::kTypicalGraph);
  EXPECT_EQ(placed.origin->path, "samples/f/m");
  EXPECT_EQ(placed.origin->first, -1);
  const Entry said = read(temp, "tree", "x");
  EXPECT_EQ(said.origin->first, 1);
  EXPECT_EQ(said.origin->end, 2);
}

TEST(Entry, TypesAreThoseOfUpstreamsFolders) {
  const TempDir temp;
  write_sample(temp, "set/fusible_graph/float16/0/" + kPiece);
  const std::string piece = "float16/0/" + kPiece;
  const Entry below = read(temp, "set", "fusible_graph/" + piece, SampleType::kSoleOpGraph);
  EXPECT_EQ(below.type, SampleType::kFusibleGraph);
  EXPECT_EQ(below.relative_path, piece);
  EXPECT_EQ(below.data_type, "float16");
  EXPECT_EQ(read(temp, "set/fusible_graph", piece).type, SampleType::kFusibleGraph);
  EXPECT_EQ(read(temp, "set/fusible_graph/float16", "0/" + kPiece, SampleType::kSoleOpGraph).type,
            SampleType::kSoleOpGraph);
}

TEST(Trees, HaveNamesOfTheirOwn) {
  const TempDir temp;
  write_sample(temp, "a/samples/f/m");
  write_sample(temp, "b/samples/f/n");
  const auto trees = trees_of({temp.path() / "a/samples", temp.path() / "b/samples/",
                               temp.path() / "a/samples/f/m", temp.path() / "a/samples/f"});
  EXPECT_EQ(trees[0].repo, "samples");
  EXPECT_EQ(trees[1].repo, "samples-2");
  // A sample is in the tree of the folder around it.
  EXPECT_EQ(trees[2].root, temp.path() / "a/samples/f");
  EXPECT_EQ(trees[2].repo, trees[3].repo);
}

class IndexOfTwo : public testing::Test {
 protected:
  IndexOfTwo() {
    write_sample(temp_, "full/samples/f/m");
    write_sample(temp_, "pieces/" + kPiece, "{\"samples/f/m\": [[0, 2]]}");
    write_sample(temp_, "pieces/y", "{\"samples/f/other\": [[4, 6]]}");
    trees_ = trees_of({temp_.path() / "full", temp_.path() / "pieces"});
    entries_ = {read(temp_, "pieces", "y"), read(temp_, "pieces", kPiece),
                read(temp_, "full", "samples/f/m")};
    sort_entries(entries_);
    auto file = make_index(trees_, entries_, 1000000);
    EXPECT_TRUE(file.is_ok()) << file.status().to_string();
    if (!file.is_ok()) return;
    index_ = *file;
    EXPECT_TRUE(base::write_file_atomic(path(), index_.bytes).is_ok());
  }

  std::filesystem::path path() const { return temp_.path() / "index.sqlite"; }

  std::vector<std::vector<Json>> query(const std::string& sql) const {
    const auto database = journal::Database::open_file(path());
    EXPECT_TRUE(database.is_ok()) << database.status().to_string();
    const auto result = database->query(sql);
    EXPECT_TRUE(result.is_ok()) << sql << result.status().to_string();
    return result.is_ok() ? result->rows : std::vector<std::vector<Json>>();
  }

  TempDir temp_;
  std::vector<Tree> trees_;
  std::vector<Entry> entries_;
  IndexFile index_;
};

TEST_F(IndexOfTwo, HasUpstreamsRows) {
  EXPECT_EQ(query("SELECT relative_model_path, sample_type, is_subgraph, num_ops, graph_hash, "
                  "order_value, create_at, deleted FROM graph_sample ORDER BY order_value"),
            (std::vector<std::vector<Json>>{
                {"samples/f/m", "full_graph", 0, 2, "abc", 0, "1970-01-01 00:00:01.000000", 0},
                {kPiece, "typical_graph", 1, 2, "abc", 1, "1970-01-01 00:00:01.000001", 0},
                {"y", "typical_graph", 1, 2, "abc", 2, "1970-01-01 00:00:01.000002", 0}}));
  EXPECT_EQ(query("SELECT op_name, op_idx, op_size FROM sample_op_name WHERE sample_uuid = '" +
                  entries_[1].uid + "'"),
            (std::vector<std::vector<Json>>{{"relu", 0, 2}, {"add", 1, 2}}));
  EXPECT_EQ(query("SELECT DISTINCT op_names_json FROM sample_op_name_list")[0][0],
            "[{\"op_name\": \"relu\", \"op_idx\": 0}, {\"op_name\": \"add\", \"op_idx\": 1}]");
  EXPECT_EQ(
      query("SELECT DISTINCT input_name, input_idx, shape, dtype FROM sample_input_tensor_meta"),
      (std::vector<std::vector<Json>>{{"L_x_", 0, "[2, 20]", "torch.float32"}}));
}

TEST_F(IndexOfTwo, SaysWherePiecesComeFrom) {
  const std::string full = entries_[0].uid;
  const std::string piece = entries_[1].uid;
  EXPECT_EQ(query("SELECT subgraph_uuid, full_graph_uuid, range_start, range_end "
                  "FROM subgraph_source"),
            (std::vector<std::vector<Json>>{{piece, full, 0, 2}}));
  EXPECT_EQ(query("SELECT generalized_graph_uuid, original_graph_uuid, total_element_size "
                  "FROM dimension_generalization_source"),
            (std::vector<std::vector<Json>>{{piece, full, 40}}));
  EXPECT_EQ(query("SELECT generalized_graph_uuid, data_type FROM datatype_generalization_source"),
            (std::vector<std::vector<Json>>{{piece, "float32"}}));
  EXPECT_EQ(index_.without_origin, std::vector<std::string>{"y"});
}

TEST_F(IndexOfTwo, GroupsPiecesOnly) {
  EXPECT_EQ(query("SELECT count(*) FROM graph_net_sample_buckets")[0][0], 2);
  EXPECT_EQ(query("SELECT DISTINCT input_shapes_bucket_id FROM graph_net_sample_buckets")[0][0],
            "[[0, 1]]");
  EXPECT_EQ(query("SELECT group_policy, policy_version, group_type FROM graph_net_sample_groups "
                  "ORDER BY 1"),
            (std::vector<std::vector<Json>>{{"bucket_policy_v1", "1.0", "ai4c"},
                                            {"bucket_policy_v2", "1.0", "ai4c"}}));
}

TEST_F(IndexOfTwo, CountsItsRows) {
  ASSERT_EQ(index_.rows.size(), tables().size());
  for (std::size_t i = 0; i < tables().size(); ++i) {
    const std::string name = tables()[i].name;
    EXPECT_EQ(query("SELECT count(*) FROM " + name)[0][0], index_.rows[i]) << name;
  }
  EXPECT_EQ(query("PRAGMA foreign_key_check"), std::vector<std::vector<Json>>());
}

TEST_F(IndexOfTwo, IsReadAsTheEntries) {
  const auto stored = read_index(path());
  ASSERT_TRUE(stored.is_ok()) << stored.status().to_string();
  const Catalog made = catalog_of(entries_);
  ASSERT_EQ(stored->samples.size(), made.samples.size());
  for (std::size_t i = 0; i < made.samples.size(); ++i) {
    EXPECT_EQ(stored->samples[i].uid, made.samples[i].uid);
    EXPECT_EQ(stored->samples[i].folder, made.samples[i].folder);
    EXPECT_EQ(stored->samples[i].op_names, made.samples[i].op_names);
  }
  EXPECT_EQ(stored->groups.size(), made.groups.size());
  EXPECT_EQ(largest_groups(*stored), largest_groups(made));
}

// Upstream's name no folder of this machine, and have operators of pieces only.
TEST_F(IndexOfTwo, UpstreamsAreReadBesideTheirDataSet) {
  auto database = journal::Database::in_memory();
  ASSERT_TRUE(database.is_ok());
  const base::Status changed = database->execute(
      "ATTACH '" + path().string() +
      "' AS stored; DELETE FROM stored.sample_op_name_list;"
      "UPDATE stored.repo SET repo_url = 'https://huggingface.co/datasets';"
      "UPDATE stored.graph_sample SET deleted = 1 WHERE relative_model_path = 'y'");
  ASSERT_TRUE(changed.is_ok()) << changed.to_string();
  write_sample(temp_, "full_graph/samples/f/m");
  const auto read = read_index(path());
  ASSERT_TRUE(read.is_ok()) << read.status().to_string();
  ASSERT_EQ(read->samples.size(), 2U);
  EXPECT_EQ(read->samples[0].folder, temp_.path() / "full_graph/samples/f/m");
  EXPECT_FALSE(read->samples[0].op_names.has_value());
  EXPECT_TRUE(read->samples[1].folder.empty());
  EXPECT_TRUE(largest_groups(*read).empty());
}

TEST_F(IndexOfTwo, OtherFilesAreNoIndex) {
  const auto text = temp_.write("text", "a list of samples, say\n");
  auto empty = journal::Database::in_memory();
  ASSERT_TRUE(empty.is_ok());
  ASSERT_TRUE(empty->execute("CREATE TABLE other (x)").is_ok());
  const auto other = temp_.write("other", *empty->file_bytes());
  for (const auto& file : {text, other, temp_.path() / "none"}) {
    const auto read = read_index(file);
    ASSERT_FALSE(read.is_ok()) << file;
    EXPECT_EQ(read.status().code(), base::Code::kInput);
    EXPECT_TRUE(mentions(read.status().to_string(), {file.string(), "index"}));
  }
}

TEST_F(IndexOfTwo, TwoOfOneUidAreAnError) {
  entries_.push_back(entries_[0]);
  const auto file = make_index(trees_, entries_, 0);
  ASSERT_FALSE(file.is_ok());
  EXPECT_EQ(file.status().code(), base::Code::kInput);
}

}  // namespace index_file_test
}  // namespace graphnet::index
