// SPDX-License-Identifier: MIT
#include "config/plugin_registry.h"

#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "config/preflight.h"
#include "config/yaml_reader.h"

namespace graphnet::config {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Manifests of a tier, sorted.
std::vector<fs::path> manifests_of(const PluginTier& tier) {
  const fs::path& folder = tier.folder;
  std::error_code ignored;
  if (tier.may_be_plugin && fs::is_regular_file(folder, ignored)) {
    return {folder.parent_path() / kManifestName};
  }
  if (tier.may_be_plugin && is_there(folder / kManifestName)) return {folder / kManifestName};
  std::vector<fs::path> files;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const fs::path file = entry->path() / kManifestName;
    if (is_there(file)) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

PluginEntry read_entry(const fs::path& file, std::size_t tier) {
  PluginEntry entry;
  entry.tier = tier;
  entry.file = file;
  Result<Manifest> manifest = read_manifest(file);
  if (manifest.is_ok()) {
    entry.name = manifest->name;
    entry.manifest = std::move(manifest).value();
  } else {
    entry.name = file.parent_path().filename().string();
    entry.state = PluginEntry::State::kBroken;
    entry.problem = manifest.status();
  }
  return entry;
}

/// Two plugins of one name in one folder: neither can be named, so each says so.
void mark_duplicates(std::size_t tier, std::vector<PluginEntry>& entries) {
  for (PluginEntry& entry : entries) {
    for (const PluginEntry& other : entries) {
      const bool is_twin = &entry != &other && entry.tier == tier && other.tier == tier &&
                           entry.name == other.name && entry.manifest && other.manifest;
      if (!is_twin) continue;
      entry.state = PluginEntry::State::kBroken;
      entry.problem = Status(Code::kPlugin, "another plugin of this name is in the same folder, '" +
                                                other.file.string() + "'");
    }
  }
}

}  // namespace

std::vector<PluginTier> plugin_tiers(const Installation& installation,
                                     const std::vector<fs::path>& extra,
                                     const std::vector<fs::path>& search_paths) {
  std::vector<PluginTier> tiers;
  for (const auto& folder : extra) tiers.push_back({"--plugin-path", folder});
  if (installation.plugins_only) {
    for (const auto& path : *installation.plugins_only) {
      tiers.push_back({"GRAPHNET_PLUGINS_ONLY", path, true});
    }
    return tiers;
  }
  for (const auto& folder : search_paths) tiers.push_back({"plugins.search_paths", folder});
  for (const auto& folder : installation.plugin_path) {
    tiers.push_back({"GRAPHNET_PLUGIN_PATH", folder});
  }
  if (!installation.data_home.empty()) {
    tiers.push_back({"user", installation.data_home / "graphnet" / "plugins"});
  }
  tiers.push_back(
      {"program", installation.executable_folder.parent_path() / "lib" / "graphnet" / "plugins"});
  tiers.push_back({"system", "/usr/lib/graphnet/plugins"});
  return tiers;
}

PluginRegistry PluginRegistry::scan(std::vector<PluginTier> tiers,
                                    const std::vector<std::string>& disabled) {
  PluginRegistry registry;
  registry.tiers_ = std::move(tiers);
  std::set<std::string> earlier;
  for (std::size_t tier = 0; tier < registry.tiers_.size(); ++tier) {
    std::set<std::string> here;
    for (const auto& file : manifests_of(registry.tiers_[tier])) {
      PluginEntry entry = read_entry(file, tier);
      const bool is_shadowed = earlier.count(entry.name) > 0;
      if (is_shadowed && entry.manifest) entry.state = PluginEntry::State::kShadowed;
      here.insert(entry.name);
      registry.entries_.push_back(std::move(entry));
    }
    mark_duplicates(tier, registry.entries_);
    earlier.merge(here);
  }
  for (PluginEntry& entry : registry.entries_) {
    Status refused = check_enabled(entry.name, disabled);
    if (refused.is_ok()) continue;
    entry.state = PluginEntry::State::kDisabled;
    entry.problem = std::move(refused);
  }
  return registry;
}

void PluginRegistry::check_libraries(const Installation& installation) {
  for (PluginEntry& entry : entries_) {
    if (entry.problem.is_ok() && entry.manifest) {
      entry.problem = check_plugin_files(*entry.manifest, installation);
    }
  }
}

Result<PluginEntry> PluginRegistry::find(const std::string& name) const {
  const PluginEntry* found = nullptr;
  for (const auto& entry : entries_) {
    if (entry.name != name) continue;
    if (entry.state == PluginEntry::State::kDisabled) return entry.problem;
    if (found != nullptr && entry.tier == found->tier) {
      return Status(Code::kPlugin, "two plugins named '" + name + "' in one folder, '" +
                                       tiers_[entry.tier].folder.string() + "'")
          .add_context(found->file.string())
          .add_context(entry.file.string())
          .add_hint("remove one, or name the file with backend.library");
    }
    if (found == nullptr) found = &entry;
  }
  if (found == nullptr) return not_found(name);
  return *found;
}

Status PluginRegistry::not_found(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& entry : entries_) {
    if (entry.state != PluginEntry::State::kShadowed) names.push_back(entry.name);
  }
  Status error(Code::kPlugin,
               "no plugin named '" + name + "' is installed" + suggestion(name, names));
  error.add_context("installed: " + (names.empty() ? "none" : base::join(names, ", ")));
  for (const auto& tier : tiers_) {
    error.add_context("searched " + tier.folder.string() + " (" + tier.label +
                      (is_there(tier.folder) ? ")" : "; nothing is there)"));
  }
  return error;
}

Status check_enabled(const std::string& name, const std::vector<std::string>& disabled) {
  for (const std::string& pattern : disabled) {
    if (::fnmatch(pattern.c_str(), name.c_str(), 0) != 0) continue;
    return Status(Code::kPlugin, "plugin '" + name +
                                     "' is installed but disabled by GRAPHNET_PLUGINS_DISABLE=" +
                                     base::join(disabled, ","))
        .add_hint("unset GRAPHNET_PLUGINS_DISABLE, or leave '" + pattern + "' out of it");
  }
  return Status::ok();
}

Status check_plugin_files(const Manifest& manifest, const Installation& installation) {
  GN_RETURN_IF_ERROR(check_trust(manifest, installation.trust));
  // A tree without libtorch has no worker; then the plugin is looked at alone.
  const Result<fs::path> worker = installation.worker_executable();
  return preflight(manifest, worker.is_ok() ? *worker : fs::path());
}

}  // namespace graphnet::config
