// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "base/status.h"

namespace graphnet::supervise {

/// Whether a device of this machine can be used, found out by a worker that ends with its answer:
/// a driver that has been started in a process spoils what that process forks.
///
/// errors   kEnvironment: it cannot (E140), or no worker answers
base::Status ask_for_device(const std::filesystem::path& executable, const std::string& device,
                            std::chrono::milliseconds limit = std::chrono::seconds(60));

}  // namespace graphnet::supervise
