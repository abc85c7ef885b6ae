// SPDX-License-Identifier: MIT
// plugin new and plugin check: from nothing to a plugin that graphnet runs, outside the tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
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

/// A plugin of the zoo, the level at which it fails, and why.
struct Fault {
  const char* name;
  int level;
  const char* reason;

  friend std::ostream& operator<<(std::ostream& out, const Fault& fault) {
    return out << fault.name;
  }
};

/// What `plugin check` finds first, with more flags of its own.
void expect_failure(const Fault& fault, const std::vector<std::string>& flags) {
  std::vector<std::string> words = {"plugin", "check", zoo(fault.name), "--json"};
  words.insert(words.end(), flags.begin(), flags.end());
  const ProgramEnd end = graphnet(words);
  EXPECT_EQ(end.state.exit_code, 4) << fault.name << end.output;
  const auto json = base::parse_json(end.output, "check");
  ASSERT_TRUE(json.is_ok()) << end.output;
  const auto& checks = (*json)["checks"];
  const auto failed = std::find_if(checks.begin(), checks.end(),
                                   [](const auto& each) { return each["state"] == "failed"; });
  ASSERT_NE(failed, checks.end()) << end.output;
  EXPECT_EQ((*failed)["level"], fault.level) << end.output;
  EXPECT_NE((*failed)["message"].template get<std::string>().find(fault.reason), std::string::npos)
      << end.output;
}

class PluginCheckLoads : public ::testing::TestWithParam<Fault> {};

TEST_P(PluginCheckLoads, FindsTheFault) {
  expect_failure(GetParam(),
                 {"--level", "1", "--set", "timeouts.compile=3s", "--set", "timeouts.run=3s"});
}

INSTANTIATE_TEST_SUITE_P(
    Faults, PluginCheckLoads,
    ::testing::Values(
        Fault{"missing_query", 0, "does not export gn_plugin_query"},
        Fault{"missing_compile", 0, "does not export gn_backend_compile"},
        Fault{"missing_run", 0, "does not export gn_backend_run"},
        Fault{"missing_dependency", 0, "libgn_zoo_absent_one.so.2"},
        Fault{"undefined_symbol", 1, "undefined symbol"}, Fault{"wrong_major", 1, "ABI 9.3"},
        Fault{"future_minor", 1, "ABI 0.7"}, Fault{"refuses_host", 1, "needs a full moon"},
        Fault{"other_name", 1, "says its name is 'someone_else'"},
        Fault{"other_version", 1, "says its version is '7.0.0'"},
        Fault{"small_table", 1, "is smaller than ABI"},
        Fault{"empty_slot", 1, "a mandatory slot of its table is empty"},
        Fault{"other_slot", 1, "is not the exported gn_backend_run"},
        Fault{"crash_in_constructor", 1, "crashed in its static constructors"},
        Fault{"crash_in_query", 1, "crashed in gn_plugin_query"},
        Fault{"crash_in_compile", 1, "crashed in gn_backend_compile"},
        Fault{"crash_in_run", 1, "crashed in gn_backend_run"}, Fault{"abort_in_run", 1, "SIGABRT"},
        Fault{"exit_in_compile", 1, "called exit(3)"}, Fault{"exit_in_run", 1, "called exit(0)"},
        Fault{"throw_in_compile", 1, "an exception left gn_backend_compile"},
        Fault{"hang_in_compile", 1, "exceeded the limit of 3s in gn_backend_compile"},
        Fault{"hang_in_run", 1, "exceeded the limit of 3s in gn_backend_run"},
        Fault{"ignores_cancel", 1, "exceeded the limit of 3s"},
        Fault{"waits_for_cancel", 1, "exceeded the limit of 3s"},
        Fault{"swallows_crash", 1, "exceeded the limit of 3s"},
        Fault{"closes_all_files", 1, "closed the worker's control channel"},
        Fault{"unwritten", 1, "unwritten"}, Fault{"partly_written", 1, "non_finite"},
        Fault{"not_a_number", 1, "non_finite"}, Fault{"slightly_wrong", 1, "accuracy_mismatch"},
        Fault{"wrong_relu", 1, "accuracy_mismatch"},
        Fault{"writes_before", 1, "before the first byte"},
        Fault{"writes_behind", 1, "behind the last byte"},
        Fault{"writes_inputs", 1, "changed input"}, Fault{"writes_weights", 1, "changed weight"},
        Fault{"moves_output", 1, "changed the tensor of output0"},
        Fault{"long_info", 1, "info gave 1048576 bytes"}),
    [](const auto& row) { return row.param.name; });

class PluginCheckCases : public ::testing::TestWithParam<Fault> {};

TEST_P(PluginCheckCases, FindsTheFault) {
  expect_failure(GetParam(), {"--level", "2", "--cases", "product/linear/f32/*"});
}

INSTANTIATE_TEST_SUITE_P(
    Faults, PluginCheckCases,
    ::testing::Values(Fault{"compiles_when_asked", 2, "an executable with check_only"},
                      Fault{"refuses_late", 2, "check_only said that it is supported"},
                      Fault{"other_artifact", 2, "the loaded executable gives other bits"},
                      Fault{"closes_files", 2, "ended the process"},
                      Fault{"ignores_no_memory", 2, "unwritten"}),
    [](const auto& row) { return row.param.name; });

class PluginCheckSamples : public ::testing::TestWithParam<Fault> {};

TEST_P(PluginCheckSamples, FindsTheTrick) {
  expect_failure(GetParam(),
                 {"--cases", "product/linear/f32/bias", "--samples", kControl.string()});
}

INSTANTIATE_TEST_SUITE_P(
    Tricks, PluginCheckSamples,
    ::testing::Values(
        Fault{"onednn_off", 3, "flagged settings_changed"},
        Fault{"one_thread", 3, "flagged settings_changed"},
        Fault{"flushes_denormals", 3, "flagged settings_changed"},
        Fault{"late_output", 3, "after gn_backend_run had returned"},
        Fault{"moves_later", 3, "moved_output"}, Fault{"fast_clock", 3, "clock_tampered"},
        Fault{"slow_clock", 3, "clock_tampered"}, Fault{"cached_output", 3, "stale_output"},
        Fault{"stale_input_at_last", 3, "stale_output"}, Fault{"flipped_bit", 3, "stale_output"},
        Fault{"ignores_inputs", 3, "stale_output"}, Fault{"wrong_at_first", 3, "wrong_output"},
        Fault{"other_seed", 3, "other_seed"}, Fault{"one_element", 3, "an element is off"},
        Fault{"built_in_weights", 3, "second weights"},
        Fault{"stays_bound", 3, "first weights were bound again"}),
    [](const auto& row) { return row.param.name; });

TEST(PluginCheck, PassesTheControl) {
  const ProgramEnd end =
      graphnet({"plugin", "check", (kBuild / "lib/graphnet/plugins/nope/libgn_nope.so").string(),
                "--level", "1"});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_TRUE(mentions(end.output, {"level 0  exports     passed", "level 1  compile     passed"}));
}

}  // namespace
}  // namespace graphnet::tests
