// SPDX-License-Identifier: MIT
#include "cli/git_changes.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/temp_dir.h"

namespace graphnet::cli {
namespace git_changes_test {

namespace fs = std::filesystem;

/// A git tree with one commit, "before", in which a/x, b/x and .gitignore are.
class Tree {
 public:
  Tree() {
    temp_.write("a/x", "1");
    temp_.write("b/x", "1");
    temp_.write(".gitignore", "ignored\n");
    git("init -q");
    commit();
    git("tag before");
  }
  void git(const std::string& words) const {
    const std::string command = "cd '" + path().string() +
                                "' && git -c user.name=t -c user.email=t@t -c init.defaultBranch=m "
                                "-c commit.gpgsign=false " +
                                words;
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  void commit() const {
    git("add -A");
    git("commit -q -m more");
  }
  void write(const std::string& file) const { temp_.write(file, "2"); }
  fs::path path() const { return fs::canonical(temp_.path()); }
  std::set<fs::path> changed(const std::string& since = "before") const {
    auto folders = changed_folders(path(), since);
    EXPECT_TRUE(folders.is_ok()) << folders.status().to_string();
    return folders.is_ok() ? *folders : std::set<fs::path>();
  }

 private:
  tests::TempDir temp_;
};

using Folders = std::set<fs::path>;

class GitChanges : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("git --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no git";
  }
};

TEST_F(GitChanges, NothingIsChanged) {
  const Tree tree;
  EXPECT_EQ(tree.changed(), Folders());
}

TEST_F(GitChanges, AreWhatWasCommittedChangedRemovedOrAdded) {
  const Tree tree;
  tree.write("a/x");
  EXPECT_EQ(tree.changed(), (Folders{tree.path(), tree.path() / "a"}));
  tree.commit();
  EXPECT_EQ(tree.changed(), (Folders{tree.path(), tree.path() / "a"}));
  EXPECT_EQ(tree.changed("HEAD"), Folders());
  fs::remove(tree.path() / "b/x");
  tree.write("c d/\u00e9/x");
  tree.write("c d/ignored");
  EXPECT_EQ(tree.changed("HEAD"), (Folders{tree.path(), tree.path() / "b", tree.path() / "c d",
                                           tree.path() / "c d/\u00e9"}));
}

TEST_F(GitChanges, CountFromWhereTheBranchLeft) {
  const Tree tree;
  tree.git("checkout -q -b other");
  tree.write("b/x");
  tree.commit();
  tree.git("checkout -q -b mine before");
  tree.write("a/x");
  tree.commit();
  EXPECT_EQ(tree.changed("other"), (Folders{tree.path(), tree.path() / "a"}));
}

TEST_F(GitChanges, NeedATreeAndACommit) {
  const Tree tree;
  for (const char* commit : {"none", "--all", ""}) {
    EXPECT_EQ(changed_folders(tree.path(), commit).status().code(), base::Code::kInput) << commit;
  }
  const tests::TempDir no_tree;
  EXPECT_EQ(changed_folders(no_tree.path(), "HEAD").status().code(), base::Code::kInput);
}

}  // namespace git_changes_test
}  // namespace graphnet::cli
