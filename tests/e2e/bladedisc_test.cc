// SPDX-License-Identifier: MIT
// Plugin bladedisc with a compiler and a runner of ours, which compute nothing
// (tests/unit/bladedisc), and with none.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/marked_processes.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace bladedisc_test {

namespace fs = std::filesystem;

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kFakes = build_dir() + "/tests/bladedisc_fakes";
const std::string kSmall = source_dir() + "/samples/transformers-auto-model/sadhaklal_mlp-iris";

/// A sample that gives its input back, as an echo does.
fs::path write_identity(const TempDir& folder) {
  folder.write("identity/model.py",
               "import torch\n\n\nclass GraphModule(torch.nn.Module):\n"
               "    def forward(self, L_x_ : torch.Tensor):\n"
               "        l_x_ = L_x_\n"
               "        out = l_x_.contiguous();  l_x_ = None\n"
               "        return (out,)\n");
  folder.write(
      "identity/weight_meta.py",
      "class Program_weight_tensor_meta_L_x_:\n    name = \"L_x_\"\n    shape = [64, 64]\n"
      "    dtype = \"torch.float32\"\n    device = \"cpu\"\n    mean = 0.0\n    std = 1.0\n"
      "    data = None\n");
  folder.write("identity/input_meta.py", "");
  folder.write("identity/input_tensor_constraints.py", "");
  folder.write("identity/graph_net.json",
               "{\"framework\": \"torch\", \"num_devices_required\": 1, \"num_nodes_required\": 1, "
               "\"dynamic\": false, \"model_name\": \"identity\"}\n");
  return folder.path() / "identity";
}

ProgramEnd run_on(const TempDir& folder, const std::string& sample,
                  const std::vector<std::string>& settings) {
  std::vector<std::string> words = {kProgram,
                                    "run",
                                    sample,
                                    "--config",
                                    "blade-disc.yaml",
                                    "--dump",
                                    (folder.path() / "dump").string(),
                                    "-o",
                                    (folder.path() / "r.jsonl").string()};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  return run_program(words, {"PATH=/usr/bin:/bin", "HOME=" + folder.path().string()},
                     folder.path() / "log");
}

void expect_text(const std::string& text, const std::string& wanted) {
  EXPECT_NE(text.find(wanted), std::string::npos) << wanted << " is not in\n" << text;
}

std::vector<std::string> fake(const std::string& mode) {
  return {"backend.options.compiler=" + kFakes + "/" + mode + "/disc_compiler_main",
          "backend.options.runner=" + kFakes + "/works/gn-disc-run"};
}

TEST(BladeDisc, IsReportedAndNeverProven) {
  if (!fs::exists(kFakes)) GTEST_SKIP() << "plugin bladedisc is not built (GRAPHNET_PLUGINS)";
  const TempDir folder;
  const ProgramEnd end = run_on(folder, write_identity(folder).string(), fake("works"));
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  const std::string record = read_text(folder.path() / "r.jsonl");
  expect_text(record, "\"outcome\":\"ok\"");
  expect_text(record, "reported");
  expect_text(record, "helper_process");
  expect_text(record, "echo, a fake");
  bool has_library = false;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path() / "dump")) {
    has_library = has_library || entry.path().filename() == "module.so";
  }
  EXPECT_TRUE(has_library) << "--dump keeps the library";
}

/// Runs of a sample that gives its input back, by a compiler that notes each of its starts.
class BladeDiscArtifacts : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kFakes)) GTEST_SKIP() << "plugin bladedisc is not built (GRAPHNET_PLUGINS)";
    write_identity(folder_);
    write_compiler("");
    fs::create_directories(temporary());
  }

  void write_compiler(const std::string& comment) {
    const std::string starts = (folder_.path() / "starts").string();
    fs::permissions(folder_.write("disc_compiler_main", "#!/bin/sh\n# " + comment + "\necho . >>" +
                                                            starts + "\nexec " + kFakes +
                                                            "/works/disc_compiler_main \"$@\"\n"),
                    fs::perms::owner_all);
  }

  /// Since the last call.
  std::size_t num_starts() {
    const std::string noted = read_text(folder_.path() / "starts");
    fs::remove(folder_.path() / "starts");
    return noted.size() / 2;
  }

  record::Record run(const std::vector<std::string>& environment = {},
                     const std::vector<std::string>& settings = {}) {
    const fs::path results = folder_.path() / "artifacts.jsonl";
    fs::remove(results);
    fs::remove_all(dump());
    std::vector<std::string> command = {kProgram,
                                        "run",
                                        (folder_.path() / "identity").string(),
                                        "--config",
                                        "bladedisc.yaml",
                                        "--protocol",
                                        "upstream",
                                        "--warmup",
                                        "0",
                                        "--trials",
                                        "1",
                                        "--artifact-cache",
                                        cache().string(),
                                        "--dump",
                                        dump().string(),
                                        "-o",
                                        results.string()};
    std::vector<std::string> options = fake("works");
    options[0] = "backend.options.compiler=" + (folder_.path() / "disc_compiler_main").string();
    options.insert(options.end(), settings.begin(), settings.end());
    for (const std::string& option : options) command.insert(command.end(), {"--set", option});
    std::vector<std::string> variables = {"PATH=/usr/bin:/bin", "HOME=" + folder_.path().string(),
                                          mark()};
    variables.insert(variables.end(), environment.begin(), environment.end());
    output_ = run_program(command, variables, folder_.path() / "log").output;
    EXPECT_TRUE(fs::is_empty(temporary())) << "files are left behind";
    EXPECT_EQ(num_left_processes(mark()), 0) << "programs are left behind";
    auto content = journal::read_journal(results);
    return content.is_ok() && !content->records.empty() ? content->records[0] : record::Record();
  }

  void expect_compiled(const record::Record& record, const std::string& note = "") {
    EXPECT_EQ(record.outcome, record::Outcome::kOk) << output_;
    EXPECT_TRUE(record.plugin_side.compile_ns.has_value());
    EXPECT_FALSE(record.plugin_side.load_ns.has_value());
    EXPECT_TRUE(contains(base::join(record.notes, "\n"), note)) << base::join(record.notes, "\n");
    EXPECT_EQ(num_starts(), 1U);
    EXPECT_FALSE(dumped("module.so").empty()) << "--dump keeps the library";
    EXPECT_TRUE(contains(dumped("compiler.log"), "[DISC]"));
  }

  void expect_loaded(const record::Record& record) {
    EXPECT_EQ(record.outcome, record::Outcome::kOk) << output_;
    EXPECT_EQ(record.verdict.text(), "reported");
    EXPECT_FALSE(record.plugin_side.compile_ns.has_value());
    EXPECT_TRUE(record.plugin_side.load_ns.has_value());
    EXPECT_EQ(num_starts(), 0U);
    EXPECT_FALSE(dumped("module.so").empty()) << "--dump keeps the library";
    EXPECT_FALSE(dumped("module.so.pbtxt").empty());
  }

  std::string dumped(const std::string& name) const {
    for (const auto& entry : fs::recursive_directory_iterator(dump())) {
      if (entry.path().filename() == name) return read_text(entry.path());
    }
    return "";
  }
  fs::path artifact() const { return fs::directory_iterator(cache())->path(); }
  fs::path cache() const { return folder_.path() / "cache"; }
  fs::path dump() const { return folder_.path() / "dump"; }
  fs::path temporary() const { return folder_.path() / "temporary"; }
  std::string mark() const { return "TMPDIR=" + temporary().string(); }

  TempDir folder_;
  std::string output_;
};

TEST_F(BladeDiscArtifacts, AreFoundWithoutTheCompiler) {
  const record::Record cold = run();
  expect_compiled(cold);
  const std::string library = dumped("module.so");
  const record::Record warm = run();
  expect_loaded(warm);
  EXPECT_EQ(dumped("module.so"), library);
  ASSERT_TRUE(cold.plugin_info.contains("library_sha256")) << cold.plugin_info;
  EXPECT_EQ(warm.plugin_info["library_sha256"], cold.plugin_info["library_sha256"]);
}

TEST_F(BladeDiscArtifacts, AreMadeAnewWhereTheyAreDamagedOrOfAnotherCompiler) {
  expect_compiled(run());
  const std::string whole = read_text(artifact());
  std::string changed = whole;
  changed[whole.size() / 2] = static_cast<char>(changed[whole.size() / 2] ^ 1);
  for (const std::string& bytes : {whole.substr(0, whole.size() / 2), changed, std::string()}) {
    std::ofstream(artifact(), std::ios::binary | std::ios::trunc) << bytes;
    expect_compiled(run(), "artifact not loaded: stored package is ");
    EXPECT_EQ(read_text(artifact()), whole);
  }
  write_compiler("another release");
  expect_compiled(run(), "was made by another compiler");
  expect_loaded(run());
}

TEST_F(BladeDiscArtifacts, LeaveNothingBehindWhereARunnerHangsOrDies) {
  struct Fault {
    const char* does;
    const char* setting;
    record::Outcome outcome;
  };
  const Fault faults[] = {
      {"hang in LOAD", "timeouts.compile=2s", record::Outcome::kTimedOut},
      {"hang in RUN", "backend.options.answer_timeout_s=2", record::Outcome::kRuntimeFailed},
      {"die in RUN", "backend.options.answer_timeout_s=2", record::Outcome::kRuntimeFailed},
  };
  for (const Fault& fault : faults) {
    const record::Record record = run({std::string("DISC_ECHO=") + fault.does}, {fault.setting});
    EXPECT_EQ(record.outcome, fault.outcome) << fault.does << ": " << output_;
  }
}

TEST(BladeDisc, FailuresAreOneRecordEach) {
  if (!fs::exists(kFakes)) GTEST_SKIP() << "plugin bladedisc is not built (GRAPHNET_PLUGINS)";
  const TempDir folder;
  for (const char* mode : {"parse_error", "no_main"}) {
    const ProgramEnd end = run_on(folder, kSmall, fake(mode));
    EXPECT_EQ(end.state.exit_code, 1) << end.output;
    expect_text(end.output, "compile_failed");
  }
  // The echo has no result of the sizes of this sample.
  const ProgramEnd end = run_on(folder, kSmall, fake("works"));
  EXPECT_EQ(end.state.exit_code, 1) << end.output;
  expect_text(end.output, "has not the size of its argument");
}

TEST(BladeDisc, SaysHowToSetItUpWhereItIsNot) {
  if (!fs::exists(kFakes)) GTEST_SKIP() << "plugin bladedisc is not built (GRAPHNET_PLUGINS)";
  const TempDir folder;
  const ProgramEnd end = run_on(folder, kSmall, {});
  EXPECT_EQ(end.state.exit_code, 4) << end.output;
  for (const char* wanted :
       {"bladedisc is not configured", "docker run", "build-runner", "bladedisc-docker.yaml"}) {
    expect_text(end.output, wanted);
  }
}

TEST(BladeDisc, CoverageNeedsNoneOfIt) {
  if (!fs::exists(kFakes)) GTEST_SKIP() << "plugin bladedisc is not built (GRAPHNET_PLUGINS)";
  const TempDir folder;
  const ProgramEnd end =
      run_program({kProgram, "inspect", "--coverage", "--config", "bladedisc.yaml", kSmall},
                  {"PATH=/usr/bin:/bin"}, folder.path() / "log");
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  expect_text(end.output, "would compile 1 of 1");
}

}  // namespace bladedisc_test
}  // namespace graphnet::tests
