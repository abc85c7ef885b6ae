// SPDX-License-Identifier: MIT
#include "config/plugin_registry.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "config/elf_header.h"
#include "config/preflight.h"
#include "config/yaml_reader.h"

namespace graphnet::config {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr const char* kManifestName = "plugin.yaml";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::vector<fs::path> manifests_in(const fs::path& folder) {
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

/// What to do about a plugin that is not installed: only what is true on this machine is offered.
void add_install_hints(Status& error, const Installation& installation, const std::string& name) {
  const bool is_in_tree = installation.source_tree &&
                          is_there(*installation.source_tree / "plugins" / name / kManifestName);
  if (is_in_tree) {
    error.add_hint("cd " + installation.source_tree->string() + " && ./graphnet run --config " +
                   name + ".yaml    builds it first");
    return;
  }
  error.add_context("this version of graphnet does not contain a plugin '" + name + "' yet");
  error.add_hint("--plugin-path FOLDER, if it is installed elsewhere");
}

Result<Manifest> manifest_beside(const RunConfig& config) {
  const fs::path& library = config.backend.library;
  GN_RETURN_IF_ERROR(check_shared_library(library).add_context("from " + config.backend.where));
  const fs::path file = library.parent_path() / kManifestName;
  if (!is_there(file)) {
    return Status(Code::kPlugin, "library '" + library.string() + "' has no plugin.yaml beside it")
        .add_context("from " + config.backend.where);
  }
  GN_ASSIGN_OR_RETURN(Manifest manifest, read_manifest(file));
  std::error_code ignored;
  if (!fs::equivalent(manifest.library, library, ignored)) {
    return Status(Code::kPlugin, "'" + file.string() + "' describes another library, '" +
                                     manifest.library.string() + "'")
        .add_context("from " + config.backend.where);
  }
  return manifest;
}

Result<Manifest> find_manifest(const Installation& installation, const std::vector<fs::path>& extra,
                               const RunConfig& config) {
  if (!config.backend.library.empty()) return manifest_beside(config);
  const auto registry =
      PluginRegistry::scan(plugin_tiers(installation, extra, config.plugin_search_paths));
  Result<Manifest> manifest = registry.find(config.backend.name);
  if (manifest.is_ok()) return manifest;
  Status error = manifest.status();
  error.add_context("wanted by " + config.backend.where);
  const auto& entries = registry.entries();
  const bool is_installed = std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
    return entry.name == config.backend.name;
  });
  if (!is_installed) add_install_hints(error, installation, config.backend.name);
  return error;
}

Status check_supported(const Manifest& manifest, const std::string& what, const std::string& wanted,
                       const std::vector<std::string>& offered) {
  if (std::find(offered.begin(), offered.end(), wanted) != offered.end()) return Status::ok();
  return Status(Code::kPlugin, "plugin '" + manifest.name + "' does not offer " + what + " '" +
                                   wanted + "'; it offers " + base::join(offered, ", "))
      .add_context(manifest.file.string());
}

}  // namespace

std::vector<PluginTier> plugin_tiers(const Installation& installation,
                                     const std::vector<fs::path>& extra,
                                     const std::vector<fs::path>& search_paths) {
  std::vector<PluginTier> tiers;
  tiers.reserve(extra.size() + search_paths.size() + installation.plugin_path.size() + 3);
  for (const auto& folder : extra) tiers.push_back({"--plugin-path", folder});
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

PluginRegistry PluginRegistry::scan(std::vector<PluginTier> tiers) {
  PluginRegistry registry;
  registry.tiers_ = std::move(tiers);
  std::set<std::string> earlier;
  for (std::size_t tier = 0; tier < registry.tiers_.size(); ++tier) {
    std::set<std::string> here;
    for (const auto& file : manifests_in(registry.tiers_[tier].folder)) {
      PluginEntry entry = read_entry(file, tier);
      const bool is_shadowed = earlier.count(entry.name) > 0;
      if (is_shadowed && entry.manifest) entry.state = PluginEntry::State::kShadowed;
      here.insert(entry.name);
      registry.entries_.push_back(std::move(entry));
    }
    mark_duplicates(tier, registry.entries_);
    earlier.merge(here);
  }
  return registry;
}

void PluginRegistry::check_libraries(const fs::path& host_program) {
  for (PluginEntry& entry : entries_) {
    if (entry.problem.is_ok() && entry.manifest) {
      entry.problem = preflight(*entry.manifest, host_program);
    }
  }
}

Result<Manifest> PluginRegistry::find(const std::string& name) const {
  const PluginEntry* found = nullptr;
  for (const auto& entry : entries_) {
    if (entry.name != name) continue;
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
  if (!found->manifest) return found->problem;
  return *found->manifest;
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
                      (is_there(tier.folder) ? ")" : "; no such folder)"));
  }
  return error;
}

Result<Backend> resolve_backend(const Installation& installation,
                                const std::vector<fs::path>& extra_folders, RunConfig config) {
  GN_ASSIGN_OR_RETURN(Manifest manifest, find_manifest(installation, extra_folders, config));
  GN_RETURN_IF_ERROR(check_shared_library(manifest.library).add_context(manifest.file.string()));
  GN_RETURN_IF_ERROR(check_supported(manifest, "device", config.device, manifest.devices));
  GN_RETURN_IF_ERROR(check_supported(manifest, "weights mode", config.weights, manifest.weights));
  const YamlNode* given = config.backend.options ? &*config.backend.options : nullptr;
  Result<base::Json> options = resolve_options(manifest.options, given);
  if (!options.is_ok()) {
    return std::move(options).status().add_context("options of plugin '" + manifest.name +
                                                   "' are declared in " + manifest.file.string());
  }
  // A tree without libtorch has no worker; then the plugin is looked at alone.
  const Result<fs::path> worker = installation.worker_executable();
  GN_RETURN_IF_ERROR(preflight(manifest, worker.is_ok() ? *worker : fs::path())
                         .add_context("from " + config.backend.where));
  return Backend{std::move(config), std::move(manifest), std::move(options).value()};
}

}  // namespace graphnet::config
