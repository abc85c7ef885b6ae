// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "support/folders.h"

namespace graphnet::tests {

// Programs of these tests run from a build folder, and from a folder that tests/gpu/pack made and
// that may lie anywhere. What lies beside them comes first.

inline std::filesystem::path graphnet_program() {
  return base::executable_folder() / "graphnet";
}

inline std::filesystem::path samples_folder() {
  const auto packed = base::executable_folder().parent_path() / "share" / "graphnet" / "samples";
  return std::filesystem::is_directory(packed) ? packed
                                               : std::filesystem::path(source_dir()) / "samples";
}

/// Where the libtorch in use has its CUPTI; `built_with` is used if no variable names another.
inline std::filesystem::path cupti_folder(const char* built_with) {
  const char* const torch = std::getenv("GRAPHNET_TORCH");
  if (torch == nullptr || *torch == '\0') return built_with;
  return std::filesystem::path(torch) / "nvidia" / "cu13" / "lib";
}

}  // namespace graphnet::tests
