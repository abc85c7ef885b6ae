// SPDX-License-Identifier: MIT
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "supervise/output_ring.h"
#include "supervise/stray_processes.h"
#include "supervise/worker_process.h"
#include "supervise/worker_start.h"

namespace graphnet::supervise {

/// One worker from its start to its end, as part of a loop that may have several.
///
/// order    start(); then until has_ended(): fill_polled(), poll(2), handle(), obey(),
/// check_clock();
///          then finish(). One that is not finished is killed when the object goes away.
class WorkerRun {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kNumPolled = 3;

  /// The arguments must outlive the object.
  ///
  /// errors   kEnvironment if the worker cannot be started
  static base::Result<std::unique_ptr<WorkerRun>> start(const PlannedTask& planned,
                                                        const WorkerSettings& settings,
                                                        WorkerObserver& observer);
  WorkerRun(const WorkerRun&) = delete;
  WorkerRun& operator=(const WorkerRun&) = delete;
  ~WorkerRun();

  /// What to wait for, kNumPolled of them, and how long at most.
  void fill_polled(pollfd* polled) const;
  std::optional<Clock::time_point> deadline() const;

  /// Handles what has happened to the descriptors of fill_polled().
  void handle(const pollfd* polled);
  /// Does what signals have asked for so far.
  void obey(Wish wish);
  /// Ends what has exceeded its limit.
  void check_clock();

  bool has_ended() const { return has_ended_; }
  /// Waits for the process, kills its group and what it left behind; `others` are children of this
  /// program that belong to somebody else.
  WorkerEnd finish(const std::vector<pid_t>& others = {});

  pid_t pid() const { return worker_.process.pid(); }
  /// The last phase that it entered.
  const record::Word<record::Phase>& phase() const { return report_.state().phase; }
  /// It was told to end, or is done but for its exit.
  bool is_ending() const;

  /// The phase that it waits for leave to begin; null: it does not.
  const WorkerState::Ask* ask() const;
  /// Gives it; the phase's time limit starts.
  void grant();

  /// Holds the worker's group (SIGSTOP) and its clocks until resume(). Not for one that is ending.
  void hold();
  bool is_held() const { return held_since_.has_value(); }
  /// True once no thread of a held worker can execute code of its own, or it has ended.
  bool stands_still() const;
  void resume();

 private:
  WorkerRun(const PlannedTask& planned, const WorkerSettings& settings, WorkerObserver& observer,
            StartedWorker worker);

  void send();
  std::string_view read_chunk(base::UniqueFd& fd);
  bool read_output();
  bool read_control();
  void handle(WorkerReport::Event event);
  void start_clock(const record::Word<record::Phase>& phase);
  void stop(WorkerEnd::Stop why);
  void kill();

  const PlannedTask& planned_;
  const WorkerSettings& settings_;
  WorkerObserver& observer_;
  // What is a child by now (the worker, a zygote) is no stray. The worker has not got its task yet.
  StrayProcesses strays_;
  OomWatch oom_;
  StartedWorker worker_;
  std::string unsent_;
  WorkerReport report_;
  OutputRing ring_{kOutputRingBytes};
  std::string chunk_;
  Clock::time_point phase_start_ = Clock::now();
  config::TimeLimit limit_;                      // of the current phase
  std::optional<Clock::time_point> deadline_;    // of the phase, the grace or the exit
  std::optional<Clock::time_point> held_since_;  // deadline_ stands still
  bool is_waiting_ = false;                      // for leave to begin a phase
  bool is_finishing_ = false;                    // an interrupt arrived that lets the task finish
  bool has_ended_ = false;
  bool is_finished_ = false;
  WorkerEnd end_;
};

}  // namespace graphnet::supervise
