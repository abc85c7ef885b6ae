// SPDX-License-Identifier: MIT
// Sweeps with several slots.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "support/run_program.h"
#include "support/sweep_fixture.h"

namespace graphnet::supervise {
namespace sweep_slots_test {

using record::Record;

/// The fake worker reads what to do from the task's sample path. In the folder it leaves "ticks",
/// which grows while some worker compiles, "at-once" if two were in memory together, and
/// "disturbed" if others went on while times were taken.
constexpr const char* kWorker = R"(
ask() { send ask "$@"; read -r go <&3; }
tick() { for i in 1 2 3 4 5 6 7 8; do echo x >> ticks; sleep 0.02; done; }
send phase load
case $task in
  *do-time*)
    ask inputs ',"bytes":1000'; send phase inputs; send phase compile; tick
    ask time; send phase time
    before=$(wc -c < ticks); sleep 0.2; [ $before = $(wc -c < ticks) ] || echo x >> disturbed
    send phase robustness; tick; final ;;
  *do-large*)
    ask inputs ',"bytes":1000000000000000000'; send phase inputs
    [ -e large ] && echo x >> at-once
    echo x > large; sleep 0.1; rm large; final ;;
  *do-short-compile*)
    send phase compile; sleep 0.3; final ;;
  *do-long-time*)
    ask time; send phase time; sleep 1.2; send phase robustness; final ;;
  *do-die-once*)
    send phase compile; sleep 0.1
    [ -e died ] || { touch died; kill -KILL $$; }
    final ;;
  *do-die-in-time*)
    ask time; send phase time; kill -SEGV $$ ;;
  *do-hang-in-time*)
    ask time; send phase time; sleep 100 ;;
  *do-leave*)
    send phase compile; setsid sleep 600 & echo $! > left; sleep 0.3; final ;;
  *do-device*)
    case $task in *'"cuda:1"'*) mine=1; other=0 ;; *) mine=0; other=1 ;; esac
    [ -e busy-$mine ] && echo x >> shared
    touch busy-$mine; send phase compile; sleep 0.2
    [ -e busy-$other ] && echo x >> at-once
    rm busy-$mine; final ;;
  *do-slow*)
    send phase bind; sleep 0.4; final ;;
  *do-nothing*) exit 127 ;;
  *) final ;;
esac
)";

class SweepSlotsTest : public tests::SweepFixture {
 protected:
  SweepSlotsTest() : SweepFixture(record_of_long_compile(), kWorker, 3) {
    temp_.write("ticks", "");
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      slots_[i].share_machine = true;
      slots_[i].mark = "GRAPHNET_SLOT=" + std::to_string(i);
    }
  }

  static Record record_of_long_compile() {
    Record record = ok_record();
    record.plugin_side.compile_ns = 5e9;
    record.phases_ns = {{"compile", 6'000'000'000}};
    return record;
  }

  SweepEnd sweep_of(const std::vector<std::string>& samples) {
    const auto end = sweep(plan_of(samples));
    EXPECT_TRUE(end.is_ok()) << end.status().to_string();
    return end.is_ok() ? *end : SweepEnd();
  }

  bool exists(const std::string& name) const {
    return std::filesystem::exists(temp_.path() / name);
  }
};

TEST_F(SweepSlotsTest, TimesAreTakenWhileEverythingElseIsPaused) {
  const SweepEnd end = sweep_of({"do-time-1", "do-time-2", "do-time-3", "do-time-4", "do-time-5"});
  EXPECT_EQ(end.num_done, 5U);
  EXPECT_EQ(end.num_left, 0U);
  EXPECT_FALSE(exists("disturbed"));
  EXPECT_EQ(recorder_.outcomes, std::vector<std::string>(5, "ok"));
  EXPECT_EQ(recorder_.begun.front(), "timm/do-time-1");
  bool any_paused = false;
  for (const Record& record : records()) {
    EXPECT_EQ(record.environment.jobs, 3);
    any_paused = any_paused || !record.environment.held_ns.is_null();
  }
  EXPECT_TRUE(any_paused);
}

TEST_F(SweepSlotsTest, EachDeviceHasOneSampleAtATimeAndAllOfItsOwn) {
  std::vector<PlannedTask> plan;
  for (const int device : {0, 0, 0, 1, 0, 1}) {
    plan.push_back(task_of("do-device-" + std::to_string(plan.size())));
    plan.back().task.device = "cuda:" + std::to_string(device);
  }
  slots_.resize(2);
  slots_[0].device = "cuda:0";
  slots_[1].device = "cuda:1";
  const auto end = sweep(plan);
  ASSERT_TRUE(end.is_ok()) << end.status().to_string();
  EXPECT_EQ(end->num_done, 6U);
  EXPECT_FALSE(exists("shared")) << "a device had two samples at a time";
  EXPECT_TRUE(exists("at-once")) << "the devices took turns";
  ASSERT_GE(recorder_.begun.size(), 2U);
  EXPECT_EQ(recorder_.begun[0], "timm/do-device-0");
  EXPECT_EQ(recorder_.begun[1], "timm/do-device-3") << "it waited for the samples of the other";
}

TEST_F(SweepSlotsTest, WhatDoesNotFitBesideOthersWaits) {
  sweep_of({"do-large-1", "do-large-2", "do-large-3", "do-large-4"});
  EXPECT_FALSE(exists("at-once"));
  EXPECT_EQ(recorder_.outcomes, std::vector<std::string>(4, "ok"));
}

TEST_F(SweepSlotsTest, LimitsAndDurationsLeaveOutPauses) {
  PlannedTask compiles = task_of("do-short-compile");
  compiles.limits["compile"] = std::chrono::milliseconds(900);
  const auto end = sweep({task_of("do-long-time"), compiles});
  ASSERT_TRUE(end.is_ok());
  EXPECT_EQ(recorder_.outcomes, std::vector<std::string>(2, "ok"));
  for (const Record& record : records()) {
    const base::Json paused =
        record.environment.held_ns.is_null() ? base::Json::object() : record.environment.held_ns;
    const double paused_ns = paused.value("compile", 0.0);
    EXPECT_NEAR(record.phases_ns.value("compile", 0.0), 6e9 - paused_ns, 1);
    EXPECT_EQ(record.plugin_side.compile_ns, 5e9) << "it was not in gn_backend_compile";
  }
}

TEST_F(SweepSlotsTest, DeathsAndHangsWhileTimesAreTakenLetTheOthersGoOn) {
  std::vector<PlannedTask> plan = {task_of("do-die-in-time"), task_of("do-hang-in-time"),
                                   task_of("do-time-1"), task_of("do-time-2")};
  plan[1].limits["time"] = std::chrono::milliseconds(300);
  const auto end = sweep(plan);
  ASSERT_TRUE(end.is_ok());
  std::sort(recorder_.outcomes.begin(), recorder_.outcomes.end());
  EXPECT_EQ(recorder_.outcomes, (std::vector<std::string>{"crashed", "ok", "ok", "timed_out"}));
  EXPECT_FALSE(exists("disturbed"));
}

TEST_F(SweepSlotsTest, OneThatMayHaveBeenCrowdedOutIsRunAgainAlone) {
  for (WorkerSettings& slot : slots_) slot.root = temp_.path();  // where no kernel tells
  const SweepEnd end = sweep_of({"do-die-once", "do-slow", "do-slow", "do-slow"});
  EXPECT_EQ(end.num_done, 4U);
  EXPECT_EQ(recorder_.outcomes, std::vector<std::string>(4, "ok"));
  EXPECT_EQ(records().size(), 4U);
  EXPECT_TRUE(exists("died"));
}

TEST_F(SweepSlotsTest, WhatOneLeavesBehindIsKilledWhileOthersRun) {
  sweep_of({"do-leave", "do-slow", "do-slow"});
  const pid_t left = std::atoi(tests::read_text(temp_.path() / "left").c_str());
  ASSERT_GT(left, 0);
  EXPECT_NE(::kill(left, 0), 0);
  EXPECT_EQ(recorder_.outcomes, std::vector<std::string>(3, "ok"));
}

TEST_F(SweepSlotsTest, OneCtrlCFinishesAllThatRun) {
  recorder_.raise_in = "bind";
  const SweepEnd end = sweep_of({"do-slow-1", "do-slow-2", "do-slow-3", "do-slow-4", "do-slow-5"});
  EXPECT_EQ(end.signal, SIGINT);
  EXPECT_EQ(end.num_done, recorder_.begun.size());
  EXPECT_LE(end.num_done, 3U);
  EXPECT_EQ(end.num_done + end.num_left, 5U);
  EXPECT_EQ(recorder_.finishing.size(), end.num_done);
  EXPECT_EQ(records().size(), end.num_done);
}

TEST_F(SweepSlotsTest, TwoStopThemWithoutRecords) {
  recorder_.raise_in = "time";
  recorder_.insists = true;
  const auto started = std::chrono::steady_clock::now();
  const SweepEnd end = sweep_of({"do-hang-in-time-1", "do-hang-in-time-2", "do-hang-in-time-3"});
  EXPECT_EQ(end.signal, SIGINT);
  EXPECT_EQ(end.num_left, 3U);
  EXPECT_TRUE(records().empty());
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(10));
}

TEST_F(SweepSlotsTest, StopsWhenNobodyReadsTheResults) {
  recorder_.stop_after = 1;
  const SweepEnd end = sweep_of({"do-ok", "do-slow", "do-slow", "do-slow"});
  EXPECT_EQ(end.num_done, 1U);
  EXPECT_EQ(end.num_left, 3U);
}

TEST_F(SweepSlotsTest, AWorkerThatNeverStartsEndsTheSweep) {
  const auto end = sweep({task_of("do-nothing"), task_of("do-nothing")});
  // It entered "load", so it is a record; one without any phase is none.
  EXPECT_TRUE(end.is_ok());
  for (WorkerSettings& slot : slots_) slot.executable = "/bin/false";
  const auto none = sweep({task_of("do-ok"), task_of("do-ok")});
  ASSERT_FALSE(none.is_ok());
  EXPECT_EQ(none.status().code(), base::Code::kEnvironment);
}

TEST_F(SweepSlotsTest, ARefusedPluginIsRecordedWithoutAWorker) {
  std::vector<PlannedTask> plan = {task_of("do-ok"), task_of("do-ok"), task_of("do-ok")};
  plan[1].refusal = base::Status(base::Code::kPlugin, "plugin 'acme' is cut off");
  ASSERT_TRUE(sweep(plan).is_ok());
  std::sort(recorder_.outcomes.begin(), recorder_.outcomes.end());
  EXPECT_EQ(recorder_.outcomes, (std::vector<std::string>{"ok", "ok", "plugin_failed"}));
}

TEST_F(SweepSlotsTest, AControlHasNoCoRunners) {
  for (WorkerSettings& slot : slots_) slot.control_sample = "do-control";
  std::vector<PlannedTask> plan(3, task_of("do-slow"));
  for (PlannedTask& planned : plan) planned.task.method = "paired";
  ASSERT_TRUE(sweep(plan).is_ok());
  ASSERT_EQ(recorder_.begun.size(), 4U);
  EXPECT_EQ(recorder_.begun[0], "control");
  EXPECT_EQ(recorder_.outcomes.size(), 3U);
}

}  // namespace sweep_slots_test
}  // namespace graphnet::supervise
