// SPDX-License-Identifier: MIT
//
// Plugins whose code runs in the host's own steps, or beside them unseen
// (dishonest_traps_plugin.cc), through the real program. None may be faster without a flag.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <string>

#include "measure/family_clock.h"
#include "plugin_host/zoo.h"
#include "support/control_sample.h"

namespace graphnet::tests {
namespace {

using record::Flag;

struct Case {
  const char* trick;
  Flag flag;
  const char* message;  ///< part of the record's message, or of a note if the outcome is ok
  bool is_small = false;
};

const Case kCases[] = {
    {"closes_outputs", Flag::kUntimedWork, "before the plugin was loaded"},
    {"watches_input", Flag::kUntimedWork, "steps around", /*is_small=*/true},
    {"traps_clock", Flag::kUntimedWork, "steps around", /*is_small=*/true},
    {"answers_clock", Flag::kClockTampered, "timed calls of eager"},
    {"interrupts_pairs", Flag::kEagerSlowed, "times as long"},
    {"interrupts_gently", Flag::kEagerSlowed, "times as long"},
    {"ends_copy", Flag::kEagerSlowed, "no process without the plugin is left"},
    {"hides_child", Flag::kOverThreads, "the worker and its child processes"},
};

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
  const ControlRun run = tested.is_small ? ControlRun(tested.trick, /*threads=*/1,
                                                      write_small_sample(folder, "small_mlp"))
                                         : ControlRun(tested.trick, /*threads=*/1);
  ASSERT_EQ(run.records().size(), 1U) << run.output();
  const record::Record& record = run.records().front();
  const auto& flags = record.flags;
  EXPECT_NE(std::find(flags.begin(), flags.end(), tested.flag), flags.end())
      << record.checks.host_steps << record.checks.eager_watch << record.message;
  std::string said = record.message;
  for (const std::string& note : record.notes) said += "\n" + note;
  EXPECT_NE(said.find(tested.message), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(Tricks, DishonestTraps, ::testing::ValuesIn(kCases),
                         [](const auto& tested) { return std::string(tested.param.trick); });

}  // namespace
}  // namespace graphnet::tests
