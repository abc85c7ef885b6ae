// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "supervise/sweep.h"
#include "support/temp_dir.h"

namespace graphnet::tests {

/// What a sweep reports. On request it sends this process a signal, as Ctrl-C does, or ends the
/// sweep.
class SweepRecorder : public supervise::SweepObserver {
 public:
  void on_begin(const supervise::PlannedTask& planned) override {
    begun.push_back(planned.sample.name);
  }
  void on_turn(const supervise::PlannedTask& planned) override {
    current = planned.sample.name;
    ++num_turns;
  }
  void on_control(const base::Result<journal::Control>& control) override {
    controls.push_back(control.is_ok());
  }
  void on_phase(record::Phase phase) override {
    if (name_of(phase) != raise_in || has_raised) return;
    has_raised = true;
    ::kill(::getpid(), raised);
  }
  void on_finishing() override {
    ++num_finishing;
    finishing.insert(current);
    if (insists) ::kill(::getpid(), SIGINT);
  }
  bool on_record(const record::Record& record) override {
    outcomes.push_back(record.outcome.text());
    return outcomes.size() < stop_after;
  }

  // What it is asked for.
  std::string raise_in;  ///< phase in which the signal is sent, once; empty: never
  int raised = SIGINT;
  bool insists = false;  ///< Ctrl-C again while samples are finished
  std::size_t stop_after = 1000;

  // What happened.
  std::vector<std::string> begun;
  std::vector<std::string> outcomes;
  std::vector<bool> controls;  ///< whether each gave something
  int num_turns = 0;
  int num_finishing = 0;
  std::set<std::string> finishing;  ///< samples that were current then
  std::string current;
  bool has_raised = false;
};

/// A sweep over fake workers: shell scripts that read what to do from the task's sample path.
class SweepFixture : public ::testing::Test {
 protected:
  /// `script`: runs with the task in $task and in the sweep's folder; `send EVENT PHASE` sends a
  /// message, `final` sends `record` as the last one.
  SweepFixture(const record::Record& record, const std::string& script, int num_slots) {
    const base::Json message = {
        {"event", "record"}, {"record", record::to_json(record)}, {"final", true}};
    temp_.write("final.json", base::dump_json(message) + "\n");
    const auto worker = temp_.write(
        "worker", "#!/bin/sh\ncd '" + temp_.path().string() + "'\n" + kPrelude + script);
    std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
    slots_.resize(static_cast<std::size_t>(num_slots));
    for (supervise::WorkerSettings& slot : slots_) {
      slot.executable = worker;
      slot.grace = std::chrono::milliseconds(200);
    }
  }

  /// A record of a worker that did its task.
  static record::Record ok_record() {
    record::Record record;
    record.sample = "timm/a";
    record.outcome = record::Outcome::kOk;
    return record;
  }

  static supervise::PlannedTask task_of(const std::string& sample) {
    supervise::PlannedTask planned;
    planned.task.sample_path = sample;
    planned.task.plugin_name = "acme";
    planned.task.threads = 1;
    planned.sample = {sample, "timm/" + sample, "timm"};
    planned.limits = config::RunConfig::default_timeouts();
    return planned;
  }

  static std::vector<supervise::PlannedTask> plan_of(const std::vector<std::string>& samples) {
    std::vector<supervise::PlannedTask> plan;
    for (const std::string& sample : samples) plan.push_back(task_of(sample));
    return plan;
  }

  base::Result<supervise::SweepEnd> sweep(const std::vector<supervise::PlannedTask>& plan) {
    auto journal = journal::JournalFile::open(results(), {{"run_id", "id"}});
    EXPECT_TRUE(journal.is_ok());
    auto interrupt = supervise::Interrupt::create();
    return supervise::run_sweep(plan, slots_, *interrupt, *journal, recorder_);
  }

  std::filesystem::path results() const { return temp_.path() / "results.jsonl"; }
  std::vector<record::Record> records() const { return journal::read_journal(results())->records; }

  TempDir temp_;
  std::vector<supervise::WorkerSettings> slots_;
  SweepRecorder recorder_;

 private:
  static constexpr const char* kPrelude = R"(
send() { echo "{\"event\":\"$1\",\"phase\":\"$2\"$3}" >&3; }
final() { cat final.json >&3; }
read -r task <&3
)";
};

}  // namespace graphnet::tests
