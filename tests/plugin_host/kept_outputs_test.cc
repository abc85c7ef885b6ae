// SPDX-License-Identifier: MIT
//
// A plugin that is wrong, beside outputs that one like it kept when it was right.
#include "outputs/kept_outputs.h"

#include <filesystem>

#include "plugin_host/zoo.h"
#include "support/folders.h"

namespace graphnet::tests {
namespace kept_outputs_test {

namespace fs = std::filesystem;

/// Runs a plugin of the zoo on the smallest sample. `more`: further words.
ProgramEnd run_zoo(const TempDir& folder, const std::string& plugin,
                   const std::vector<std::string>& more) {
  const auto config = folder.write(
      plugin + ".yaml",
      "schema: graphnet/run/v1\nbackend: {library: " + zoo_library(plugin).string() +
          "}\nthreads: 1\nproof: none\n" + "protocol: {name: upstream, warmup: 0, trials: 1}\n");
  std::vector<std::string> words = {
      build_dir() + "/bin/graphnet",
      "run",
      source_dir() + "/samples/transformers-auto-model/sadhaklal_mlp-iris",
      "--config",
      config.string(),
      "-o",
      (folder.path() / (plugin + ".jsonl")).string()};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words, {}, folder.path() / "log");
}

TEST(KeptOutputs, AWrongPluginDiffersFromTheReferenceAndEagerDoesNot) {
  const TempDir folder;
  const std::string kept = folder.path() / "kept";
  const ProgramEnd first = run_zoo(folder, "healthy", {"--keep-outputs", kept});
  ASSERT_EQ(first.state.exit_code, 0) << first.output;
  const auto files = outputs::read_kept_folder(kept);
  ASSERT_TRUE(files.is_ok() && files->kept.size() == 1) << first.output;
  // The same sample by the name of the other plugin.
  const fs::path file = files->kept.front().file;
  fs::copy(file, file.parent_path() / "slightly_wrong.safetensors");
  const ProgramEnd second = run_zoo(folder, "slightly_wrong", {"--reference", kept});
  EXPECT_EQ(second.state.exit_code, 1) << second.output;
  const auto content = journal::read_journal(folder.path() / "slightly_wrong.jsonl");
  ASSERT_TRUE(content.is_ok() && content->records.size() == 1) << second.output;
  const record::Reference& reference = content->records.front().checks.reference;
  EXPECT_EQ(reference.missing, "");
  EXPECT_EQ(reference.eager.bit_equal, true);
  EXPECT_EQ(reference.plugin.outcome, record::Outcome::kAccuracyMismatch)
      << reference.plugin.message << second.output;
  EXPECT_LT(reference.plugin.levels_passed(), 64);
  EXPECT_NE(second.output.find("1 differs"), std::string::npos) << second.output;
}

}  // namespace kept_outputs_test
}  // namespace graphnet::tests
