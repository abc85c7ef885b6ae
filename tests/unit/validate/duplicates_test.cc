// SPDX-License-Identifier: MIT
#include "validate/duplicates.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>

#include "base/file.h"
#include "support/temp_dir.h"

namespace graphnet::validate {
namespace duplicates_test {

namespace fs = std::filesystem;

/// Samples below one folder.
class Tree {
 public:
  /// One whose program is `x <operation> x`, with the names of its own.
  fs::path add(const std::string& name, const std::string& operation,
               const std::string& sources = "") const {
    const std::string place = "samples/t/" + name + "/";
    temp_.write(place + "model.py",
                "import torch\nclass GraphModule(torch.nn.Module):\n    def forward(self, x):\n"
                "        " +
                    name + " = x " + operation + " x\n        return (" + name + ",)\n");
    temp_.write(place + "weight_meta.py",
                "class Program_weight_tensor_meta_x:\n    name = \"x\"\n    shape = [2]\n"
                "    dtype = \"torch.float32\"\n    device = \"cpu\"\n    mean = 0.0\n"
                "    std = 1.0\n    data = None\n");
    temp_.write(place + "graph_net.json", "{}");
    if (!sources.empty()) temp_.write(place + kSourcesFile, sources);
    return temp_.path() / "samples/t" / name;
  }
  fs::path write(const std::string& name, const std::string& text) const {
    return temp_.write("samples/t/" + name, text);
  }

 private:
  tests::TempDir temp_;
};

using Paths = std::vector<fs::path>;

TEST(FindDuplicates, KeepsTheFirstByName) {
  const Tree tree;
  const fs::path c = tree.add("c", "+");
  const fs::path b = tree.add("b", "*");
  const fs::path a = tree.add("a", "+");
  const fs::path d = tree.add("d", "+");
  const DuplicateSearch search = find_duplicates({c, b, a, d});
  EXPECT_TRUE(search.errors.empty());
  ASSERT_EQ(search.groups.size(), 1U);
  EXPECT_EQ(search.groups[0].kept, a);
  EXPECT_EQ(search.groups[0].removed, (Paths{c, d}));
  EXPECT_EQ(search.groups[0].program_hash.size(), 64U);
}

TEST(FindDuplicates, TakesAFolderThatIsNamedTwiceForOneSample) {
  const Tree tree;
  const fs::path a = tree.add("a", "+");
  const fs::path link = a.parent_path() / "link";
  fs::create_directory_symlink(a, link);
  EXPECT_TRUE(find_duplicates({a, a / "", a.parent_path() / "." / "a", link}).groups.empty());
}

TEST(FindDuplicates, LeavesOutWhatItCannotRead) {
  const Tree tree;
  const Paths folders = {tree.add("a", "+"), tree.add("b", "+"), tree.add("c", "*"),
                         tree.add("d", "*", R"({"samples/m": [[3, 2]]})"), tree.add("e", "-")};
  tree.write("e/model.py", "no program");
  const DuplicateSearch search = find_duplicates(folders);
  ASSERT_EQ(search.groups.size(), 1U);
  EXPECT_EQ(search.groups[0].kept, folders[0]);
  ASSERT_EQ(search.errors.size(), 2U);
  for (const base::Status& error : search.errors) EXPECT_EQ(error.code(), base::Code::kInput);
}

TEST(FindDuplicates, KeepsSamplesThatHoldOthers) {
  const Tree tree;
  const Paths folders = {tree.add("a", "+"), tree.add("b", "+")};
  tree.write("b/_decomposed/b_0/model.py", "");
  const DuplicateSearch search = find_duplicates(folders);
  EXPECT_TRUE(search.groups.empty());
  ASSERT_EQ(search.errors.size(), 1U);
  EXPECT_EQ(search.errors[0].code(), base::Code::kInput);
}

TEST(RemoveDuplicates, MergesSourcesAsUpstreamDoes) {
  const Tree tree;
  const fs::path a = tree.add("a", "+", R"({"samples/n": [[4, 6], [0, 2]]})");
  const fs::path b = tree.add("b", "+");
  const fs::path c =
      tree.add("c", "+", R"({"samples/m": [[1, 3]], "samples/n": [[0, 2], [2, 4]]})");
  const DuplicateSearch search = find_duplicates({a, b, c});
  ASSERT_EQ(search.groups.size(), 1U);
  ASSERT_TRUE(remove_duplicates(search.groups[0]).is_ok());
  EXPECT_FALSE(fs::exists(b));
  EXPECT_FALSE(fs::exists(c));
  const auto text = base::read_file(a / kSourcesFile, 1 << 20);
  ASSERT_TRUE(text.is_ok());
  // As Python's json.dump(indent=4).
  const auto range = [](const char* first, const char* end) {
    return std::string("        [\n            ") + first + ",\n            " + end + "\n        ]";
  };
  EXPECT_EQ(*text, "{\n    \"samples/m\": [\n" + range("1", "3") +
                       "\n    ],\n    \"samples/n\": [\n" + range("0", "2") + ",\n" +
                       range("2", "4") + ",\n" + range("4", "6") + "\n    ]\n}");
  EXPECT_EQ(std::distance(fs::directory_iterator(a.parent_path()), fs::directory_iterator()), 1);
  EXPECT_TRUE(find_duplicates({a}).groups.empty());
}

TEST(RemoveDuplicates, MakesNoSourcesWhereThereAreNone) {
  const Tree tree;
  const DuplicateSearch search = find_duplicates({tree.add("a", "+"), tree.add("b", "+")});
  ASSERT_EQ(search.groups.size(), 1U);
  ASSERT_TRUE(remove_duplicates(search.groups[0]).is_ok());
  EXPECT_FALSE(fs::exists(search.groups[0].kept / kSourcesFile));
}

}  // namespace duplicates_test
}  // namespace graphnet::validate
