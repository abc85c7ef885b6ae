// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/json.h"
#include "config/run_config.h"

namespace graphnet::config {

/// A protocol as a file, every key of its method: read_protocol() makes the same of it, its name
/// aside.
std::string protocol_text(const Protocol& protocol);

/// A run config as a file, every key: read_run_config() makes the same of it. `options` are those
/// of the backend, resolved; `protocol` is what stands for the protocol, a name or a file.
///
/// Sizes that are no whole number of MiB are rounded down.
std::string run_config_text(const RunConfig& config, const base::Json& options,
                            const std::string& protocol);

}  // namespace graphnet::config
