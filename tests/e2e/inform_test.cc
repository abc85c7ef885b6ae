// SPDX-License-Identifier: MIT
// Commands that only inform: doctor, plugin info, help, completion.
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace inform_test {

namespace fs = std::filesystem;

const fs::path kBinaries = fs::path(build_dir()) / "bin";

ProgramEnd graphnet(std::vector<std::string> words, const fs::path& folder = kBinaries) {
  const TempDir temp;
  words.insert(words.begin(), (folder / "graphnet").string());
  return run_program(words, {}, temp.path() / "log");
}

TEST(Doctor, FindsLibtorchPluginsAndConfigs) {
  const ProgramEnd end = graphnet({"doctor", "--json"});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  const auto json = base::parse_json(end.output, "doctor");
  ASSERT_TRUE(json.is_ok()) << end.output;
  EXPECT_EQ((*json)["schema"], "graphnet.doctor/1");
  EXPECT_EQ((*json)["ready"], true);
  EXPECT_EQ((*json)["worker"]["libtorch"].get<std::string>().rfind("2.", 0), 0U);
  bool has_nope = false;
  for (const auto& config : (*json)["configs"]) {
    has_nope = has_nope || (config["name"] == "nope.yaml" && config["ready"] == true);
  }
  EXPECT_TRUE(has_nope) << end.output;
  for (const auto& config : (*json)["configs"]) {
    EXPECT_NE(config["ready"] == true, config.contains("problem")) << config;
  }
  for (const auto& plugin : (*json)["plugins"]) {
    if (plugin["name"] != "nope") continue;
    EXPECT_EQ(plugin["would_run_on"][0], "cpu") << plugin;
  }
  const std::string text = graphnet({"doctor"}).output;
  for (const char* row :
       {"\n  processor ", "\n  memory ", "\n  libtorch    2.", "\n  plugins     ",
        " nope              ok, 0.1.0, would run on cpu", "nope.yaml         would run on cpu\n",
        "\nready: graphnet run --config nope.yaml\n"}) {
    EXPECT_NE(text.find(row), std::string::npos) << row << " is not in\n" << text;
  }
}

TEST(Doctor, SaysWhatAnInstallationLacks) {
  const TempDir folder;
  fs::copy(kBinaries / "graphnet", folder.path());
  const ProgramEnd end = graphnet({"doctor"}, folder.path());
  EXPECT_EQ(end.state.exit_code, 5);
  for (const char* part : {"\n  libtorch    missing: ", "\n  plugins     none is installed\n",
                           "\nnot ready: see what is missing above\n"}) {
    EXPECT_NE(end.output.find(part), std::string::npos) << part << " is not in\n" << end.output;
  }
}

TEST(PluginInfo, ShowsTheManifest) {
  const ProgramEnd end = graphnet({"plugin", "info", "nope"});
  EXPECT_EQ(end.state.exit_code, 0);
  for (const char* row : {"nope\n  state         ok\n", "\n  devices       cpu, cuda\n",
                          "\n  weights       bound, per_call\n", "\n  options       none\n"}) {
    EXPECT_NE(end.output.find(row), std::string::npos) << row << " is not in\n" << end.output;
  }
  EXPECT_EQ(graphnet({"plugin", "info", "nope+fast"}).state.exit_code, 0);
  EXPECT_EQ(graphnet({"plugin", "info", "nop"}).state.exit_code, 4);
  EXPECT_EQ(graphnet({"plugin", "info"}).state.exit_code, 2);
  const auto json = base::parse_json(graphnet({"plugin", "info", "nope", "--json"}).output, "info");
  ASSERT_TRUE(json.is_ok());
  EXPECT_EQ((*json)["options"], base::Json::array());
}

TEST(Names, AreThoseOfTheInstallation) {
  const std::string plugins = graphnet({"__complete", "--", "plugin", "info", ""}).output;
  EXPECT_NE(("\n" + plugins).find("\nnope\n"), std::string::npos) << plugins;
  EXPECT_NE(graphnet({"__complete", "--", "run", "--config", ""}).output.find("nope.yaml\n"),
            std::string::npos);
  const std::string samples = graphnet({"__complete", "--", "run", "--", "--"}).output;
  EXPECT_NE(samples.find("timm/resnet10t.c3_in1k\n"), std::string::npos) << samples;
  EXPECT_NE(samples.find(":files\n"), std::string::npos) << samples;
  EXPECT_EQ(samples.find("--"), std::string::npos) << samples;
  EXPECT_EQ(graphnet({"help"}).output.find("__complete"), std::string::npos);
}

TEST(Help, HasThreeForms) {
  EXPECT_EQ(graphnet({"help", "run"}).output, graphnet({"run", "--help"}).output);
  EXPECT_EQ(graphnet({"help", "run", "--format", "man"}).output.rfind(".TH GRAPHNET\\-RUN 1 ", 0),
            0U);
  EXPECT_EQ(graphnet({"help", "--format", "markdown"}).output.rfind("# graphnet\n", 0), 0U);
  EXPECT_EQ(graphnet({"help", "--format", "html"}).state.exit_code, 2);
  EXPECT_EQ(graphnet({"completion", "csh"}).state.exit_code, 2);
}

TEST(Help, HasTopics) {
  EXPECT_NE(graphnet({"help"}).output.find("\n  words "), std::string::npos);
  const ProgramEnd words = graphnet({"help", "words"});
  EXPECT_EQ(words.state.exit_code, 0);
  EXPECT_EQ(words.output.rfind("# words: ", 0), 0U);
  for (const char* line : {"\n- accuracy_mismatch: ", "\n- second_weights: ", "\n- unstable: ",
                           "\n- proven: ", "\n- implausible: ", "\n- degenerate: "}) {
    EXPECT_NE(words.output.find(line), std::string::npos) << line;
  }
  EXPECT_EQ(
      graphnet({"help", "words", "--format", "man"}).output.rfind(".TH GRAPHNET\\-WORDS 7 ", 0),
      0U);
  EXPECT_EQ(graphnet({"help", "nothing"}).state.exit_code, 2);
}

}  // namespace inform_test
}  // namespace graphnet::tests
