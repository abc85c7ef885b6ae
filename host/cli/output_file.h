// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/status.h"

namespace graphnet::cli {

/// Whether what a flag names is a path at all. "" is what a script's unset variable leaves.
///
/// errors   kUsage
base::Status check_path_text(const std::string& flag, const std::optional<std::string>& path);

/// Whether a file that a flag names can be written, found out before any work: its folder is there
/// and can be written to, and it is no folder itself. Nothing is created.
///
/// errors   kUsage: the folder is missing or none, with the command that makes it; kEnvironment: no
///          permission
base::Status check_output_file(const std::string& flag, const std::filesystem::path& file);

/// Creates the folder that a flag names, if it is not there. The one around it must be: a mistyped
/// path makes no tree.
///
/// errors   kUsage: there is none around it, with the command that makes it; kEnvironment: it
///          cannot be created
base::Status make_output_folder(const std::string& flag, const std::filesystem::path& folder);

}  // namespace graphnet::cli
