// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "base/status.h"
#include "supervise/worker_description.h"

namespace graphnet::supervise {

/// Whether a device of this machine can be used, found out by a worker that ends with its answer:
/// a driver that has been started in a process spoils what that process forks.
///
/// errors   kEnvironment: it cannot (E140), or no worker answers
base::Status ask_for_device(const std::filesystem::path& executable, const std::string& device,
                            std::chrono::milliseconds limit = kColdStartLimit);

/// What a worker finds on a device and around it, usable or not: worker/device_report.h says what
/// the keys are.
///
/// errors   kEnvironment: no worker answers; what its libraries said is in the context
base::Result<base::Json> report_device(const std::filesystem::path& executable,
                                       const std::string& device,
                                       std::chrono::milliseconds limit = kColdStartLimit);

}  // namespace graphnet::supervise
