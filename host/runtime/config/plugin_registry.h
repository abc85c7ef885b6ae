// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/installation.h"
#include "config/manifest.h"

namespace graphnet::config {

/// A folder that holds plugins as <name>/plugin.yaml; earlier tiers win.
struct PluginTier {
  std::string label;  ///< where the folder was named: "plugins.search_paths", ...
  std::filesystem::path folder;
  bool may_be_plugin = false;  ///< `folder` may also be one plugin: its folder or a file in that
};

/// Tiers in order: `extra` (--plugin-path), plugins.search_paths, GRAPHNET_PLUGIN_PATH, the user's
/// data folder, the program's own, the system's; or, if GRAPHNET_PLUGINS_ONLY is set, `extra` and
/// what that names. Never the current folder, never a sample's.
std::vector<PluginTier> plugin_tiers(const Installation& installation,
                                     const std::vector<std::filesystem::path>& extra,
                                     const std::vector<std::filesystem::path>& search_paths);

/// One plugin.yaml that was found.
struct PluginEntry {
  enum class State { kOk, kShadowed, kBroken, kDisabled };

  std::string name;  ///< of the manifest; of its folder if the manifest is broken
  State state = State::kOk;
  std::size_t tier = 0;
  std::filesystem::path file;        ///< plugin.yaml
  std::optional<Manifest> manifest;  ///< nothing if it cannot be read
  base::Status problem;              ///< why it cannot be used; ok for kOk and kShadowed
};

/// What is installed. A broken plugin is an entry, never a failure of the search.
class PluginRegistry {
 public:
  /// `disabled`: patterns of names (GRAPHNET_PLUGINS_DISABLE) that find() refuses.
  static PluginRegistry scan(std::vector<PluginTier> tiers,
                             const std::vector<std::string>& disabled = {});

  /// order    by tier, then by folder name
  const std::vector<PluginEntry>& entries() const { return entries_; }
  const std::vector<PluginTier>& tiers() const { return tiers_; }

  /// Looks at each library without running its code (check_plugin_files()) and keeps what is wrong
  /// in its entry.
  void check_libraries(const Installation& installation);

  /// The plugin of that name in the earliest tier, be its manifest broken or not.
  ///
  /// errors   kPlugin: none installed (lists folders searched, installed names, nearest name); two
  ///          of the name in one tier; disabled
  base::Result<PluginEntry> find(const std::string& name) const;

 private:
  base::Status not_found(const std::string& name) const;

  std::vector<PluginTier> tiers_;
  std::vector<PluginEntry> entries_;
};

/// An error if a plugin of this name is not to be used; `disabled`: patterns of names.
base::Status check_enabled(const std::string& name, const std::vector<std::string>& disabled);

/// Whether the plugin's files are trustworthy (file_trust.h) and can be loaded by this
/// installation's worker (preflight.h). Runs none of their code.
base::Status check_plugin_files(const Manifest& manifest, const Installation& installation);

}  // namespace graphnet::config
