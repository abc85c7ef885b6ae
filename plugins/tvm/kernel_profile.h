// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tvm_plugin/call_plan.h"
#include "tvm_plugin/kernel_module.h"

namespace graphnet::tvm {

/// What is known of a distinct kernel before it runs.
struct KernelNote {
  std::string rule;             ///< that arranged its loops
  std::optional<double> flops;  ///< of one call, as TVM counts; null: it cannot
};
/// By name.
using KernelNotes = std::map<std::string, KernelNote>;

KernelNotes note_kernels(const std::vector<ArrangedKernel>& kernels);

/// What each call of CallPlan::main took, summed over runs.
struct CallTimes {
  std::vector<double> seconds;
  std::int64_t num_runs = 0;
};

/// What kernels cost in the runs of a program, among their neighbours: lines for `info`, the twenty
/// costliest first. Kernels that are equal are one line, and so are calls of one function of this
/// plugin with equal shapes.
///
/// units    us a run of the program, means; % of the sum; GFLOP/s where FLOP are known
std::string describe_profile(const CallPlan& plan, const CallTimes& times,
                             const KernelNotes& notes);

}  // namespace graphnet::tvm
