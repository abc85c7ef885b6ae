// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace graphnet::cli {

/// Whether a file that a flag names can be written, found out before any work: its folder is there
/// and can be written to, and it is no folder itself. Nothing is created.
///
/// errors   kUsage: the folder is missing or none, with the command that makes it; kEnvironment: no
///          permission
base::Status check_output_file(const std::string& flag, const std::filesystem::path& file);

}  // namespace graphnet::cli
