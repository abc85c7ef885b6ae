// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/status.h"
#include "cli/command.h"

namespace graphnet::cli {

/// An error if samples cannot run on a device of this machine. Nothing is asked for "cpu".
///
/// errors   kEnvironment with the driver's state, or if there is no worker to ask
base::Status check_device(const Context& context, const std::string& device);

}  // namespace graphnet::cli
