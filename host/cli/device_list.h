// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/shard.h"
#include "supervise/run_plan.h"

namespace graphnet::cli {

/// The devices of --devices, "cuda:0,cuda:1", as base::DeviceName::text().
///
/// errors   kUsage: none, no CUDA device, one that is there twice, more than kMaxJobs
base::Result<std::vector<std::string>> read_devices(const std::string& text);

/// Gives each sample the device on which it runs with every backend, so that what is compared ran
/// on one device. Deterministic, so that a resumed run finds the same tasks; balanced by cost as
/// shards are, within the samples of `shard` if there is one.
void spread_over_devices(const std::vector<std::string>& devices,
                         const std::optional<cluster::Shard>& shard,
                         std::vector<supervise::PlannedSample>& samples);

}  // namespace graphnet::cli
