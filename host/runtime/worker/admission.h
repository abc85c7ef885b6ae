// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "eager/planner.h"
#include "sample/sample.h"

namespace graphnet::worker {

/// Memory that the plan does not include: libtorch, the plugin, workspaces of operators.
inline constexpr std::int64_t kBaseMemoryBytes = std::int64_t{300} << 20U;

/// Memory that a sample needs: arguments + peak of live results + three sets of outputs (kept
/// of the reference and of the plugin, and what eager's side writes where the plugin's outputs are
/// poisoned) + kBaseMemoryBytes. An estimate, no bound: workspaces of large
/// convolutions and attention masks made the process up to 1.12 times as large (16 samples looked
/// at), and a plugin that holds weights of its own needs more.
///
/// units    bytes; saturates at 2^63 - 1
std::int64_t needed_memory_bytes(const eager::Plan& plan);

/// What a sample may use.
struct Allowance {
  std::int64_t memory_bytes = 0;
  double flop = 0;  ///< of one call; 0: no limit
  /// What is free on the device that it runs on, which then holds what a call needs, too.
  std::optional<std::int64_t> device_bytes = {};
  std::string device = {};  ///< its name
};

/// Why a sample is not run, "skipped(memory: need 21.3 GiB, have 15.0 GiB)", "skipped(memory: need
/// 21.3 GiB, cuda:0 has 15.0 GiB free)" or "skipped(cost: 19.2 TFLOP a call, limit 2 TFLOP)";
/// empty: it is run. An unknown plan is held to its arguments alone.
std::string refusal(const eager::Plan& plan, const Allowance& allowance);

/// "19.2 TFLOP", "850 GFLOP", "12 FLOP": three digits.
std::string format_flop(double flop);

/// What the planner must know of a sample's arguments, from its metadata.
struct PlanArguments {
  std::vector<base::AlignedBuffer> known;  ///< values that no draw decides
  std::vector<eager::PlanArgument> all;    ///< in signature order; points into `known`
};

/// errors   kInput if metadata and parameters do not match
base::Result<PlanArguments> plan_arguments(const sample::Sample& sample);

/// Plans a sample from its metadata, on the calling thread alone (eager::WithoutPool): the copy of
/// eager and the kernel's count of processor time come after it.
///
/// errors   as plan_arguments()
base::Result<eager::Plan> plan_sample(const sample::Sample& sample);

}  // namespace graphnet::worker
