// SPDX-License-Identifier: MIT
//
// Plugins that try to look faster than they are (dishonest_plugin.cc, dishonest_calls_plugin.cc),
// through the real program.
// GRAPHNET_REPEATS=100 runs each so often.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "base/text.h"
#include "journal/journal_file.h"
#include "plugin_host/zoo.h"
#include "support/control_sample.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace dishonest_test {

/// The control sample as it is, with each element of its input the same, or so small that a side
/// sample has several calls, or of 2 MiB.
enum class Input { kVarying, kConstant, kSmall, kManyRows };

enum class Method { kPaired, kUpstream };

/// No bound on the speedup: the row is honest, or flagged so that nobody takes it for one.
constexpr double kAny = std::numeric_limits<double>::infinity();
/// Plugins that compute in every call are slower than eager: hardly optimised, with work besides.
/// What leaves calls out is 20 times faster and more.
constexpr double kComputes = 1.0;

/// From 20 us on a side sample is one call; a busy machine takes twice the time now and then.
constexpr double kShortCallNs = 10e3;

/// How a trick must be caught.
struct Case {
  const char* trick;
  Input input;
  const char* outcome;
  const char* flag;     ///< "": none; with commas: several
  const char* message;  ///< part of it
  double max_speedup;   ///< 0: none is given
  Method method = Method::kPaired;
};

constexpr const char* kStale = "gave the results of the first call, though its inputs had changed";
constexpr const char* kFollowsNot = "output 1 of 1 does not follow its inputs";

const Case kCases[] = {
    {"honest", Input::kVarying, "ok", "", "", kAny},
    {"honest", Input::kConstant, "ok", "unvaried", "", kAny},
    {"honest", Input::kSmall, "ok", "", "", kAny},
    {"honest", Input::kVarying, "ok", "", "", kAny, Method::kUpstream},
    {"cached_output", Input::kVarying, "plugin_failed", "stale_output", kFollowsNot, 0},
    {"stale_input", Input::kVarying, "plugin_failed", "stale_output", kFollowsNot, 0},
    {"zero_writer", Input::kVarying, "accuracy_mismatch", "implausible", "relative RMS error",
     kAny},
    {"late_output", Input::kVarying, "plugin_failed", "", "after gn_backend_run had returned", 0},
    {"slow_clock", Input::kVarying, "plugin_failed", "clock_tampered",
     "by the processor's cycle counter", 0},
    {"wrong_elsewhere", Input::kVarying, "accuracy_mismatch", "wrong_output", kFollowsNot, 0},
    {"wrong_at_first", Input::kVarying, "accuracy_mismatch", "wrong_output", kFollowsNot, 0},
    {"remembers", Input::kVarying, "ok", "", "", kComputes},
    {"remembers", Input::kConstant, "accuracy_mismatch", "", "on second weights", 0},
    // From the third bind on, which only the timed calls follow.
    {"cached_output_at_last", Input::kVarying, "plugin_failed", "stale_output", kStale, 0},
    {"stale_input_at_last", Input::kVarying, "plugin_failed", "stale_output", kStale, 0},
    {"skips_calls_at_last", Input::kVarying, "plugin_failed", "unwritten_output",
     "left an output unwritten", 0},
    {"wrong_elsewhere_at_last", Input::kVarying, "accuracy_mismatch", "sensitive",
     "on shuffled inputs", 0},
    {"wrong_at_first_at_last", Input::kVarying, "accuracy_mismatch", "wrong_output",
     "on shuffled inputs", 0},
    {"flipped_bit_at_last", Input::kVarying, "plugin_failed", "stale_output", kStale, 0},
    {"flipped_bit_at_last", Input::kSmall, "plugin_failed", "stale_output", kStale, 0},
    // Whatever a call may be recognised by, or an input: there is nothing to be gained.
    {"busy", Input::kVarying, "ok", "", "", kComputes},
    {"busy", Input::kSmall, "ok", "", "", kComputes},
    {"peeks", Input::kVarying, "ok", "", "", kComputes},
    {"peeks", Input::kSmall, "ok", "", "", kComputes},
    {"memo_by_content", Input::kVarying, "ok", "", "", kComputes},
    {"memo_by_content", Input::kSmall, "ok", "", "", kComputes},
    {"memo_by_last", Input::kSmall, "ok", "", "", kComputes},
    {"samples_input", Input::kVarying, "ok", "", "", kComputes},
    {"samples_input", Input::kSmall, "ok", "", "", kComputes},
    {"remembers_rows", Input::kManyRows, "ok", "", "", kComputes},
    {"watches_inputs", Input::kSmall, "accuracy_mismatch", "", "on second weights", kComputes},
    {"flipped_bit", Input::kVarying, "plugin_failed", "stale_output", kFollowsNot, 0},
    {"flipped_bit", Input::kSmall, "accuracy_mismatch", "other_seed", "on the inputs of seed 126",
     0},
    {"moves_later", Input::kVarying, "plugin_failed", "moved_output", "it changed the tensor of",
     0},
    {"moves_later", Input::kSmall, "plugin_failed", "moved_output", "it changed the tensor of", 0},
    // Timed calls repeat one input here, which each record says.
    {"peeks", Input::kVarying, "ok", "", "", kComputes, Method::kUpstream},
    {"memo_by_content", Input::kVarying, "ok", "implausible", "", kAny, Method::kUpstream},
    {"flipped_bit", Input::kVarying, "plugin_failed", "stale_output", kStale, 0, Method::kUpstream},
    {"moves_later", Input::kVarying, "plugin_failed", "moved_output", "it changed the tensor of", 0,
     Method::kUpstream},
};

std::string name_of(const Case& tested) {
  constexpr const char* kInputs[] = {"", "_on_a_constant", "_on_little", "_on_many_rows"};
  std::string name = tested.trick;
  name += kInputs[static_cast<std::size_t>(tested.input)];
  return tested.method == Method::kUpstream ? name + "_upstream" : name;
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

  static std::filesystem::path sample_in(const TempDir& folder) {
    switch (GetParam().input) {
      case Input::kVarying:
        break;
      case Input::kConstant:
        return write_control_sample(folder, "constant_mlp", {{"L_x_", "1.0", "0.0"}});
      case Input::kSmall:
        return write_small_sample(folder, "small_mlp");
      case Input::kManyRows:
        return write_sized_sample(folder, "many_rows_mlp", 1024, 512, 512);
    }
    return kControlSample;
  }

  record::Record run() {
    TempDir folder;
    const bool is_upstream = GetParam().method == Method::kUpstream;
    const std::string protocol =
        is_upstream ? "{name: upstream}" : "{time: 300ms, remeasure: false}";
    const auto config = folder.write(
        "trick.yaml",
        "schema: graphnet/run/v1\nbackend: {library: " + zoo_library(GetParam().trick).string() +
            "}\nthreads: 1\nprotocol: " + protocol + "\n");
    const auto journal = folder.path() / "results.jsonl";
    run_program({build_dir() + "/bin/graphnet", "run", sample_in(folder).string(), "-o",
                 journal.string(), "--config", config.string()},
                {}, folder.path() / "log");
    auto content = journal::read_journal(journal);
    EXPECT_TRUE(content.is_ok()) << content.status().to_string();
    if (!content.is_ok() || content->records.size() != 1) {
      ADD_FAILURE() << "no record";
      return record::Record();
    }
    EXPECT_EQ(content->controls.size(), is_upstream ? 0U : 1U);
    return content->records.front();
  }
};

TEST_P(Dishonest, IsCaughtAndTheHonestAreNot) {
  const Case& tested = GetParam();
  for (int i = 0; i < repeats(); ++i) {
    const record::Record record = run();
    EXPECT_EQ(record.outcome.text(), tested.outcome) << record.message;
    EXPECT_NE(record.message.find(tested.message), std::string::npos) << record.message;
    EXPECT_EQ(base::join(texts_of(record.flags), ", "), tested.flag);
    EXPECT_LE(record.speedup.value_or(0), tested.max_speedup);
    const auto& calls_per_side_sample = record.timing.calls_per_side_sample.plugin;
    if (tested.input == Input::kSmall && calls_per_side_sample) {
      const double eager_ns = record.eager.median_ns.value_or(0);
      if (eager_ns < kShortCallNs) {
        EXPECT_GT(*calls_per_side_sample, 1);
      } else {
        std::cout << "not asked for several calls a side sample: eager takes " << eager_ns
                  << " ns on this machine\n";
      }
    }
    const bool says_unchecked =
        std::any_of(record.notes.begin(), record.notes.end(),
                    [](const std::string& note) { return note.rfind("unchecked: ", 0) == 0; });
    // Unless it ends before.
    const bool is_upstream = tested.method == Method::kUpstream;
    if (!is_upstream || tested.max_speedup != 0) {
      EXPECT_EQ(says_unchecked, is_upstream);
    }
    if (HasFailure()) FAIL() << "in run " << i + 1 << " of " << repeats();
  }
}

INSTANTIATE_TEST_SUITE_P(Tricks, Dishonest, ::testing::ValuesIn(kCases),
                         [](const auto& tested) { return name_of(tested.param); });

}  // namespace dishonest_test
}  // namespace graphnet::tests
