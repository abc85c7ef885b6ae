// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <ostream>

#include "support/folders.h"

namespace graphnet::tests {

/// A way in which traced_plugin.cc does its work, and the verdict that it must get.
struct WayCase {
  const char* way;
  const char* verdict;     ///< its beginning
  const char* names = "";  ///< what it must contain, wherever
};

inline void PrintTo(const WayCase& tested, std::ostream* out) {
  *out << tested.way;
}

/// Where the build puts the plugin of a way.
inline std::filesystem::path way_library(const std::string& way) {
  return std::filesystem::path(build_dir()) / "tests" / "proof_plugins" / way /
         ("libgn_" + way + ".so");
}

/// The graph that it compiles.
inline std::filesystem::path way_sample() {
  return std::filesystem::path(source_dir()) / "configs" / "control";
}

}  // namespace graphnet::tests
