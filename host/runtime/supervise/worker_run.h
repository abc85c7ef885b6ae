// SPDX-License-Identifier: MIT
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/subprocess.h"
#include "supervise/interrupt.h"
#include "supervise/memory_group.h"
#include "supervise/oom_watch.h"
#include "supervise/output_ring.h"
#include "supervise/run_plan.h"
#include "supervise/stray_processes.h"
#include "supervise/worker_report.h"
#include "supervise/zygote.h"

namespace graphnet::supervise {

/// Bound on the output of a worker that is kept.
inline constexpr std::size_t kOutputRingBytes = std::size_t{64} << 10U;

/// How workers are started and stopped.
struct WorkerSettings {
  std::filesystem::path executable;
  /// Holds the memory limits of workers, unless a config wants another way; null: none can be made.
  std::shared_ptr<MemoryGroup> group;
  /// Makes workers for the CPU by forking; null: each is a fresh process.
  std::shared_ptr<Zygote> zygote;
  /// "NAME=value" in the environment of the worker: it identifies the processes that this worker
  /// leaves behind. Empty: none.
  std::string mark;
  /// Of tasks, only those for this device: it has one at a time. Empty: all.
  std::string device;
  /// Others run beside them: they ask before they take memory or times (sweep.h).
  bool share_machine = false;
  /// Sample of the control measurements (control.h); empty: none are made.
  std::filesystem::path control_sample;
  /// Between SIGTERM and SIGKILL: what hangs is gone two seconds after its limit, the time that the
  /// kernel needs to take a large process down included.
  std::chrono::milliseconds grace = std::chrono::milliseconds(1500);
  /// Between the final record and the end of the process: destructors of a library may hang.
  std::chrono::milliseconds exit_limit = std::chrono::seconds(5);
  /// Where /proc is; "/" outside of tests.
  std::filesystem::path root = "/";
};

/// Told what happens while a worker runs; draws progress.
class WorkerObserver {
 public:
  virtual ~WorkerObserver() = default;
  virtual void on_phase(record::Phase /*phase*/) {}
  /// An interrupt arrived that lets the task finish; a second one would stop it.
  virtual void on_finishing() {}
  /// Called at least as often as poll_timeout_ms() asks for.
  virtual void on_tick() {}
  /// units    milliseconds; -1: no tick wanted
  virtual int poll_timeout_ms() const { return -1; }
};

/// How one worker ended: facts only, judged by classify().
struct WorkerEnd : WorkerState {
  bool was_forked = false;  ///< else a fresh process
  /// What held its memory limit: "cgroup v2", "cgroup v1", "RLIMIT_DATA" or "none".
  std::string memory_by = "none";
  /// Only looked for if the supervisor did not stop it.
  OomKill oom_kill = OomKill::kUnknown;
  /// Why the supervisor stopped it, if it did.
  enum class Stop { kNone, kTimeLimit, kProtocol, kInterrupt };

  Stop stop = Stop::kNone;
  config::TimeLimit limit;  ///< kTimeLimit: the one exceeded
  base::ExitState exit;
  std::chrono::nanoseconds last_phase{0};  ///< from its message to the end of the process
  /// How long it was paused while another took times, by phase, and by step where one was going on:
  /// {"compile": ..., "compile/gn_backend_compile": ...}.
  std::map<std::string, std::chrono::nanoseconds> paused;
  std::string output;              ///< the last kOutputRingBytes of standard output and error, raw
  std::uint64_t output_bytes = 0;  ///< all that was written there, kept or not
};

/// What holds a worker's memory limit.
enum class MemoryHolder { kNone, kRlimit, kGroup };

/// Runs one task in a worker of its own, until the process, its group and everything that it left
/// behind are gone (stray_processes.h). A loop may run several of these. Whatever the worker does
/// (crash, hang, flood, garbage on the control channel) is an ordinary WorkerEnd.
///
/// Time limits: the clock of a phase starts when its message arrives; until the first message the
/// limit of "load" holds. Ladder: SIGTERM to the group, grace, SIGKILL. What an interrupt does is
/// in interrupt.h; a control measurement, of which nothing is kept, is stopped by the first.
///
/// order    start(); then until has_ended(): fill_polled(), poll(2), handle(), obey(),
///          check_clock(), grant() if it asks; then finish(). One that is not finished is killed
///          when the object goes away.
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

  /// Pauses the worker's process group (SIGSTOP) and its time limits until resume(). No effect on a
  /// worker that is ending.
  void pause();
  /// True once no thread of a paused worker can execute code of its own, or it has ended.
  bool is_paused() const;
  void resume();

 private:
  /// A worker that has just been started, and our ends of its channels.
  struct Started {
    base::Subprocess process;
    base::UniqueFd control;
    base::UniqueFd output;
    bool was_forked = false;  ///< else a fresh process
    MemoryHolder holder = MemoryHolder::kNone;
  };

  static base::Result<Started> start_process(const PlannedTask& planned,
                                             const WorkerSettings& settings);
  static MemoryHolder limit_memory(const PlannedTask& planned, const WorkerSettings& settings,
                                   const Started& worker);

  WorkerRun(const PlannedTask& planned, const WorkerSettings& settings, WorkerObserver& observer,
            Started worker);

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
  Started worker_;
  std::string unsent_;
  WorkerReport report_;
  OutputRing ring_{kOutputRingBytes};
  std::string chunk_;
  Clock::time_point phase_start_ = Clock::now();
  config::TimeLimit limit_;                        // of the current phase
  std::optional<Clock::time_point> deadline_;      // of the phase, the grace or the exit
  std::optional<Clock::time_point> paused_since_;  // deadline_ is paused too
  bool is_waiting_ = false;                        // for leave to begin a phase
  bool is_finishing_ = false;                      // an interrupt arrived that lets the task finish
  bool has_ended_ = false;
  bool is_finished_ = false;
  WorkerEnd end_;
};

}  // namespace graphnet::supervise
