// SPDX-License-Identifier: MIT
//
// Plugins that work on what surrounds the timed calls (dishonest_budget_plugin.cc), through the
// real program. GRAPHNET_REPEATS=100 runs each so often.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "measure/family_clock.h"
#include "measure/fork_log.h"
#include "plugin_host/zoo.h"

namespace graphnet::tests {
namespace dishonest_budget_test {

using record::Flag;
using record::Outcome;

int num_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  ::sched_getaffinity(0, sizeof mask, &mask);
  return CPU_COUNT(&mask);
}

bool has_flag(const record::Record& record, Flag flag) {
  return std::find(record.flags.begin(), record.flags.end(), flag) != record.flags.end();
}

/// Processor time and wall clock of the side samples of eager and of the plugin; NaN if there is
/// none.
std::vector<std::pair<double, double>> budgets_of(const record::Record& record) {
  const record::SideNumbers& cpu = record.timing.cpu_ns;
  const record::SideNumbers& wall = record.timing.cpu_wall_ns;
  return {{cpu.eager.value_or(NAN), wall.eager.value_or(NAN)},
          {cpu.plugin.value_or(NAN), wall.plugin.value_or(NAN)}};
}

struct Case {
  const char* trick;
  int threads;
  Outcome outcome;
  Flag flag;
  const char* message;  ///< part of the record's message, or of a note if the outcome is ok
};

const Case kCases[] = {
    {"helper_process", 1, Outcome::kOk, Flag::kHelperProcess, "zoo_helper"},
    {"orphan_helper", 1, Outcome::kOk, Flag::kHelperProcess, "zoo_helper"},
    {"onednn_off", 1, Outcome::kPluginFailed, Flag::kSettingsChanged, "oneDNN was on, is off"},
    {"flushes_denormals", 1, Outcome::kPluginFailed, Flag::kSettingsChanged,
     "subnormal results are zero"},
    {"one_thread", 2, Outcome::kPluginFailed, Flag::kSettingsChanged, "threads was 2, is 1"},
    {"fast_clock", 1, Outcome::kPluginFailed, Flag::kClockTampered, "timed calls of eager"},
    {"half_clock", 1, Outcome::kPluginFailed, Flag::kClockTampered, "timed calls of the plugin"},
    {"interrupts_eager", 1, Outcome::kOk, Flag::kEagerSlowed, "beside the plugin"},
    {"interrupts_eager", 2, Outcome::kOk, Flag::kEagerSlowed, "beside the plugin"},
    {"nearly_clock", 1, Outcome::kPluginFailed, Flag::kClockTampered, "timed calls of the plugin"},
};

class DishonestBudget : public ::testing::TestWithParam<Case> {};

TEST_P(DishonestBudget, IsCaughtAndNoSpeedupIsLeft) {
  const Case& tested = GetParam();
  if (tested.threads > num_cores()) GTEST_SKIP() << "too few cores";
  record::Record record = control_record(tested.trick, tested.threads);
  // Load from elsewhere may hide what times alone show, but hardly twice.
  const bool is_by_times = tested.flag == Flag::kEagerSlowed;
  if (is_by_times && !has_flag(record, tested.flag)) {
    record = control_record(tested.trick, tested.threads);
  }
  EXPECT_EQ(record.outcome, tested.outcome) << record.message;
  EXPECT_TRUE(has_flag(record, tested.flag));
  if (tested.flag != Flag::kEagerSlowed) {
    EXPECT_NE(record.verdict.kind, record::ProofVerdict::kProven);
  }
  std::string said = record.message;
  for (const std::string& note : record.notes) said += "\n" + note;
  EXPECT_NE(said.find(tested.message), std::string::npos) << said << record.checks.eager_watch;
  if (!record.is_ok()) {
    EXPECT_FALSE(record.speedup.has_value());
  }
}

INSTANTIATE_TEST_SUITE_P(Tricks, DishonestBudget, ::testing::ValuesIn(kCases),
                         [](const auto& tested) {
                           return std::string(tested.param.trick) + "_" +
                                  std::to_string(tested.param.threads);
                         });

// A call that is shorter than the time for which a thread keeps its core hardly meets the burners,
// and what they take shows in the processor time of others.
TEST(DishonestBudgetBurnsCore, GainsLittleOrIsFlagged) {
  const ControlRun run("burns_core", 1, kControlSample);  // half a minute, and unstable will do
  ASSERT_EQ(run.records().size(), 1U) << run.output();
  const record::Record& record = run.records().front();
  EXPECT_EQ(record.outcome, Outcome::kOk) << record.message;
  const base::Json& watch = record.checks.eager_watch;
  const double slowdown = watch["in_pairs_ns"].get<double>() / watch["before_ns"].get<double>();
  EXPECT_TRUE(slowdown < 1.5 || has_flag(record, Flag::kEagerSlowed) ||
              record.timing.verdict == record::TimingVerdict::kUnstable)
      << watch;
}

/// How much the other cores do depends on who else wants them; the flag goes by what they did.
void expect_flag_by_processor_time(const char* trick) {
  const record::Record record = control_record(trick, 1);
  EXPECT_EQ(record.outcome, Outcome::kOk) << record.message;
  bool is_over = false;
  for (const auto& [cpu_ns, wall_ns] : budgets_of(record)) {
    EXPECT_GT(cpu_ns, 0.5 * wall_ns) << "the count was stopped";
    is_over = is_over || cpu_ns > 1.05 * wall_ns;
  }
  EXPECT_EQ(has_flag(record, Flag::kOverThreads), is_over);
}

TEST(DishonestBudgetAllCores, IsFlaggedByTheProcessorTimeThatItUsed) {
  expect_flag_by_processor_time("all_cores");
}

TEST(DishonestBudgetStopsCount, CannotStopIt) {
  if (!measure::FamilyClock::open({})) GTEST_SKIP() << "the kernel counts no family";
  expect_flag_by_processor_time("stops_count");
}

TEST(DishonestBudgetStartsPrograms, IsFlaggedWhereTheKernelLogs) {
  if (!measure::ForkLog::open()) GTEST_SKIP() << "the kernel logs no processes";
  const record::Record record = control_record("starts_programs", 1);
  EXPECT_EQ(record.outcome, Outcome::kOk) << record.message;
  EXPECT_TRUE(has_flag(record, Flag::kHelperProcess)) << record.message;
}

TEST(HonestBudget, IsNotAccused) {
  for (const int threads : {1, std::min(2, num_cores())}) {
    const record::Record record = control_record("honest", threads);
    EXPECT_EQ(record.outcome, Outcome::kOk) << record.message;
    EXPECT_TRUE(record.flags.empty()) << record.flags.front() << record.checks.eager_watch;
    for (const auto& [cpu_ns, wall_ns] : budgets_of(record)) {
      EXPECT_LE(cpu_ns, 1.05 * threads * wall_ns);
    }
  }
}

}  // namespace dishonest_budget_test
}  // namespace graphnet::tests
