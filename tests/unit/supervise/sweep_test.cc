// SPDX-License-Identifier: MIT
#include "supervise/sweep.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <set>

#include "supervise/control.h"
#include "support/sweep_fixture.h"

namespace graphnet::supervise {
namespace sweep_test {

using record::Record;

constexpr const char* kWorker = R"(
case $task in
  *do-ok*) send phase run; final ;;
  *do-crash*) send phase compile; kill -SEGV $$ ;;
  *do-hang*) send phase bind; sleep 100 ;;
  *do-slow*) send phase bind; sleep 0.3; final ;;
  *do-nothing*) echo no libtorch; exit 127 ;;
esac
)";

/// A sweep with one slot.
class SweepTest : public tests::SweepFixture {
 protected:
  SweepTest() : SweepFixture(ok_record(), kWorker, 1) {}

  std::size_t num_records() const { return records().size(); }
};

TEST_F(SweepTest, GoesOnAfterACrash) {
  const auto end = sweep(plan_of({"do-ok", "do-crash", "do-ok"}));
  ASSERT_TRUE(end.is_ok()) << end.status().to_string();
  EXPECT_EQ(end->num_done, 3U);
  EXPECT_EQ(end->num_left, 0U);
  EXPECT_EQ(recorder_.outcomes, (std::vector<std::string>{"ok", "crashed", "ok"}));
  EXPECT_EQ(num_records(), 3U);
}

TEST_F(SweepTest, OneCtrlCFinishesTheSampleAndStops) {
  recorder_.raise_in = "bind";
  const auto end = sweep(plan_of({"do-slow", "do-ok"}));
  ASSERT_TRUE(end.is_ok());
  EXPECT_EQ(end->num_done, 1U);
  EXPECT_EQ(end->num_left, 1U);
  EXPECT_EQ(end->signal, SIGINT);
  EXPECT_EQ(recorder_.outcomes, std::vector<std::string>{"ok"});
  EXPECT_EQ(recorder_.num_finishing, 1);
  EXPECT_EQ(num_records(), 1U);
}

TEST_F(SweepTest, OneCtrlCStopsAControl) {
  slots_[0].control_sample = "do-hang";
  recorder_.raise_in = "bind";
  auto plan = plan_of({"do-ok"});
  plan[0].task.method = "paired";
  const auto end = sweep(plan);
  ASSERT_TRUE(end.is_ok()) << end.status().to_string();
  EXPECT_EQ(end->num_left, 1U);
  EXPECT_EQ(recorder_.begun, std::vector<std::string>{"control"});
  EXPECT_EQ(recorder_.num_finishing, 0);
}

TEST_F(SweepTest, AControlComesBeforeTheFirstSampleAndEveryFifty) {
  slots_[0].control_sample = "do-crash";
  auto plan = plan_of(std::vector<std::string>(kSamplesPerControl + 1, "do-ok"));
  for (PlannedTask& planned : plan) planned.task.method = "paired";
  const auto end = sweep(plan);
  ASSERT_TRUE(end.is_ok()) << end.status().to_string();
  EXPECT_EQ(end->num_done, kSamplesPerControl + 1);
  EXPECT_EQ(recorder_.controls, (std::vector<bool>{false, false}));
  ASSERT_EQ(recorder_.begun.size(), kSamplesPerControl + 3);
  EXPECT_EQ(recorder_.begun[0], "control");
  EXPECT_EQ(recorder_.begun[kSamplesPerControl + 1], "control");
}

// What a worker would be asked and told in several slots costs time around timed phases.
TEST_F(SweepTest, OneSlotAsksAndTellsNothingOfTurns) {
  ASSERT_TRUE(sweep(plan_of({"do-ok", "do-crash", "do-ok"})).is_ok());
  EXPECT_EQ(recorder_.num_turns, 0);
  EXPECT_EQ(num_records(), 3U);
  for (const Record& record : records()) {
    EXPECT_FALSE(record.environment.jobs.has_value());
    EXPECT_TRUE(record.environment.held_ns.is_null());
  }
}

TEST_F(SweepTest, AStoppedSampleLeavesNoRecord) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove(results());
    recorder_ = tests::SweepRecorder();
    recorder_.raise_in = "bind";
    recorder_.raised = signal;
    recorder_.insists = true;
    const auto end = sweep(plan_of({"do-ok", "do-hang", "do-ok"}));
    ASSERT_TRUE(end.is_ok());
    EXPECT_EQ(end->num_done, 1U);
    EXPECT_EQ(end->num_left, 2U);
    EXPECT_EQ(end->signal, signal);
    EXPECT_EQ(recorder_.num_finishing, signal == SIGINT ? 1 : 0);
    EXPECT_EQ(num_records(), 1U);
  }
}

TEST_F(SweepTest, AWorkerThatNeverStartsEndsTheSweep) {
  const auto end = sweep(plan_of({"do-nothing", "do-ok"}));
  ASSERT_FALSE(end.is_ok());
  EXPECT_EQ(end.status().code(), base::Code::kEnvironment);
  EXPECT_NE(end.status().to_string().find("no libtorch"), std::string::npos);
  EXPECT_EQ(num_records(), 0U);
}

TEST_F(SweepTest, OnceOneBeganAFailedStartIsARecord) {
  const auto end = sweep(plan_of({"do-ok", "do-nothing", "do-ok"}));
  ASSERT_TRUE(end.is_ok()) << end.status().to_string();
  EXPECT_EQ(recorder_.outcomes, (std::vector<std::string>{"ok", "reference_failed", "ok"}));
}

TEST_F(SweepTest, ARefusedPluginIsRecordedWithoutAWorker) {
  auto plan = plan_of({"do-nothing", "do-ok", "do-nothing"});
  for (const std::size_t i : {0, 2}) {
    plan[i].task.plugin_version = "0.3.1";
    plan[i].library.sha256 = "abc";
    plan[i].refusal = base::Status(base::Code::kPlugin, "plugin 'acme' is cut off\n  ^")
                          .add_context("in a.so")
                          .add_hint("fetch it again");
  }
  const auto end = sweep(plan);
  ASSERT_TRUE(end.is_ok()) << end.status().to_string();
  EXPECT_EQ(recorder_.outcomes, (std::vector<std::string>{"plugin_failed", "ok", "plugin_failed"}));
  const Record record = records().at(0);
  EXPECT_EQ(record.message, "plugin 'acme' is cut off");
  EXPECT_EQ(record.notes, (std::vector<std::string>{"at: in a.so", "try: fetch it again"}));
  EXPECT_EQ(record.phase, record::Phase::kNone);
  EXPECT_EQ(record.plugin_version, "0.3.1");
  EXPECT_EQ(record.plugin_sha256, "abc");
}

TEST_F(SweepTest, StopsWhenNobodyReadsTheResults) {
  recorder_.stop_after = 1;
  const auto end = sweep(plan_of({"do-ok", "do-ok", "do-ok"}));
  ASSERT_TRUE(end.is_ok());
  EXPECT_EQ(end->num_done, 1U);
  EXPECT_EQ(end->num_left, 2U);
  EXPECT_EQ(end->signal, 0);
}

TEST_F(SweepTest, StopsWhenThePluginIsRebuilt) {
  const auto library = temp_.write("libgn_x.so", "old");
  auto plan = plan_of({"do-ok"});
  plan[0].task.plugin_library = library.string();
  plan[0].library.stamp = config::file_stamp(library);
  temp_.write("libgn_x.so", "rebuilt");
  const auto end = sweep(plan);
  ASSERT_FALSE(end.is_ok());
  EXPECT_NE(end.status().message().find("changed while the run"), std::string::npos);
}

TEST(Interrupts, SignalsBecomeReadable) {
  auto interrupt = Interrupt::create();
  ASSERT_TRUE(interrupt.is_ok());
  EXPECT_EQ(interrupt->signal(), 0);
  ::kill(::getpid(), SIGTERM);
  interrupt->read();
  EXPECT_EQ(interrupt->wish(), Wish::kStop);
  ::kill(::getpid(), SIGINT);
  interrupt->read();
  EXPECT_EQ(interrupt->signal(), SIGTERM);
  EXPECT_EQ(interrupt->wish(), Wish::kKill);
}

TEST(Interrupts, EachCtrlCAsksForMore) {
  auto interrupt = Interrupt::create();
  ASSERT_TRUE(interrupt.is_ok());
  EXPECT_EQ(interrupt->wish(), Wish::kNone);
  for (const Wish wish : {Wish::kFinish, Wish::kStop, Wish::kKill, Wish::kKill}) {
    ::kill(::getpid(), SIGINT);
    interrupt->read();
    EXPECT_EQ(interrupt->wish(), wish);
  }
}

TEST(Interrupts, AnIgnoredSignalStaysIgnored) {
  ::signal(SIGINT, SIG_IGN);
  {
    auto interrupt = Interrupt::create();
    ::kill(::getpid(), SIGINT);
    interrupt->read();
    EXPECT_EQ(interrupt->wish(), Wish::kNone);
  }
  ::signal(SIGINT, SIG_DFL);
}

TEST(RunPlan, SamplesAreOutermostAndDoneOnesAreDropped) {
  const tests::TempDir temp;
  config::Backend one;
  one.config.file = "one.yaml";
  one.manifest.name = "one";
  one.options = base::Json::object();
  one.library = *config::identify_library(temp.write("one.so", "1"));
  config::Backend two = one;
  two.manifest.name = "two";
  two.config.threads = 7;
  PlanSettings settings;
  settings.auto_threads = 3;
  settings.repeat_flags = {"--set", "a=b c"};
  auto plan = make_plan({{"s/f/x", "f/x", "f"}, {"s/f/y", "f/y", "f"}}, {one, two}, settings);
  ASSERT_EQ(plan.size(), 4U);
  EXPECT_EQ(plan[1].task.sample_path, "s/f/x");
  EXPECT_EQ(plan[1].task.plugin_name, "two");
  EXPECT_EQ(plan[0].task.threads, 3);
  EXPECT_EQ(plan[1].task.threads, 7);
  EXPECT_EQ(plan[0].task.command, "graphnet run s/f/x --config one.yaml --set 'a=b c'");
  EXPECT_EQ(plan[0].library.sha256,
            "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b");

  journal::FinishedTasks finished;
  finished.by_key[plan[1].key] = {record::Outcome::kOk, 1, false};
  finished.by_key["of another run"] = {record::Outcome::kOk, 1, false};
  EXPECT_EQ(drop_done(plan, finished, Retry::kUntried), 1U);
  ASSERT_EQ(plan.size(), 3U);
  EXPECT_EQ(plan[1].sample.name, "f/y");
  EXPECT_EQ(plan[1].attempt, 1);
}

config::Backend acme() {
  config::Backend backend;
  backend.manifest.name = "acme";
  backend.config.threads = 1;
  return backend;
}

TEST(RunPlan, KeysFollowFromWhatIsRunAndOnWhat) {
  const auto key_of = [](const PlannedSample& sample, const config::Backend& backend,
                         const PlanSettings& settings) {
    return make_plan({sample}, {backend}, settings).at(0).key;
  };
  const PlannedSample sample = {"s/f/x", "f/x", "f", "abc"};
  PlanSettings settings;
  settings.graphnet = "1";
  settings.hardware = "cpu";
  const std::string key = key_of(sample, acme(), settings);
  EXPECT_EQ(key.size(), 32U);

  PlanSettings same = settings;
  same.run_id = "other";
  same.repeat_flags = {"--set", "x=y"};
  same.free_memory_bytes = 1;
  EXPECT_EQ(key_of({"elsewhere/f/x", "f/x", "f", "abc"}, acme(), same), key);

  std::set<std::string> keys = {key};
  const auto expect_new = [&](const std::string& other) {
    EXPECT_TRUE(keys.insert(other).second) << keys.size();
  };
  expect_new(key_of({"s/f/x", "f/x", "f", "abd"}, acme(), settings));
  expect_new(key_of({"s/f/x", "f/y", "f", "abc"}, acme(), settings));
  PlanSettings other = settings;
  other.graphnet = "2";
  expect_new(key_of(sample, acme(), other));
  other = settings;
  other.hardware = "gpu";
  expect_new(key_of(sample, acme(), other));
  config::Backend backend = acme();
  backend.library.sha256 = "1";
  expect_new(key_of(sample, backend, settings));
  backend = acme();
  backend.options = {{"level", 3}};
  expect_new(key_of(sample, backend, settings));
  backend = acme();
  backend.config.threads = 2;
  expect_new(key_of(sample, backend, settings));
  backend = acme();
  backend.config.protocol.warmup = 77;
  expect_new(key_of(sample, backend, settings));
  // A sample named twice runs twice.
  const auto twice = make_plan({sample, sample}, {acme()}, settings);
  EXPECT_EQ(twice[0].key, key);
  expect_new(twice[1].key);
}

TEST(RunPlan, WhatIsRunAgainFollowsFromItsOutcome) {
  const struct {
    record::Outcome outcome;
    record::Phase phase;
    std::size_t untried;  // dropped
    std::size_t failed;
  } cases[] = {{record::Outcome::kOk, record::Phase::kTime, 1, 1},
               {record::Outcome::kSkipped, record::Phase::kPlan, 0, 0},
               {record::Outcome::kInvalidSample, record::Phase::kLoad, 1, 0},
               {record::Outcome::kPluginFailed, record::Phase::kNone, 0, 0},
               {record::Outcome::kPluginFailed, record::Phase::kCompile, 1, 0},
               {record::Outcome::kUnsupported, record::Phase::kCompile, 1, 0}};
  for (const auto& [outcome, phase, untried, failed] : cases) {
    const auto fresh = make_plan({{"s/f/x", "f/x", "f"}}, {acme()}, PlanSettings());
    journal::FinishedTasks finished;
    finished.by_key[fresh[0].key] = {outcome, 2, record::leaves_open(outcome, phase)};
    auto plan = fresh;
    EXPECT_EQ(drop_done(plan, finished, Retry::kUntried), untried)
        << name_of(outcome) << name_of(phase);
    plan = fresh;
    EXPECT_EQ(drop_done(plan, finished, Retry::kFailed), failed)
        << name_of(outcome) << name_of(phase);
    for (const PlannedTask& again : plan) EXPECT_EQ(again.attempt, 3);
  }
}

}  // namespace sweep_test
}  // namespace graphnet::supervise
