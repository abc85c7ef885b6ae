// SPDX-License-Identifier: MIT
//
// Plugins whose code runs in the host's own steps, or beside them unseen
// (dishonest_traps_plugin.cc), through the real program. None may be faster without a flag.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "measure/family_clock.h"
#include "plugin_host/zoo.h"
#include "support/control_sample.h"

namespace graphnet::tests {
namespace dishonest_traps_test {

using record::Flag;

/// The control sample, the same with so little to do that a side sample has several calls, or with
/// an input of 64 KiB that costs little to compute from.
enum class Input { kUsual, kSmall, kNarrow };

struct Case {
  const char* trick;
  Flag flag;
  const char* message;  ///< part of the record's message, or of a note if the outcome is ok
  Input input = Input::kUsual;
};

const Case kCases[] = {
    {"closes_outputs", Flag::kUntimedWork, "output"},  // its pages, or the copy's time
    {"traps_clock", Flag::kUntimedWork, "cycle counter", Input::kSmall},
    {"traps_clock_at_times", Flag::kUntimedWork, "cycle counter"},
    {"answers_clock", Flag::kClockTampered, "timed calls of eager"},
    {"interrupts_pairs", Flag::kEagerSlowed, "times as long"},
    {"interrupts_gently", Flag::kEagerSlowed, "times as long"},
    {"ends_copy", Flag::kEagerSlowed, "no process without the plugin is left"},
    {"hides_child", Flag::kOverThreads, "the worker and its child processes"},
};

std::filesystem::path sample_in(const TempDir& folder, Input input) {
  if (input == Input::kSmall) return write_small_sample(folder, "small_mlp");
  if (input == Input::kNarrow) return write_sized_sample(folder, "narrow_mlp", 16, 1024, 16);
  return kControlSample;
}

class DishonestTraps : public ::testing::TestWithParam<Case> {};

TEST_P(DishonestTraps, AreFlagged) {
  const Case& tested = GetParam();
  if (tested.flag == Flag::kOverThreads) {
    cpu_set_t mask;
    ::sched_getaffinity(0, sizeof mask, &mask);
    if (CPU_COUNT(&mask) < 2) GTEST_SKIP() << "one core only";
    if (!measure::FamilyClock::open({})) GTEST_SKIP() << "the kernel counts no family";
  }
  TempDir folder;
  const record::Record record =
      control_record(tested.trick, /*threads=*/1, sample_in(folder, tested.input));
  const auto& flags = record.flags;
  EXPECT_NE(std::find(flags.begin(), flags.end(), tested.flag), flags.end())
      << record.checks.host_steps << record.checks.eager_watch << record.message << "\nspeedup "
      << record.speedup.value_or(0);
  std::string said = record.message;
  for (const std::string& note : record.notes) said += "\n" + note;
  EXPECT_NE(said.find(tested.message), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(Tricks, DishonestTraps, ::testing::ValuesIn(kCases),
                         [](const auto& tested) { return std::string(tested.param.trick); });

// It knows by SIGCONT that the pairs are over, and that eager is looked at again.
TEST(DishonestLooks, DoNotAcquitWhatThePairsShow) {
  const record::Record record = control_record(
      "interrupts_until_stopped", /*threads=*/1, kControlSample,
      [](const record::Record& each) { return each.timing.unstable_because == "eager"; });
  EXPECT_EQ(record.timing.verdict, record::TimingVerdict::kUnstable)
      << record.checks.eager_watch << record.message;
  EXPECT_EQ(record.timing.unstable_because, "eager");
  const base::Json& watch = record.checks.eager_watch;
  EXPECT_GT(watch.value("in_pairs_ns", 0.0), 1.4 * watch.value("before_ns", 0.0)) << watch;
}

/// Watches the memory of an input, which the host writes through the kernel: the watchpoint sees
/// nothing, and the call computes. Where a sandbox refuses that, it is found by its time.
struct Watcher {
  const char* trick;
  Input input;
  double most_speedup;  ///< of calls that compute
};

class DishonestWatches : public ::testing::TestWithParam<Watcher> {};

TEST_P(DishonestWatches, GainNothing) {
  const Watcher& tested = GetParam();
  TempDir folder;
  const record::Record record =
      control_record(tested.trick, /*threads=*/1, sample_in(folder, tested.input));
  const auto& flags = record.flags;
  if (std::find(flags.begin(), flags.end(), Flag::kUntimedWork) != flags.end()) return;
  ASSERT_TRUE(record.speedup.has_value()) << record.message;
  EXPECT_LT(*record.speedup, tested.most_speedup) << record.checks.host_steps;
}

const Watcher kWatchers[] = {
    {"watches_input", Input::kSmall, 1},
    {"watches_quickly", Input::kNarrow, 6},
};
INSTANTIATE_TEST_SUITE_P(Tricks, DishonestWatches, ::testing::ValuesIn(kWatchers),
                         [](const auto& tested) { return std::string(tested.param.trick); });

}  // namespace dishonest_traps_test
}  // namespace graphnet::tests
