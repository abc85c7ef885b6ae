// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace graphnet::cli {

/// The results files that arguments name: each is a file, or a folder with files "*.jsonl".
///
/// order    as given, folders sorted; no file twice
/// errors   kUsage: no argument; kInput: nothing there (the nearest name beside it is suggested),
/// or
///          a folder without results
base::Result<std::vector<std::filesystem::path>> find_results(
    const std::vector<std::string>& arguments);

/// errors   kInput always: nothing is at `path`; the nearest name beside it is suggested
base::Status no_results(const std::filesystem::path& path);

/// Whether something is at every path; errors of no_results().
base::Status check_results(const std::vector<std::string>& paths);

/// The results file in ./results, where `run` writes unless told otherwise, that was written last.
///
/// errors   kInput: there is none
base::Result<std::filesystem::path> last_results();

}  // namespace graphnet::cli
