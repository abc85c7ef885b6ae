// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/status.h"
#include "cli/command.h"
#include "config/resolve_backend.h"

namespace graphnet::cli {

/// An error if samples cannot run on a device of this machine. Nothing is asked for "cpu".
///
/// errors   kEnvironment with the driver's state, or if there is no worker to ask
base::Status check_device(const Context& context, const std::string& device);

/// An error if no sample can run here with a backend whose files are right: a library that its
/// plugin opens is not there, which is asked first, or its device cannot be used.
///
/// errors   kPlugin, kEnvironment
base::Status check_machine(const Context& context, const config::Backend& backend);

}  // namespace graphnet::cli
