// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace graphnet::config {

/// The folder into which `graphnet setup` and a source tree's set-up unpack the wheels of a
/// requirements file for the running user: ${XDG_CACHE_HOME:-$HOME/.cache}/graphnet/<SHA-256 of
/// that file>. Empty if the file cannot be read, the user has no cache folder, or nothing is
/// unpacked there.
std::filesystem::path wheel_tree(const std::filesystem::path& requirements);

}  // namespace graphnet::config
