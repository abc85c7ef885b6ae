// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tvm_plugin/kernel_timer.h"

namespace graphnet::tvm {

/// Candidates after which a kernel counts as tuned.
inline constexpr std::int64_t kEnoughTrials = 64;

/// A kernel whose loops are looked for by measuring.
struct TuningTask {
  std::string name;
  Ref module;         ///< of one function "main", its loops as TE writes them
  Ref rule_schedule;  ///< TVM's schedule of the same module, by rule or with nothing done
  std::vector<BufferShape> buffers;
  std::int64_t calls = 1;  ///< in each call of the program
};

struct TuningSettings {
  double seconds = 60;                  ///< for all kernels of a program together
  std::int64_t trials = kEnoughTrials;  ///< of each kernel, rounded up to a batch
  std::string database;                 ///< folder (TuningDatabase); empty: nothing is kept
  Target target;
  std::function<void(const std::string&)> warn;
  std::function<bool()> is_cancelled = [] { return false; };  ///< asked before each candidate
};

/// What came of it.
struct TuningReport {
  std::vector<Ref> functions;  ///< by task: the fastest that is known
  std::int64_t trials = 0;     ///< measured now
  std::int64_t failures = 0;   ///< of those: TVM could not build or run them
  std::int64_t known = 0;      ///< of all kernels, in the database
  double seconds = 0;
};

/// MetaSchedule, driven from C++: its rules for CPUs make the space, its evolutionary search draws
/// from it, kernels are built and timed in this process on the threads that they will run on. The
/// plugin's own schedule is one candidate among them, so nothing gets slower than by rule but by
/// noise. Time goes to the kernels that cost most.
///
/// errors   ffi::Error, Failure where the database's folder cannot be used, and COMPILE_FAILED once
///          cancelled; what was measured by then is in the database
TuningReport tune(const std::vector<TuningTask>& tasks, const TuningSettings& settings);

}  // namespace graphnet::tvm
