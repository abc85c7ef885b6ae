// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/subprocess.h"
#include "supervise/interrupt.h"
#include "supervise/memory_group.h"
#include "supervise/oom_watch.h"
#include "supervise/run_plan.h"
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
  /// "NAME=value" in the environment of workers, by which what they leave behind is told from what
  /// others do; empty: none.
  std::string mark;
  /// Others run beside them: see packed_sweep.h.
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
  /// How long it was held while another took times, by phase, and by step where one was going on:
  /// {"compile": ..., "compile/gn_backend_compile": ...}.
  std::map<std::string, std::chrono::nanoseconds> held;
  std::string output;              ///< the last kOutputRingBytes of standard output and error, raw
  std::uint64_t output_bytes = 0;  ///< all that was written there, kept or not
};

/// Runs one task in a worker of its own and returns when the process, its group and everything it
/// left behind are gone (stray_processes.h). Whatever the worker does (crash, hang, flood, garbage
/// on the control channel) is an ordinary WorkerEnd.
///
/// Time limits: the clock of a phase starts when its message arrives; until the first message the
/// limit of "load" holds. Ladder: SIGTERM to the group, grace, SIGKILL. What an interrupt does is
/// in interrupt.h; a control measurement, of which nothing is kept, is stopped by the first.
///
/// errors   kEnvironment if the worker cannot be started
base::Result<WorkerEnd> run_worker(const PlannedTask& planned, const WorkerSettings& settings,
                                   Interrupt& interrupt, WorkerObserver& observer);

}  // namespace graphnet::supervise
