// SPDX-License-Identifier: MIT
// What a user sees after a mistake, and that nothing finished is lost.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace mistakes_test {

namespace fs = std::filesystem;

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kSamples = source_dir() + "/samples";
const std::string kConfigs = source_dir() + "/configs";
const std::string kPlugins = build_dir() + "/lib/graphnet/plugins";
const std::string kSmall = kSamples + "/transformers-auto-model/sadhaklal_mlp-iris";

ProgramEnd run_in(const TempDir& folder, std::vector<std::string> arguments,
                  const std::vector<std::string>& environment = {}) {
  arguments.insert(arguments.begin(), {kProgram, "run", "--protocol", "upstream"});
  arguments.insert(arguments.end(), {"-o", (folder.path() / "results.jsonl").string()});
  return run_program(arguments, environment, folder.path() / "log");
}

void expect_text(const ProgramEnd& end, const std::string& wanted) {
  EXPECT_NE(end.output.find(wanted), std::string::npos) << wanted << " is not in\n" << end.output;
}

// A copy of the nope plugin in a folder of its own, to be broken; found through a config.
fs::path copied_plugin(const TempDir& folder) {
  const fs::path target = folder.path() / "plugins" / "nope";
  fs::create_directories(target);
  fs::copy(kPlugins + "/nope", target, fs::copy_options::recursive);
  folder.write("broken.yaml", "schema: graphnet/run/v1\nbackend:\n  library: " +
                                  (target / "libgn_nope.so").string() + "\n");
  return target / "libgn_nope.so";
}

TEST(Mistakes, BackendThatIsNotInstalled) {
  for (const char* name : {"tvm", "tensorrt", "bladedisc"}) {
    if (fs::exists(kPlugins + "/" + name)) continue;
    const TempDir folder;
    const ProgramEnd end = run_in(folder, {kSmall, "--config", std::string(name) + ".yaml"},
                                  {"XDG_CONFIG_HOME=" + folder.path().string()});
    EXPECT_EQ(end.state.exit_code, 4) << end.output;
    expect_text(end, std::string("no plugin named '") + name + "' is installed");
    expect_text(end, "try:");
  }
}

TEST(Mistakes, PathThatIsEmpty) {
  const TempDir folder;
  for (const char* flag : {"--dump", "--artifact-cache", "--reference", "--junit"}) {
    const ProgramEnd end = run_in(folder, {kSmall, "--config", "nope.yaml", flag, ""});
    EXPECT_EQ(end.state.exit_code, 2) << end.output;
    expect_text(end, std::string(flag) + " names nothing: its value is empty");
  }
}

/// A vendor's file that is missing or none is the plugin's own failure, said in one line.
TEST(Mistakes, VendorFileThatIsNone) {
  if (!fs::exists(kPlugins + "/xla")) GTEST_SKIP() << "plugin xla is not built (GRAPHNET_PLUGINS)";
  const TempDir folder;
  const std::string text = folder.write("text.so", "404: not found\n").string();
  const std::string missing = (folder.path() / "none.so").string();
  for (const std::string& file : {text, missing}) {
    const ProgramEnd end =
        run_in(folder, {kSmall, "--config", "xla.yaml", "--set", "backend.options.pjrt=" + file});
    EXPECT_EQ(end.state.exit_code, 1) << end.output;
    expect_text(end, "plugin_failed");
    expect_text(end, "PJRT file '" + file + "' cannot be " + (file == text ? "loaded" : "opened"));
  }
}

TEST(Mistakes, FolderOfWheelsThatHasNone) {
  if (!fs::exists(kPlugins + "/tvm")) GTEST_SKIP() << "plugin tvm is not built (GRAPHNET_PLUGINS)";
  const TempDir folder;
  const ProgramEnd end =
      run_in(folder, {kSmall, "--config", "tvm.yaml"}, {"GRAPHNET_TVM=" + folder.path().string()});
  EXPECT_EQ(end.state.exit_code, 1) << end.output;
  expect_text(end, "plugin_failed");
  expect_text(end, "cannot load TVM: ");
  expect_text(end, "GRAPHNET_TVM");
}

TEST(Mistakes, RenamedPlugin) {
  const TempDir folder;
  const fs::path library = copied_plugin(folder);
  fs::rename(library, library.parent_path() / "libgn_other.so");
  const ProgramEnd end =
      run_in(folder, {kSmall, "--config", (folder.path() / "broken.yaml").string()});
  EXPECT_EQ(end.state.exit_code, 4) << end.output;
  expect_text(end, "libgn_nope.so");
}

TEST(Mistakes, TextFileInPlaceOfPlugin) {
  const TempDir folder;
  const fs::path library = copied_plugin(folder);
  std::ofstream(library, std::ios::trunc) << "<!DOCTYPE html><html>404</html>";
  const ProgramEnd end =
      run_in(folder, {kSmall, "--config", (folder.path() / "broken.yaml").string()});
  EXPECT_EQ(end.state.exit_code, 4) << end.output;
  expect_text(end, "not an ELF");
}

TEST(Mistakes, CorruptedPlugin) {
  const TempDir folder;
  const fs::path library = copied_plugin(folder);
  fs::resize_file(library, fs::file_size(library) / 2);
  const ProgramEnd end =
      run_in(folder, {kSmall, "--config", (folder.path() / "broken.yaml").string()});
  EXPECT_NE(end.state.exit_code, 0) << end.output;
  EXPECT_FALSE(end.state.signal) << end.output;
  expect_text(end, "libgn_nope.so");
}

TEST(Mistakes, MisspelledConfigKey) {
  const TempDir folder;
  const auto config = folder.write(
      "typo.yaml", "schema: graphnet/run/v1\nbackend:\n  name: nope\nprotocl:\n  warmup: 1\n");
  const ProgramEnd end = run_in(folder, {kSmall, "--config", config.string()});
  EXPECT_EQ(end.state.exit_code, 3) << end.output;
  expect_text(end, "typo.yaml:4:1");
  expect_text(end, "did you mean 'protocol'");
}

TEST(Mistakes, NamesOfTablesAndTypos) {
  const TempDir folder;
  const ProgramEnd named = run_in(folder, {"sadhaklal_mlp-iris", "sadhaklal_mlp-iris", "--config",
                                           "nope", "--config", "nope.yaml", "--durations", "0"});
  EXPECT_EQ(named.state.exit_code, 0) << named.output;
  expect_text(named, "slowest 1 of 1");
  EXPECT_EQ(journal::read_journal(folder.path() / "results.jsonl")->records.size(), 1U);
  const char* const note = "is given several times";
  expect_text(named, note);
  EXPECT_EQ(named.output.find(note), named.output.rfind(note)) << named.output;
  const ProgramEnd typo = run_in(folder, {"sadhaklal_mlp-iriz", "--config", "nope"});
  EXPECT_EQ(typo.state.exit_code, 3) << typo.output;
  expect_text(typo, "try: did you mean 'sadhaklal_mlp-iris'?");
  const ProgramEnd part = run_in(folder, {"mlp-iris", "--config", "nope"});
  EXPECT_EQ(part.state.exit_code, 3) << part.output;
  expect_text(part, "did you mean transformers-auto-model/sadhaklal_mlp-iris?");
  const ProgramEnd flag = run_in(folder, {kSmall, "--config", "nope", "--device", "cuda:0"});
  EXPECT_EQ(flag.state.exit_code, 2) << flag.output;
  expect_text(flag, "try: for a key of the config: --set KEY=VALUE");
  const ProgramEnd none = run_in(folder, {"timm", "-k", "bert", "--config", "nope", "--dry-run"});
  EXPECT_EQ(none.state.exit_code, 3) << none.output;
}

TEST(Mistakes, TwoSamplesOfOneName) {
  const TempDir folder;
  std::set<std::string> expected;
  for (const std::string tool : {"renamed", "decomposed"}) {
    const std::string name = tool + "/family/model";
    fs::create_directories(folder.path() / tool / "family");
    fs::copy(kSmall, folder.path() / name, fs::copy_options::recursive);
    expected.insert(name);
  }
  const ProgramEnd end = run_in(folder, {(folder.path() / "renamed").string(),
                                         (folder.path() / "decomposed").string(), "-c", "nope"});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  const auto results = journal::read_journal(folder.path() / "results.jsonl");
  ASSERT_TRUE(results.is_ok()) << results.status().to_string();
  std::set<std::string> names;
  for (const auto& record : results->records) names.insert(record.sample);
  EXPECT_EQ(names, expected) << end.output;
}

TEST(Mistakes, FilesAndFoldersThatAreNotThere) {
  const TempDir folder;
  folder.write("first.jsonl", "");
  fs::create_directories(folder.path() / "samples");
  const auto end_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), kProgram);
    return run_program(words, {}, folder.path() / "log");
  };
  const std::string results = (folder.path() / "fist.jsonl").string();
  for (const ProgramEnd& end : {end_of({"score", results}), end_of({"report", results}),
                                end_of({"report", results, "--markdown"})}) {
    EXPECT_EQ(end.state.exit_code, 3) << end.output;
    expect_text(end, "did you mean '" + (folder.path() / "first.jsonl").string() + "'?");
  }
  expect_text(end_of({"report", results, "--markdown"}), "takes no file");
  const ProgramEnd sample =
      end_of({"sample", "validate", (folder.path() / "sampls").string(), "--no-run"});
  EXPECT_EQ(sample.state.exit_code, 3) << sample.output;
  expect_text(sample, "did you mean '" + (folder.path() / "samples").string() + "'?");
  const ProgramEnd many =
      end_of({"explain", kSamples + "/transformers-auto-model", "--config", "nope"});
  EXPECT_EQ(many.state.exit_code, 2) << many.output;
  expect_text(many, "try: transformers-auto-model/sadhaklal_mlp-iris");
}

TEST(Mistakes, WrongLineOfAListIsExplainedOnce) {
  const TempDir folder;
  const fs::path list = folder.write("list.txt", kSmall + "\nnone/here\n");
  const ProgramEnd end = run_in(folder, {list.string(), "--config", "nope"});
  EXPECT_EQ(end.state.exit_code, 1) << end.output;
  expect_text(end, "line 2 of the list '" + list.string() + "' names no sample: none/here");
  EXPECT_EQ(end.output.find("no sample, folder or list"), std::string::npos)
      << "the reason is in the record: " << end.output;
  const auto content = journal::read_journal(folder.path() / "results.jsonl");
  ASSERT_EQ(content->records.size(), 2U);
  EXPECT_EQ(content->records[1].outcome, record::Outcome::kInvalidSample);
  EXPECT_NE(content->records[1].message, "");
}

TEST(Mistakes, MaxfailEndsTheRun) {
  const TempDir folder;
  for (const char* name : {"a", "b", "c"}) {
    folder.write(std::string("samples/f/") + name + "/model.py", "broken");
    folder.write(std::string("samples/f/") + name + "/graph_net.json", "{}");
  }
  const std::string samples = (folder.path() / "samples").string();
  const ProgramEnd end = run_in(folder, {samples, "--config", "nope", "--maxfail", "2"});
  EXPECT_EQ(end.state.exit_code, 1) << end.output;
  expect_text(end, "stopped by --maxfail: 1 of 3 not run");
  EXPECT_EQ(journal::read_journal(folder.path() / "results.jsonl")->records.size(), 2U);
}

TEST(Mistakes, MissingSampleFile) {
  const TempDir folder;
  const fs::path sample = folder.path() / "samples" / "family" / "model";
  fs::create_directories(sample);
  fs::copy(kSmall, sample, fs::copy_options::recursive);
  fs::remove(sample / "weight_meta.py");
  const ProgramEnd end = run_in(folder, {sample.string(), "--config", kConfigs + "/nope.yaml"});
  EXPECT_EQ(end.state.exit_code, 1) << end.output;
  expect_text(end, "invalid_sample");
  expect_text(end, "weight_meta.py");
}

TEST(Mistakes, BrokenProgramNamesItsLocation) {
  const TempDir folder;
  const fs::path sample = folder.path() / "samples" / "family" / "model";
  fs::create_directories(sample);
  fs::copy(kSmall, sample, fs::copy_options::recursive);
  std::string text = read_text(sample / "model.py");
  text.replace(text.find("torch.relu(linear)"), 18, "torch.relu(linear");
  std::ofstream(sample / "model.py", std::ios::trunc) << text;
  const ProgramEnd end = run_in(folder, {sample.string(), "--config", kConfigs + "/nope.yaml"});
  EXPECT_EQ(end.state.exit_code, 1) << end.output;
  expect_text(end, "model.py:");
  expect_text(end, "expected");
}

TEST(Mistakes, UnknownOperatorIsNamedWithItsLocation) {
  const TempDir folder;
  const fs::path sample = folder.path() / "samples" / "family" / "model";
  fs::create_directories(sample);
  fs::copy(kSmall, sample, fs::copy_options::recursive);
  std::string text = read_text(sample / "model.py");
  text.replace(text.find("torch.relu("), 11, "torch.relux(");
  std::ofstream(sample / "model.py", std::ios::trunc) << text;
  const ProgramEnd end = run_in(folder, {sample.string(), "--config", kConfigs + "/nope.yaml"});
  EXPECT_EQ(end.state.exit_code, 1) << end.output;
  expect_text(end, "torch.relux");
}

constexpr int kNumCopies = 60;

// `signals` while samples run: all of their records are there, and the rest is not run.
void interrupt_a_sweep(const std::vector<int>& signals, int exit_code, const std::string& jobs) {
  const TempDir folder;
  const auto journal = folder.path() / "results.jsonl";
  // Many samples after the first ones, so that the interrupt comes in the middle.
  const fs::path samples = folder.path() / "samples" / "copies";
  for (int i = 0; i < kNumCopies; ++i) {
    fs::create_directories(samples / std::to_string(i));
    fs::copy(kSmall, samples / std::to_string(i), fs::copy_options::recursive);
  }
  auto child =
      start_program({kProgram, "run", "--protocol", "upstream", samples.string(), "--config",
                     kConfigs + "/nope.yaml", "--jobs", jobs, "-o", journal.string()},
                    {}, folder.path() / "log");
  ASSERT_TRUE(child.is_ok());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::size_t finished = 0;
  while (finished < 2 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto content = journal::read_journal(journal);
    finished = content.is_ok() ? content->records.size() : 0;
  }
  ASSERT_GE(finished, 2U) << read_text(folder.path() / "log");
  for (const int signal : signals) {
    child->signal_group(signal);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const base::ExitState state = child->wait();
  const std::string log = read_text(folder.path() / "log");
  EXPECT_EQ(state.exit_code, exit_code) << log;
  EXPECT_NE(log.find("interrupted: "), std::string::npos) << log;
  const auto content = journal::read_journal(journal);
  ASSERT_TRUE(content.is_ok());
  EXPECT_GE(content->records.size(), finished);
  EXPECT_LT(content->records.size(), std::size_t{kNumCopies});
  for (const auto& record : content->records) EXPECT_EQ(record.outcome, record::Outcome::kOk);
}

class Interrupted : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Jobs, Interrupted, ::testing::Values("1", "2"));

TEST_P(Interrupted, CtrlCKeepsFinishedRecords) {
  interrupt_a_sweep({SIGINT}, 130, GetParam());
}

TEST_P(Interrupted, CtrlCTwiceKeepsFinishedRecords) {
  interrupt_a_sweep({SIGINT, SIGINT}, 130, GetParam());
}

TEST_P(Interrupted, TerminationKeepsFinishedRecords) {
  interrupt_a_sweep({SIGTERM}, 143, GetParam());
}

}  // namespace mistakes_test
}  // namespace graphnet::tests
