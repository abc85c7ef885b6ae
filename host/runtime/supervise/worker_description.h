// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>

#include "base/json.h"
#include "base/result.h"

namespace graphnet::supervise {

/// How long a worker may take for an answer: on a cold disk the CUDA libraries alone are 4 GB to
/// read, and a device's first context is made.
inline constexpr std::chrono::seconds kColdStartLimit{120};

/// Asks the worker program what it is: {"schema": "graphnet.worker/1", "libtorch": "2.11.0",
/// "cpu_capability": "AVX512", "threads": 8, "abi": {"major": 0, "minor": 1}, "cuda": {"state",
/// ...}}, of which the last is the CUDA driver's state and its first device
/// (worker/device_answer.h). Proves at the same time that its libraries load on this machine.
///
/// errors   kEnvironment: it does not start, does not answer in time or ends with an error; what it
///          said is in the context
base::Result<base::Json> describe_worker(const std::filesystem::path& executable,
                                         std::chrono::milliseconds limit = kColdStartLimit);

}  // namespace graphnet::supervise
