// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "proof/regions.h"

namespace graphnet::proof {

/// Code is closed and opened in windows of this size: that causes a third of the traps of single
/// pages, and the first entry into a window still names its function.
inline constexpr std::uintptr_t kWindowBytes = std::uintptr_t{64} << 10U;

/// The first entry of a thread into a piece of code.
struct Hit {
  std::uintptr_t instruction = 0;
  /// The word at the top of the stack: after a call, where it returns to.
  std::uintptr_t return_word = 0;
  std::size_t region = 0;  ///< index in ExecuteDeny::regions()
  std::uintptr_t window = 0;
  int thread = 0;            ///< the kernel's number of it
  std::int64_t time_ns = 0;  ///< CLOCK_MONOTONIC_RAW, in the trap
};

/// Takes the right to execute from memory and notes who needs it: the first instruction in each
/// window faults, is noted, the window gets its right back and the instruction runs again. What is
/// computed does not change. The traced code needs no preparation; no counter and no privilege is
/// needed. Code that bypasses libtorch's dispatcher is seen too.
///
/// One object at a time in a process. A window is open from its first hit to the next arm(): code
/// in it is not seen again.
///
/// order    create(), then arm(), the call, disarm(), hits(), again and again
class ExecuteDeny {
 public:
  /// Puts a handler in front of the process's own for SIGSEGV (which gets every fault that is not
  /// ours) and tries it on a page of its own.
  ///
  /// Threads of the CUDA driver may block the signal: they run the driver's code, which is not
  /// closed. If such a thread entered closed code the process would end, and nothing would be
  /// proven.
  ///
  /// errors   kUnsupported with the reason: the kernel refuses the permissions, or another thread
  ///          blocks the signal (it would be killed at its first hit)
  static base::Result<std::unique_ptr<ExecuteDeny>> create(std::vector<Region> regions);
  /// Disarms and takes the handler out again.
  ~ExecuteDeny();
  ExecuteDeny(const ExecuteDeny&) = delete;
  ExecuteDeny& operator=(const ExecuteDeny&) = delete;

  const std::vector<Region>& regions() const;
  /// Threads of the driver that blocked the signal when it began, as describe_thread().
  const std::vector<std::string>& tolerated_threads() const;

  /// Drops earlier hits and closes every region of these classes; kHost cannot be closed.
  ///
  /// errors   kUnsupported if the kernel refuses; nothing is closed then
  base::Status arm(const std::vector<RegionKind>& kinds);
  /// Opens everything again; does nothing if nothing is closed.
  ///
  /// errors   kPlugin if denied code was made executable by somebody else, or more was hit than can
  ///          be kept: then hits() do not tell everything
  base::Status disarm();
  /// Between the last arm() and disarm().
  std::vector<Hit> hits() const;

  /// False if other code replaced the handler; it is installed again afterwards.
  bool reclaim_handler();

 private:
  struct State;
  explicit ExecuteDeny(std::unique_ptr<State> state);
  base::Status try_on_own_page();
  std::unique_ptr<State> state_;
};

}  // namespace graphnet::proof
