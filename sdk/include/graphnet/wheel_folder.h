// SPDX-License-Identifier: MIT
//
// Header-only C++17 for plugins whose compiler is a wheel. Not part of the ABI.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace graphnet {

/// Where `graphnet setup` or a source tree's set-up unpacked a wheel: the folder that the plugin
/// was built with, else the folder of that name in the running user's cache,
/// ${XDG_CACHE_HOME:-$HOME/.cache}/graphnet. If neither exists, the latter, for messages.
///
/// built_with   "/src/graphnet/.deps/<SHA-256 of requirements.txt>"
inline std::string wheel_folder(const std::string& built_with) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_directory(built_with, ignored)) return built_with;
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  fs::path folder;
  if (cache != nullptr && *cache != '\0') {
    folder = cache;
  } else if (home != nullptr && *home != '\0') {
    folder = fs::path(home) / ".cache";
  } else {
    return built_with;
  }
  return (folder / "graphnet" / fs::path(built_with).filename()).string();
}

}  // namespace graphnet
