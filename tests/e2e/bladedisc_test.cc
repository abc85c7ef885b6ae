// SPDX-License-Identifier: MIT
// Plugin bladedisc with a compiler and a runner of ours, which compute nothing
// (tests/unit/bladedisc), and with none.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace {

namespace fs = std::filesystem;

const std::string kProgram = std::string(GRAPHNET_BINARY_DIR) + "/bin/graphnet";
const std::string kFakes = std::string(GRAPHNET_BINARY_DIR) + "/tests/bladedisc_fakes";
const std::string kSmall =
    std::string(GRAPHNET_SOURCE_DIR) + "/samples/transformers-auto-model/sadhaklal_mlp-iris";

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

}  // namespace
}  // namespace graphnet::tests
