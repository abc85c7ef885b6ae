// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>
#include <time.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "measure/instruments.h"

namespace graphnet::measure {

/// The processes that this one and its descendants have started. New children of its parent count
/// too: a worker adopts its own orphans, but a process may make another one its parent's child. The
/// work of all of them is this process's work.
///
/// Two kinds of process are not seen: one that existed before and works on demand, and one that
/// becomes another process's child and ends between two scans (fork_log.h has it).
class ProcessFamily {
 public:
  /// Existing processes do not belong to the family: they are other workers and zygotes. `mark`:
  /// "NAME=value" of this worker's environment, if its parent has workers with other values; else
  /// empty. Of the parent's new children those that have another value and run this program belong
  /// to others; what descends from this process is never asked.
  explicit ProcessFamily(std::string mark = "");

  /// Excludes a child and its descendants from all counts.
  void exempt(pid_t child) { exempt_.insert(child); }

  /// Finds new processes; takes 10 to 100 microseconds. It waits for new children of the parent
  /// that may still become other workers, 0.5 s at most.
  void scan();
  /// As scan(), unless the last scan was less than some milliseconds ago.
  void scan_now_and_then();

  /// Processor time of all that have been seen, the ended ones included; less than a microsecond
  /// for each that lives.
  ///
  /// units    nanoseconds; only differences mean something
  std::int64_t ran_ns();

  /// Those that lived at the last scan, by name.
  std::vector<std::string> living() const;

 private:
  struct Member {
    pid_t pid = 0;
    clockid_t clock = 0;
    bool is_child = false;  ///< getrusage() counts it once it has been reaped
    std::int64_t ran_ns = 0;
    std::string name;
    bool lives = true;
  };

  using TimePoint = std::chrono::steady_clock::time_point;

  std::vector<Member>::iterator find_member(pid_t pid);
  bool is_other_worker(pid_t sibling) const;
  bool may_be_starting(pid_t sibling) const;
  void await_program(pid_t sibling, TimePoint until) const;
  void add_children_of(pid_t parent, std::set<pid_t>& found);
  void add(pid_t pid, bool is_child);
  void forget(pid_t pid);

  std::string mark_;
  pid_t own_;
  pid_t parent_;
  std::set<pid_t> strangers_;
  std::set<pid_t> exempt_;
  std::vector<Member> members_;
  std::int64_t gone_ns_ = 0;  ///< of members that have ended and are in no other count
  std::int64_t last_scan_ns_ = 0;
};

/// Makes the instruments count what the family's processes do as this process's own.
void count_family(Instruments& instruments, ProcessFamily& family);

}  // namespace graphnet::measure
