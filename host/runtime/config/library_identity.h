// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace graphnet::config {

/// What tells one build of a plugin's library from another.
struct LibraryIdentity {
  std::string sha256;  ///< of the whole file, lower-case hexadecimal
  std::string stamp;   ///< file_stamp() from before it was read
};

/// Reads the whole file in bounded memory; plugins may carry hundreds of megabytes.
///
/// errors   kInput if it cannot be read
base::Result<LibraryIdentity> identify_library(const std::filesystem::path& file);

/// Device, inode, size and time of change of a file as text: differs once the file was rebuilt or
/// replaced. Empty if there is no such file.
std::string file_stamp(const std::filesystem::path& path);

/// True for 64 hexadecimal digits, of either case.
bool is_sha256(const std::string& text);

}  // namespace graphnet::config
