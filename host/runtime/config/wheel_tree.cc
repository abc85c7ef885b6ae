// SPDX-License-Identifier: MIT
#include "config/wheel_tree.h"

#include "config/installation.h"
#include "config/library_identity.h"

namespace graphnet::config {

namespace fs = std::filesystem;

fs::path wheel_tree(const fs::path& requirements) {
  const fs::path cache = xdg_folder("XDG_CACHE_HOME", ".cache");
  std::error_code ignored;
  if (cache.empty() || !fs::exists(requirements, ignored)) return {};
  const auto identity = identify_library(requirements);
  if (!identity.is_ok()) return {};
  fs::path tree = cache / "graphnet" / identity->sha256;
  return fs::is_directory(tree, ignored) ? tree : fs::path();
}

}  // namespace graphnet::config
