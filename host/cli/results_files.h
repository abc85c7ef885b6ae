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
/// errors   kUsage: no argument; kInput: nothing there, or a folder without results
base::Result<std::vector<std::filesystem::path>> find_results(
    const std::vector<std::string>& arguments);

}  // namespace graphnet::cli
