// SPDX-License-Identifier: MIT
// `graphnet test-compiler` against logs that upstream's program wrote for the bundled samples.
#include <gtest/gtest.h>

#include <regex>

#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace upstream_log_test {

namespace fs = std::filesystem;

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kSource = source_dir();
const std::string kSmall = "samples/transformers-auto-model/sadhaklal_mlp-iris";

/// Runs in the source tree, as upstream ran in its own, so that paths are the same.
ProgramEnd test_compiler(const std::string& arguments, const TempDir& folder) {
  return run_program({"/bin/sh", "-c",
                      "cd '" + kSource + "' && '" + kProgram + "' test-compiler -o '" +
                          (folder.path() / "r.jsonl").string() + "' " + arguments},
                     {"OMP_NUM_THREADS=1", std::string("GRAPHNET_PLUGINS_ONLY=") + build_dir() +
                                               "/lib/graphnet/plugins/nope"},
                     folder.path() / "log");
}

/// The lines that must be equal: without what upstream's interpreter says, and with times, the
/// processor's name and versions replaced.
std::vector<std::string> masked_lines(const std::string& log) {
  static const std::pair<std::regex, const char*> kMasks[] = {
      {std::regex("e2e=[0-9.]+ ms"), "e2e=# ms"},
      {std::regex("(\"(median|iqr|mean|std|min|max)\": )[0-9.e-]+"), "$1#"},
      {std::regex("(\\[Speedup\\]\\[e2e\\]: )[0-9.]+"), "$1#"},
      {std::regex("(hardware: ).*"), "$1#"},
      {std::regex("(Using device: cpu ).*(, warm up)"), "$1#$2"},
      {std::regex("(compile_framework_version: 2\\.[0-9]+\\.[0-9]+).*"), "$1"}};
  static const std::regex kOurs("(graph-net-test-compiler-log |\\[Profiling\\]|Trial |\\[[0-9]).*");
  std::istringstream stream(log);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (!std::regex_match(line, kOurs)) continue;
    for (const auto& [pattern, replacement] : kMasks) {
      line = std::regex_replace(line, pattern, replacement);
    }
    lines.push_back(line);
  }
  return lines;
}

TEST(UpstreamLog, BundledSamplesGiveUpstreamsLines) {
  int num_logs = 0;
  for (const auto& entry : fs::directory_iterator(kSource + "/tests/golden/upstream-logs")) {
    std::string name = entry.path().filename().string();
    name = name.substr(0, name.size() - std::string(".nope.log").size());
    if (name == "ultralytics__yolo11n-cls") continue;  // refused, see below
    name.replace(name.find("__"), 2, "/");
    const TempDir folder;
    const ProgramEnd end = test_compiler(
        "--model-path samples/" + name + "/ --compiler nope --device cpu --warmup 1 --trials 5",
        folder);
    EXPECT_EQ(end.state.exit_code, 0) << end.output;
    EXPECT_EQ(masked_lines(end.output), masked_lines(read_text(entry.path()))) << name;
    // Nothing else is printed.
    EXPECT_EQ(std::count(end.output.begin(), end.output.end(), '\n'), 94) << end.output;
    ++num_logs;
  }
  EXPECT_EQ(num_logs, 9);
}

TEST(UpstreamLog, RefusesWhatUpstreamRefuses) {
  const TempDir folder;
  const ProgramEnd end = test_compiler(
      "--model-path samples/ultralytics/yolo11n-cls --compiler nope --warmup 1 --trials 5", folder);
  EXPECT_EQ(end.state.exit_code, 1);
  auto expected = masked_lines(
      read_text(kSource + "/tests/golden/upstream-logs/ultralytics__yolo11n-cls.nope.log"));
  // Upstream ends with the exception; we say what became of the sample.
  expected.emplace_back("graph-net-test-compiler-log [Result] status: failed");
  expected.emplace_back("graph-net-test-compiler-log [Fail due to eager model execution error.]");
  EXPECT_EQ(masked_lines(end.output), expected);
  EXPECT_TRUE(contains(end.output,
                       "Eager model execution failed: batch_norm eps must be positive, but got "
                       "0.0\n"))
      << end.output;
}

TEST(UpstreamLog, RecursiveModeNumbersSamplesAndCountsThoseThatUpstreamDiesOn) {
  const TempDir folder;
  folder.write("list.txt", "# comment\n\nsamples/ultralytics/yolo11n-cls\n" + kSmall + "\n");
  const ProgramEnd end =
      test_compiler("--model-path samples --compiler nope --trials 1 --warmup 0 --log-prompt Q " +
                        std::string("--allow-list ") + (folder.path() / "list.txt").string(),
                    folder);
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_EQ(end.output.rfind("[0] test_compiler, model_path: " + kSmall + "\nQ [Processing] ", 0),
            0U)
      << end.output;
  EXPECT_TRUE(contains(end.output, "\n[1] test_compiler, model_path: samples/ultralytics/"))
      << end.output;
  EXPECT_TRUE(contains(end.output,
                       "\nTotally 2 verified samples, failed 1 samples.\n"
                       "- samples/ultralytics/yolo11n-cls\n"))
      << end.output;
  const auto journal = journal::read_journal(folder.path() / "r.jsonl");
  ASSERT_TRUE(journal.is_ok());
  ASSERT_EQ(journal->records.size(), 2U);
  EXPECT_EQ(journal->records[0].threads, 1);
}

TEST(UpstreamLog, ListModeSkipsWhatIsMissing) {
  const TempDir folder;
  folder.write("list.txt", "timm\nno/such\ntransformers-auto-model/sadhaklal_mlp-iris\n");
  const ProgramEnd end =
      test_compiler("--model-path-prefix samples --compiler nope --trials 1 --allow-list " +
                        (folder.path() / "list.txt").string(),
                    folder);
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_EQ(end.output.rfind("os.path.exists(model_path)=False\n"
                             "args.model_path_prefix='samples'\n"
                             "graph-net-test-compiler-log [Processing] " +
                                 kSmall + "\n",
                             0),
            0U)
      << end.output;
}

TEST(UpstreamLog, ExplainsMistakes) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"--device gpu", "--device: unknown device 'gpu'"},
      {"", "wanted by --compiler, whose default is upstream's"},
      {"--compiler ./no/such.so", "./no/such.so"},
      {"--compiler nop", "'nop' is installed; did you mean 'nope'?"},
      {"--config nope.yaml", "--config must be base64 of a JSON object"},
      {"--compiler nope --config W10=", "must be a JSON object, got []"},
      {"--compiler nope --config eyJhIjoxfQ==", "has no options, and this sets 'a'"}};
  for (const auto& [flags, message] : mistakes) {
    const TempDir folder;
    const ProgramEnd end = test_compiler("--model-path " + kSmall + " " + flags, folder);
    EXPECT_NE(end.state.exit_code, 0) << flags;
    EXPECT_TRUE(contains(end.output, message)) << end.output;
    EXPECT_FALSE(fs::exists(folder.path() / "r.jsonl")) << flags;
  }
}

TEST(UpstreamLog, CompilersAreNamedAsUpstreamDoesOrByTheirLibrary) {
  const std::string library = build_dir() + "/lib/graphnet/plugins/nope/libgn_nope.so";
  for (const std::string& name : {std::string("no-pe"), library}) {
    const TempDir folder;
    const ProgramEnd end = test_compiler(
        "--model-path " + kSmall + " --warmup 0 --trials 1 --kernel-time --compiler " + name,
        folder);
    EXPECT_EQ(end.state.exit_code, 0) << end.output;
    EXPECT_TRUE(contains(end.output, "[Config] compiler: nope\n")) << end.output;
  }
}

TEST(UpstreamLog, RunPrintsItOnStandardOutput) {
  const TempDir folder;
  const ProgramEnd end = run_program({"/bin/sh", "-c",
                                      "cd '" + kSource + "' && '" + kProgram + "' run " + kSmall +
                                          " --config configs/nope.yaml --protocol upstream "
                                          "--warmup 1 --format graphnet-log 2>/dev/null -o '" +
                                          (folder.path() / "r.jsonl").string() + "'"},
                                     {}, folder.path() / "log");
  EXPECT_EQ(
      masked_lines(end.output),
      masked_lines(read_text(kSource + "/tests/golden/upstream-logs/"
                                       "transformers-auto-model__sadhaklal_mlp-iris.nope.log")));
  EXPECT_EQ(std::count(end.output.begin(), end.output.end(), '\n'), 94) << end.output;
}

}  // namespace upstream_log_test
}  // namespace graphnet::tests
