// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "validate/findings.h"

namespace graphnet::validate {

/// A sample's folder and what is wrong with it.
struct CheckedSample {
  std::filesystem::path folder;
  std::string name;               ///< as sample::sample_name()
  std::string program_hash;       ///< empty: model.py cannot be read
  std::vector<Finding> findings;  ///< in the order of the checks
};

/// Checks all that needs no torch: files, their grammar, and whether metadata and constraints fit
/// the program. Whether torch has the functions that it calls, and whether the results are finite,
/// only a run shows.
CheckedSample check_sample(const std::filesystem::path& folder);

/// All folders at or below `root` that have a file of a sample, broken ones included; does not
/// descend into one, nor follow links to folders.
///
/// order    of their paths
/// errors   kInput if root is no folder, or has no such folder
base::Result<std::vector<std::filesystem::path>> find_folders(const std::filesystem::path& root);

}  // namespace graphnet::validate
