// SPDX-License-Identifier: MIT
// What a user sees where the library is missing that a plugin opens when it compiles.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "support/elf_builder.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace unavailable_test {

namespace fs = std::filesystem;

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kSource = source_dir();
const std::string kSmall = kSource + "/samples/transformers-auto-model/sadhaklal_mlp-iris";
const std::string kPlugins = build_dir() + "/lib/graphnet/plugins";

/// The control as a plugin that opens libacme.so.11, and a config for it.
class Unavailable : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path target = folder_.path() / "plugins" / "nope";
    fs::create_directories(target);
    fs::copy(kPlugins + "/nope", target, fs::copy_options::recursive);
    std::ifstream stream(target / "plugin.yaml");
    std::string manifest(std::istreambuf_iterator<char>(stream), {});
    const std::string options = "\noptions: {}\n";
    const std::size_t at = manifest.find(options);
    ASSERT_NE(at, std::string::npos) << manifest;
    manifest.replace(
        at, options.size(),
        "\noptions: {}\n"
        "opens:\n  - {name: Acme, sonames: [libacme.so.11], variable: GRAPHNET_TEST_ACME, "
        "hints: [pip install acme, unpack acme.tar]}\n");
    fs::remove(target / "plugin.yaml");
    folder_.write("plugins/nope/plugin.yaml", manifest);
    folder_.write("acme.yaml", "schema: graphnet/run/v1\nbackend:\n  library: " +
                                   (target / "libgn_nope.so").string() + "\ndevice: cpu\n");
  }
  /// `library`: what the variable names; empty: it is not set.
  ProgramEnd run(std::vector<std::string> words, const fs::path& library = {}) const {
    words.insert(words.begin(), {kProgram, "run", kSmall, "--protocol", "smoke", "-o",
                                 (folder_.path() / "results.jsonl").string()});
    std::vector<std::string> environment;
    if (!library.empty()) environment.push_back("GRAPHNET_TEST_ACME=" + library.string());
    return run_program(words, environment, folder_.path() / "log");
  }
  std::string acme() const { return (folder_.path() / "acme.yaml").string(); }

  TempDir folder_;
};

TEST_F(Unavailable, EndsWithTheWaysToGetTheLibraryAndExitCode4) {
  for (const char* device : {"cpu", "cuda:0"}) {
    const ProgramEnd end = run({"--config", acme(), "--set", std::string("device=") + device});
    EXPECT_EQ(end.state.exit_code, 4) << end.output;
    EXPECT_TRUE(mentions(
        end.output, {"error: Acme is not available: there is no such library here",
                     "looked for libacme.so.11", "try: pip install acme", "try: unpack acme.tar"}));
    EXPECT_FALSE(fs::exists(folder_.path() / "results.jsonl"));
  }
}

TEST_F(Unavailable, SaysWhatIsWrongWithTheFileThatIsNamed) {
  ElfRecipe other;
  other.soname = "libacme.so.8";
  ElfRecipe whole;
  whole.soname = "libacme.so.11";
  const std::string bytes = elf_bytes(whole);
  const std::pair<std::string, const char*> cases[] = {
      {"<html>404</html>", "not an ELF shared library (starts with '<html>404</h')"},
      {elf_bytes(other), "is libacme.so.8; the plugin takes libacme.so.11"},
      {bytes.substr(0, bytes.size() - 8), "cut off"}};
  for (const auto& [content, reason] : cases) {
    const fs::path file = folder_.write("given.so", content);
    const ProgramEnd end = run({"--config", acme()}, file);
    EXPECT_EQ(end.state.exit_code, 4) << end.output;
    EXPECT_TRUE(mentions(end.output, {"Acme is not available", file.string(),
                                      "named by GRAPHNET_TEST_ACME", "try: pip install acme"}));
    EXPECT_TRUE(mentions(end.output, {reason}));
  }
}

TEST_F(Unavailable, RunsWhereItIsThere) {
  ElfRecipe recipe;
  recipe.soname = "libacme.so.11";
  folder_.write("libacme.so.11", elf_bytes(recipe));
  const ProgramEnd end = run({"--config", acme()}, folder_.path());
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
}

TEST_F(Unavailable, CostsItsOwnPairsOnly) {
  const ProgramEnd end = run({"--config", acme(), "--config", "nope.yaml"});
  EXPECT_TRUE(mentions(end.output, {"Acme is not available", "recorded as plugin_failed"}));
  EXPECT_TRUE(fs::exists(folder_.path() / "results.jsonl"));
}

TEST_F(Unavailable, IsWhatDoctorSaysOfTheConfig) {
  const ProgramEnd end =
      run_program({kProgram, "doctor", "--config", acme()}, {}, folder_.path() / "log");
  EXPECT_EQ(end.state.exit_code, 4) << end.output;
  EXPECT_TRUE(mentions(end.output, {"Acme is not available", "try: pip install acme"}));
  const ProgramEnd control =
      run_program({kProgram, "doctor", "--config", "nope"}, {}, folder_.path() / "log");
  EXPECT_EQ(control.state.exit_code, 0) << control.output;
  EXPECT_TRUE(mentions(control.output, {"nope.yaml would run on cpu"}));
}

// Of this repository's own: without a driver, too, the library is named and not the device.
TEST(UnavailablePlugin, NamesThreeWaysToGetItsLibrary) {
  if (!fs::exists(kPlugins + "/tensorrt")) GTEST_SKIP() << "plugin tensorrt is not built";
  const TempDir folder;
  const std::vector<std::string> environment = {"GRAPHNET_TENSORRT_LIBRARY=" +
                                                folder.write("libnvinfer.so.11", "text").string()};
  const std::vector<std::string> words = {kProgram, "run", kSmall, "--config", "tensorrt"};
  const ProgramEnd end = run_program(words, environment, folder.path() / "log");
  EXPECT_EQ(end.state.exit_code, 4) << end.output;
  EXPECT_TRUE(
      mentions(end.output, {"TensorRT is not available", "not an ELF shared library",
                            "named by GRAPHNET_TENSORRT_LIBRARY", "try: pip install tensorrt-cu13",
                            "try: apt install libnvinfer11", "try: NVIDIA's tar file"}));
  const ProgramEnd doctor =
      run_program({kProgram, "doctor", "--config", "tensorrt"}, environment, folder.path() / "log");
  EXPECT_EQ(doctor.state.exit_code, 4) << doctor.output;
  const ProgramEnd coverage =
      run_program({kProgram, "inspect", kSmall, "--coverage", "--config", "tensorrt"}, environment,
                  folder.path() / "log");
  EXPECT_EQ(coverage.state.exit_code, 0) << "coverage needs no library\n" << coverage.output;
}

}  // namespace unavailable_test
}  // namespace graphnet::tests
