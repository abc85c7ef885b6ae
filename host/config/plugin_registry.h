// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "config/installation.h"
#include "config/manifest.h"
#include "config/run_config.h"

namespace graphnet::config {

/// A folder that holds plugins as <name>/plugin.yaml; earlier tiers win.
struct PluginTier {
  std::string label;  ///< where the folder was named: "plugins.search_paths", ...
  std::filesystem::path folder;
};

/// Tiers in order: `extra` (--plugin-path), plugins.search_paths, GRAPHNET_PLUGIN_PATH, the user's
/// data folder, the program's own, the system's. Never the current folder, never a sample's.
std::vector<PluginTier> plugin_tiers(const Installation& installation,
                                     const std::vector<std::filesystem::path>& extra,
                                     const std::vector<std::filesystem::path>& search_paths);

/// One plugin.yaml that was found.
struct PluginEntry {
  enum class State { kOk, kShadowed, kBroken };

  std::string name;  ///< of the manifest; of its folder if the manifest is broken
  State state = State::kOk;
  std::size_t tier = 0;
  std::filesystem::path file;        ///< plugin.yaml
  std::optional<Manifest> manifest;  ///< nothing if it cannot be read
  base::Status problem;              ///< kBroken only
};

/// What is installed. A broken plugin is an entry, never a failure of the search.
class PluginRegistry {
 public:
  static PluginRegistry scan(std::vector<PluginTier> tiers);

  /// order    by tier, then by folder name
  const std::vector<PluginEntry>& entries() const { return entries_; }
  const std::vector<PluginTier>& tiers() const { return tiers_; }

  /// Looks at each library without running its code (preflight.h) and keeps what is wrong in its
  /// entry. `host_program`: the program that would load it; may be empty.
  void check_libraries(const std::filesystem::path& host_program);

  /// The plugin of that name in the earliest tier.
  ///
  /// errors   kPlugin: none installed (lists folders searched, installed names, nearest name); two
  ///          of the name in one tier; kInput: its manifest is broken
  base::Result<Manifest> find(const std::string& name) const;

 private:
  base::Status not_found(const std::string& name) const;

  std::vector<PluginTier> tiers_;
  std::vector<PluginEntry> entries_;
};

/// A backend ready to be given to workers.
struct Backend {
  RunConfig config;
  Manifest manifest;
  base::Json options;  ///< checked, defaults filled in
};

/// Finds the plugin that a config names, checks the config against its manifest, and checks that
/// the library is one this machine can load (preflight.h). Runs no plugin code.
///
/// errors   kPlugin (missing, refused), kInput (options, device or weights mode, with place)
base::Result<Backend> resolve_backend(const Installation& installation,
                                      const std::vector<std::filesystem::path>& extra_folders,
                                      RunConfig config);

}  // namespace graphnet::config
