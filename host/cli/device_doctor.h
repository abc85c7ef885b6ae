// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "cli/command.h"

namespace graphnet::cli {

/// `graphnet doctor --device`: what a worker finds on a device and around it, as text or JSON.
///
/// returns  the exit code: 0, or 5 if samples cannot run there
/// errors   kUsage: no name of a CUDA device; kEnvironment: no worker answers
base::Result<int> diagnose_device(const Context& context, const std::string& name);

}  // namespace graphnet::cli
