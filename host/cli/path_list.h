// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace graphnet::cli {

/// One entry of a text file of paths.
struct ListedPath {
  int line = 0;  ///< from 1
  std::string path;
};

/// Reads a file with one path a line, without blanks around it. Empty lines are left out, and what
/// follows a '#' that begins a line or stands after a blank; any other belongs to the path.
///
/// errors   kInput if it cannot be read or is far too large for a list of paths
base::Result<std::vector<ListedPath>> read_path_list(const std::filesystem::path& file);

/// Whether a line of such a file with this path is read back as it.
bool fits_list(const std::string& path);

/// Adds as a hint the path beside `path`, which is not there, whose last part is nearest to its
/// own; true if one is near.
bool suggest_beside(base::Status& error, const std::filesystem::path& path);

}  // namespace graphnet::cli
