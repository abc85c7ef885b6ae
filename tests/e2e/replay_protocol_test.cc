// SPDX-License-Identifier: MIT
// Protocol `replay` where there is nothing to replay: said before anything runs.
#include <gtest/gtest.h>

#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace replay_protocol_test {

namespace fs = std::filesystem;

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kSmall = source_dir() + "/samples/transformers-auto-model/sadhaklal_mlp-iris";

ProgramEnd run_replay(const TempDir& folder, const std::vector<std::string>& flags) {
  std::vector<std::string> words = {kProgram,   "run",       kSmall,
                                    "--config", "nope.yaml", "--protocol",
                                    "replay",   "-o",        (folder.path() / "r.jsonl").string()};
  words.insert(words.end(), flags.begin(), flags.end());
  return run_program(words, {}, folder.path() / "log");
}

void expect_text(const ProgramEnd& end, const std::string& wanted) {
  EXPECT_NE(end.output.find(wanted), std::string::npos) << wanted << " is not in\n" << end.output;
}

TEST(ReplayProtocol, IsNothingForTheProcessor) {
  const TempDir folder;
  const ProgramEnd end = run_replay(folder, {});
  EXPECT_EQ(end.state.exit_code, 3) << end.output;
  expect_text(end, "protocol 'replay'");
  expect_text(end, "device 'cpu'");
  expect_text(end, "at:  protocol: --protocol");
  expect_text(end, "try: choose device: cuda:0, or another protocol");
  EXPECT_FALSE(fs::exists(folder.path() / "r.jsonl"));
}

// The plan, since no device is needed for it.
TEST(ReplayProtocol, IsNothingForPluginsThatDoNotSaySo) {
  const TempDir folder;
  const ProgramEnd end = run_replay(folder, {"--set", "device=cuda:0", "--dry-run"});
  EXPECT_NE(end.state.exit_code, 0) << end.output;
  expect_text(end, "protocol 'replay'");
  expect_text(end, "plugin 'nope'");
  expect_text(end, "plugin.yaml (capabilities has no graph_capturable)");
  expect_text(end, "protocol.replay=false");
}

}  // namespace replay_protocol_test
}  // namespace graphnet::tests
