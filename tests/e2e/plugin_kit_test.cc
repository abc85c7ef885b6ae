// SPDX-License-Identifier: MIT
// plugin new and plugin check: from nothing to a plugin that graphnet runs, outside the tree.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/json.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace {

namespace fs = std::filesystem;

const fs::path kControl = fs::path(GRAPHNET_SOURCE_DIR) / "configs/control";
const fs::path kBuild = GRAPHNET_BINARY_DIR;

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
  const char* name;
  std::vector<std::string> flags;
  bool with_clang;
  const char* compile;  ///< in what check says of level 1
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

/// A plugin of the zoo, the level at which it fails, and why.
struct Fault {
  const char* name;
  int level;
  const char* reason;
};

/// What `plugin check` finds first, with more flags of its own.
void expect_failure(const Fault& fault, const std::vector<std::string>& flags) {
  std::vector<std::string> words = {"plugin", "check", zoo(fault.name), "--json"};
  words.insert(words.end(), flags.begin(), flags.end());
  const ProgramEnd end = graphnet(words);
  EXPECT_EQ(end.state.exit_code, 4) << fault.name << end.output;
  const auto json = base::parse_json(end.output, "check");
  ASSERT_TRUE(json.is_ok()) << end.output;
  bool is_found = false;
  for (const auto& each : (*json)["checks"]) {
    if (each["state"] != "failed") continue;
    is_found = true;
    EXPECT_EQ(each["level"], fault.level) << fault.name << end.output;
    EXPECT_NE(each["message"].get<std::string>().find(fault.reason), std::string::npos)
        << fault.name << end.output;
  }
  EXPECT_TRUE(is_found) << fault.name << end.output;
}

TEST(PluginCheck, FindsFaultsAtTheirLevel) {
  const Fault faults[] = {
      {"missing_run", 0, "does not export gn_backend_run"},
      {"missing_dependency", 0, "libgn_zoo_absent_one.so.2"},
      {"undefined_symbol", 1, "undefined symbol"},
      {"wrong_major", 1, "ABI 9.3"},
      {"other_name", 1, "says its name is 'someone_else'"},
      {"crash_in_query", 1, "crashed in gn_plugin_query"},
      {"crash_in_compile", 1, "crashed in gn_backend_compile"},
      {"throw_in_compile", 1, "an exception left gn_backend_compile"},
      {"wrong_relu", 1, "accuracy_mismatch"},
  };
  for (const Fault& fault : faults) expect_failure(fault, {"--level", "1"});
}

TEST(PluginCheck, HoldsBehaviourToTheAbiAtLevelTwo) {
  const Fault faults[] = {
      {"compiles_when_asked", 2, "an executable with check_only"},
      {"refuses_late", 2, "check_only said that it is supported"},
      {"other_artifact", 2, "the loaded executable gives other bits"},
  };
  for (const Fault& fault : faults) {
    expect_failure(fault, {"--level", "2", "--cases", "product/linear/f32/*"});
  }
}

TEST(PluginCheck, FindsTricksAtLevelThree) {
  const Fault tricks[] = {
      {"onednn_off", 3, "flagged settings_changed"},
      {"late_output", 3, "after gn_backend_run had returned"},
      {"fast_clock", 3, "clock_tampered"},
      {"built_in_weights", 3, "second weights"},
  };
  for (const Fault& trick : tricks) {
    expect_failure(trick, {"--cases", "product/linear/f32/*", "--samples", kControl.string()});
  }
}

TEST(PluginCheck, PassesTheControl) {
  const ProgramEnd end =
      graphnet({"plugin", "check", (kBuild / "lib/graphnet/plugins/nope/libgn_nope.so").string(),
                "--level", "1"});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_TRUE(mentions(end.output, {"level 0  exports     passed", "level 1  compile     passed"}));
}

}  // namespace
}  // namespace graphnet::tests
