// SPDX-License-Identifier: MIT
// Which plugins a command line may use: versions, pins, the environment, file modes.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace loader_test {

namespace fs = std::filesystem;

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kNopeConfig = source_dir() + "/configs/nope.yaml";
const std::string kPlugins = build_dir() + "/lib/graphnet/plugins";
const std::string kSmall = source_dir() + "/samples/transformers-auto-model/sadhaklal_mlp-iris";

class Loader : public ::testing::Test {
 protected:
  ProgramEnd graphnet(std::vector<std::string> arguments,
                      const std::vector<std::string>& environment = {}) {
    arguments.insert(arguments.begin(), kProgram);
    return run_program(arguments, environment, folder_.path() / "log");
  }

  ProgramEnd run(std::vector<std::string> arguments,
                 const std::vector<std::string>& environment = {}) {
    arguments.insert(arguments.begin(), {"run", kSmall, "--protocol", "upstream", "--trials", "1"});
    arguments.insert(arguments.end(), {"-o", results().string()});
    return graphnet(std::move(arguments), environment);
  }

  fs::path results() const { return folder_.path() / "results.jsonl"; }

  std::vector<record::Record> records() const {
    auto content = journal::read_journal(results());
    EXPECT_TRUE(content.is_ok()) << content.status().to_string();
    return content.is_ok() ? std::move(content->records) : std::vector<record::Record>();
  }

  static void expect_text(const ProgramEnd& end, const std::string& wanted) {
    EXPECT_NE(end.output.find(wanted), std::string::npos) << wanted << " is not in\n" << end.output;
  }

  /// The nope plugin in a folder of its own, for tests that change its files.
  fs::path copied_library() const {
    const fs::path target = folder_.path() / "plugins" / "nope";
    fs::create_directories(target);
    fs::copy(kPlugins + "/nope", target, fs::copy_options::recursive);
    return fs::canonical(target) / "libgn_nope.so";
  }

  TempDir folder_;
};

TEST_F(Loader, VersionThatTheConfigWants) {
  const ProgramEnd end = run({"--config", kNopeConfig, "--set", "backend.version=\">=99\""});
  EXPECT_EQ(end.state.exit_code, 4) << end.output;
  expect_text(end, "found plugin 'nope' 0.");
  expect_text(end, ", the config wants >=99 (--set)");
  EXPECT_FALSE(fs::exists(results()));
}

TEST_F(Loader, ThePinIsTheHashOfTheRecord) {
  ASSERT_EQ(run({"--config", kNopeConfig}).state.exit_code, 0);
  const std::string sha256 = records().at(0).plugin_sha256;
  ASSERT_EQ(sha256.size(), 64U);
  EXPECT_EQ(
      run({"--config", kNopeConfig, "--set", "backend.sha256='" + sha256 + "'"}).state.exit_code,
      0);
  const ProgramEnd end =
      run({"--config", kNopeConfig, "--set", "backend.sha256=" + std::string(64, 'a')});
  EXPECT_EQ(end.state.exit_code, 4) << end.output;
  expect_text(end, "has SHA-256 " + sha256);
}

TEST_F(Loader, DisabledByTheEnvironment) {
  const std::vector<std::string> environment = {"GRAPHNET_PLUGINS_DISABLE=xyz,no*"};
  const ProgramEnd end = run({"--config", kNopeConfig}, environment);
  EXPECT_EQ(end.state.exit_code, 4) << end.output;
  expect_text(end, "disabled by GRAPHNET_PLUGINS_DISABLE=xyz,no*");
  const ProgramEnd list = graphnet({"plugin", "list", "--json"}, environment);
  EXPECT_EQ(list.state.exit_code, 0) << list.output;
  expect_text(list, "\"name\":\"nope\",\"state\":\"disabled\"");
  EXPECT_EQ(graphnet({"plugin", "info", "nope"}, environment).state.exit_code, 4);
}

TEST_F(Loader, OnlyWhatTheEnvironmentNames) {
  const std::string nothing = "GRAPHNET_PLUGINS_ONLY=" + (folder_.path() / "nothing").string();
  const ProgramEnd missing = run({"--config", kNopeConfig}, {nothing});
  EXPECT_EQ(missing.state.exit_code, 4) << missing.output;
  expect_text(missing, "no plugin named 'nope' is installed");
  const std::string only = "GRAPHNET_PLUGINS_ONLY=" + copied_library().string();
  const ProgramEnd end = run({"--config", kNopeConfig}, {only});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  expect_text(end, "environment: " + only);
}

TEST_F(Loader, FilesThatOthersCanWriteNeedAFlag) {
  const fs::path library = copied_library();
  ASSERT_EQ(::chmod(library.c_str(), 0666), 0);
  const std::vector<std::string> arguments = {"--config", kNopeConfig, "--plugin-path",
                                              library.parent_path().parent_path().string()};
  const ProgramEnd refused = run(arguments);
  EXPECT_EQ(refused.state.exit_code, 4) << refused.output;
  expect_text(refused, "'" + library.string() + "' is writable by others");
  std::vector<std::string> trusting = arguments;
  trusting.insert(trusting.end(), {"--trust-file", library.string()});
  const ProgramEnd end = run(trusting);
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_NE(records().at(0).command.find("--trust-file " + library.string()), std::string::npos)
      << records().at(0).command;
}

TEST_F(Loader, ABrokenPluginCostsItsOwnSamplesAndIsTriedAgain) {
  const fs::path library = copied_library();
  const std::string intact = read_text(library);
  std::ofstream(library, std::ios::trunc) << "<!DOCTYPE html>";
  const std::vector<std::string> configs = {
      "--config",
      folder_
          .write("broken.yaml",
                 "schema: graphnet/run/v1\nbackend: {library: " + library.string() + "}\n")
          .string(),
      "--config", kNopeConfig};
  const ProgramEnd end = run(configs);
  EXPECT_EQ(end.state.exit_code, 1) << end.output;
  expect_text(end, "recorded as plugin_failed");
  ASSERT_EQ(records().size(), 2U);
  EXPECT_EQ(records()[0].outcome, record::Outcome::kPluginFailed);
  EXPECT_NE(records()[0].message.find("is not an ELF shared library"), std::string::npos);
  EXPECT_EQ(records()[1].outcome, record::Outcome::kOk);
  std::vector<std::string> plan = configs;
  plan.emplace_back("--dry-run");
  EXPECT_EQ(run(plan).state.exit_code, 4);

  std::ofstream(library, std::ios::trunc | std::ios::binary) << intact;
  std::vector<std::string> again = {"run",      kSmall, "--protocol", "upstream",
                                    "--trials", "1",    "--resume",   results().string()};
  again.insert(again.end(), configs.begin(), configs.end());
  const ProgramEnd resumed = graphnet(again);
  EXPECT_EQ(resumed.state.exit_code, 0) << resumed.output;
  ASSERT_EQ(records().size(), 3U);
  EXPECT_EQ(records()[2].outcome, record::Outcome::kOk);
}

TEST_F(Loader, NothingRunsIfEveryPluginIsBroken) {
  const fs::path library = copied_library();
  std::ofstream(library, std::ios::trunc) << "text";
  const std::string config =
      folder_
          .write("broken.yaml",
                 "schema: graphnet/run/v1\nbackend: {library: " + library.string() + "}\n")
          .string();
  const ProgramEnd end = run({"--config", config, "--config", config});
  EXPECT_EQ(end.state.exit_code, 4) << end.output;
  EXPECT_FALSE(fs::exists(results()));
}

}  // namespace loader_test
}  // namespace graphnet::tests
