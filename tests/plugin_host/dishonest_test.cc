// SPDX-License-Identifier: MIT
//
// Plugins that try to look faster than they are (dishonest_plugin.cc), through the real program.
// GRAPHNET_REPEATS=100 runs each so often.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "journal/journal_file.h"
#include "plugin_host/zoo.h"
#include "support/control_sample.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace {

/// The control sample as it is, or with each element of its input the same.
enum class Input { kVarying, kConstant };

/// How a trick must be caught.
struct Case {
  const char* trick;
  Input input;
  const char* outcome;
  const char* flag;     ///< "": none
  const char* message;  ///< part of it
};

const Case kCases[] = {
    {"honest", Input::kVarying, "ok", "", ""},
    {"honest", Input::kConstant, "ok", "", ""},
    {"cached_output", Input::kVarying, "plugin_failed", "stale_output",
     "gave the results of the first call, though its inputs had changed"},
    {"stale_input", Input::kVarying, "plugin_failed", "stale_output",
     "gave the results of the first call, though its inputs had changed"},
    {"zero_writer", Input::kVarying, "accuracy_mismatch", "implausible", "relative RMS error"},
    {"late_output", Input::kVarying, "plugin_failed", "", "after gn_backend_run had returned"},
    {"skips_calls", Input::kVarying, "plugin_failed", "unwritten_output",
     "left an output unwritten"},
    {"slow_clock", Input::kVarying, "plugin_failed", "clock_tampered",
     "by the processor's cycle counter"},
    {"wrong_elsewhere", Input::kVarying, "ok", "sensitive", ""},
    {"wrong_at_first", Input::kVarying, "accuracy_mismatch", "wrong_output", "on shuffled inputs"},
    {"remembers", Input::kVarying, "ok", "", ""},
    {"remembers", Input::kConstant, "ok", "implausible", ""},
};

std::string name_of(const Case& tested) {
  const bool varies = tested.input == Input::kVarying;
  return std::string(tested.trick) + (varies ? "" : "_on_a_constant");
}

void PrintTo(const Case& tested, std::ostream* out) {
  *out << name_of(tested);
}

class Dishonest : public ::testing::TestWithParam<Case> {
 protected:
  static int repeats() {
    const char* wanted = std::getenv("GRAPHNET_REPEATS");
    return wanted == nullptr ? 1 : std::max(1, std::atoi(wanted));
  }

  record::Record run() {
    TempDir folder;
    const auto sample = GetParam().input == Input::kConstant
                            ? write_control_sample(folder, "constant_mlp", {{"L_x_", "1.0", "0.0"}})
                            : std::filesystem::path(GRAPHNET_SOURCE_DIR) / "configs/control";
    const auto config = folder.write(
        "trick.yaml",
        "schema: graphnet/run/v1\nbackend: {library: " + zoo_library(GetParam().trick).string() +
            "}\nthreads: 1\nprotocol: {time: 300ms, remeasure: false}\n");
    const auto journal = folder.path() / "results.jsonl";
    run_program({std::string(GRAPHNET_BINARY_DIR) + "/bin/graphnet", "run", sample.string(), "-o",
                 journal.string(), "--config", config.string()},
                {}, folder.path() / "log");
    auto content = journal::read_journal(journal);
    EXPECT_TRUE(content.is_ok()) << content.status().to_string();
    if (!content.is_ok() || content->records.size() != 1) {
      ADD_FAILURE() << "no record";
      return {};
    }
    EXPECT_EQ(content->controls.size(), 1U);
    return content->records.front();
  }
};

TEST_P(Dishonest, IsCaughtAndTheHonestAreNot) {
  const Case& tested = GetParam();
  for (int i = 0; i < repeats(); ++i) {
    const record::Record record = run();
    EXPECT_EQ(record.outcome.text(), tested.outcome) << record.message;
    EXPECT_NE(record.message.find(tested.message), std::string::npos) << record.message;
    const std::vector<std::string> flags =
        *tested.flag == '\0' ? std::vector<std::string>() : std::vector<std::string>{tested.flag};
    EXPECT_EQ(texts_of(record.flags), flags);
    if (HasFailure()) FAIL() << "in run " << i + 1 << " of " << repeats();
  }
}

INSTANTIATE_TEST_SUITE_P(Tricks, Dishonest, ::testing::ValuesIn(kCases),
                         [](const auto& tested) { return name_of(tested.param); });

}  // namespace
}  // namespace graphnet::tests
