// SPDX-License-Identifier: MIT
// plugin new and plugin check: from nothing to a plugin that graphnet runs, outside the tree.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "support/folders.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace plugin_kit_test {

namespace fs = std::filesystem;

const fs::path kBuild = build_dir();

ProgramEnd run(const std::vector<std::string>& words) {
  const TempDir temp;
  return run_program(words, {}, temp.path() / "log");
}

ProgramEnd graphnet(std::vector<std::string> words) {
  words.insert(words.begin(), (kBuild / "bin" / "graphnet").string());
  return run(words);
}

std::string zoo(const std::string& name) {
  return (kBuild / "tests" / "plugins" / name).string();
}

struct Kit {
  friend std::ostream& operator<<(std::ostream& out, const Kit& kit) { return out << kit.name; }

  const char* name;
  std::vector<std::string> flags;
  bool with_clang;
  const char* compile;       ///< in what check says of level 1
  const char* linking = "";  ///< more options of the linker
};

class PluginNew : public ::testing::TestWithParam<Kit> {};

TEST_P(PluginNew, BuildsAgainstTheInstalledSdkAndRuns) {
  const Kit& kit = GetParam();
  const TempDir temp;
  const std::string sdk = temp.path() / "sdk";
  const std::string folder = temp.path() / kit.name;
  const ProgramEnd installed =
      run({GRAPHNET_CMAKE, "--install", kBuild.string(), "--component", "sdk", "--prefix", sdk});
  ASSERT_EQ(installed.state.exit_code, 0) << installed.output;
  std::vector<std::string> words = {"plugin", "new", kit.name, "--into", folder};
  words.insert(words.end(), kit.flags.begin(), kit.flags.end());
  const ProgramEnd made = graphnet(words);
  ASSERT_EQ(made.state.exit_code, 0) << made.output;
  EXPECT_TRUE(
      mentions(made.output, {"CMakeLists.txt", "plugin.yaml", "cmake --build", "run.yaml"}));
  const bool is_clang = kit.with_clang && GRAPHNET_HAS_CLANG != 0;
  const ProgramEnd configured =
      run({GRAPHNET_CMAKE, "-S", folder, "-B", folder + "/build", "-DCMAKE_PREFIX_PATH=" + sdk,
           std::string("-DCMAKE_MODULE_LINKER_FLAGS=") + kit.linking,
           std::string("-DCMAKE_C_COMPILER=") + (is_clang ? "clang" : "gcc"),
           std::string("-DCMAKE_CXX_COMPILER=") + (is_clang ? "clang++" : "g++")});
  ASSERT_EQ(configured.state.exit_code, 0) << configured.output;
  const ProgramEnd built = run({GRAPHNET_CMAKE, "--build", folder + "/build"});
  ASSERT_EQ(built.state.exit_code, 0) << built.output;
  const std::string plugin = folder + "/build/lib/graphnet/plugins/" + kit.name;
  const ProgramEnd checked = graphnet({"plugin", "check", plugin, "--level", "1"});
  EXPECT_EQ(checked.state.exit_code, 0) << checked.output;
  EXPECT_TRUE(mentions(checked.output, {"the three functions of the ABI", kit.compile}));
  EXPECT_EQ(checked.output.find("warning"), std::string::npos) << checked.output;
}

INSTANTIATE_TEST_SUITE_P(
    Kits, PluginNew,
    ::testing::Values(Kit{"in_cpp", {}, false, "loads, compiles and runs a graph"},
                      Kit{"with_a_static_cpp_library",
                          {},
                          false,
                          "loads, compiles and runs a graph",
                          "-static-libstdc++ -static-libgcc"},
                      Kit{"in_c", {"--lang", "c"}, true, "loads; refuses a graph with reasons"},
                      Kit{"lowered", {"--lowering"}, true, "loads, compiles and runs a graph"}),
    [](const auto& row) { return row.param.name; });

TEST(PluginNewMistakes, WriteNothing) {
  const TempDir temp;
  const std::string folder = temp.path() / "acme";
  struct Row {
    std::vector<std::string> words;
    const char* message;
  };
  const std::vector<Row> rows = {
      {{"plugin", "new"}, "plugin new needs one name"},
      {{"plugin", "new", "Acme", "--into", folder}, "'Acme' is no name for a plugin"},
      {{"plugin", "new", "acme", "--into", folder, "--lang", "rust"}, "--lang must be c++ or c"},
      {{"plugin", "new", "acme", "--into", folder, "--lang", "c", "--lowering"},
       "excludes --lang c"},
      {{"plugin", "new", "acme", "--into", temp.path().string()}, "exists; nothing was written"},
      {{"plugin", "list", "--lang", "c"}, "belong to plugin new"},
      {{"plugin", "check"}, "plugin check needs a plugin"},
      {{"plugin", "check", folder}, "no plugin at"},
      {{"plugin", "check", temp.path().string()}, "no plugin.yaml beside"},
      {{"plugin", "check", zoo("healthy"), "--level", "7"}, "--level must be 0 to 3"},
  };
  for (const Row& row : rows) {
    const ProgramEnd end = graphnet(row.words);
    EXPECT_NE(end.state.exit_code, 0) << row.message;
    EXPECT_NE(end.output.find(row.message), std::string::npos) << end.output;
  }
  EXPECT_FALSE(fs::exists(folder));
}

}  // namespace plugin_kit_test
}  // namespace graphnet::tests
