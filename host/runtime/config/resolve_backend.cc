// SPDX-License-Identifier: MIT
#include "config/resolve_backend.h"

#include <algorithm>

#include "base/device_name.h"
#include "base/text.h"
#include "config/elf_header.h"
#include "config/option_schema.h"
#include "config/plugin_registry.h"

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

/// What to do about a plugin that is not installed: only what is true on this machine is offered.
void add_install_hints(Status& error, const Installation& installation, const std::string& name) {
  const bool is_in_tree = installation.source_tree &&
                          is_there(*installation.source_tree / "plugins" / name / kManifestName);
  if (is_in_tree) {
    error.add_hint("cd " + installation.source_tree->string() + " && ./graphnet run --config " +
                   name + ".yaml    builds it first");
    return;
  }
  error.add_hint("graphnet plugin list: the plugins and their names");
  error.add_hint("--plugin-path FOLDER, if it is installed elsewhere");
}

Result<Manifest> manifest_beside(const fs::path& library) {
  GN_RETURN_IF_ERROR(check_shared_library(library));
  const fs::path file = library.parent_path() / kManifestName;
  if (!is_there(file)) {
    return Status(Code::kPlugin, "library '" + library.string() + "' has no plugin.yaml beside it");
  }
  GN_ASSIGN_OR_RETURN(Manifest manifest, read_manifest(file));
  std::error_code ignored;
  if (!fs::equivalent(manifest.library, library, ignored)) {
    return Status(Code::kPlugin, "'" + file.string() + "' describes another library, '" +
                                     manifest.library.string() + "'");
  }
  return manifest;
}

/// The plugin of that file; a broken one has the name of its folder.
PluginEntry entry_of_library(const fs::path& library) {
  PluginEntry entry;
  Result<Manifest> manifest = manifest_beside(library);
  if (manifest.is_ok()) {
    entry.name = manifest->name;
    entry.manifest = std::move(manifest).value();
  } else {
    std::error_code ignored;
    entry.name = fs::absolute(library, ignored).parent_path().filename().string();
    entry.problem = std::move(manifest).status();
  }
  return entry;
}

Result<PluginEntry> find_plugin(const Installation& installation,
                                const std::vector<fs::path>& extra, const RunConfig& config) {
  if (!config.backend.library.empty()) {
    PluginEntry entry = entry_of_library(config.backend.library);
    GN_RETURN_IF_ERROR(check_enabled(entry.name, installation.plugins_disable)
                           .add_context("wanted by " + config.backend.where));
    return entry;
  }
  const auto registry = PluginRegistry::scan(
      plugin_tiers(installation, extra, config.plugin_search_paths), installation.plugins_disable);
  Result<PluginEntry> entry = registry.find(config.backend.name);
  if (entry.is_ok()) return entry;
  Status error = std::move(entry).status();
  error.add_context("wanted by " + config.backend.where);
  const auto& entries = registry.entries();
  const bool is_installed = std::any_of(entries.begin(), entries.end(), [&](const auto& other) {
    return other.name == config.backend.name;
  });
  if (!is_installed) add_install_hints(error, installation, config.backend.name);
  return error;
}

std::string origin(const RunConfig& config, const std::string& key) {
  const auto found = config.origins.find(key);
  return found != config.origins.end() ? found->second : "a default";
}

Status check_version(const Manifest& manifest, const RunConfig& config) {
  const VersionRange& wanted = config.backend.version;
  if (wanted.bounds.empty()) return Status::ok();
  const std::string from = origin(config, "backend.version");
  const Result<Version> version = parse_version(manifest.version);
  if (!version.is_ok()) {
    return Status(Code::kPlugin, "plugin '" + manifest.name + "' cannot be compared with '" +
                                     wanted.text + "' (" + from +
                                     "): " + version.status().message())
        .add_context(manifest.file.string());
  }
  if (wanted.contains(*version)) return Status::ok();
  return Status(Code::kPlugin, "found plugin '" + manifest.name + "' " + manifest.version +
                                   ", the config wants " + wanted.text + " (" + from + ")")
      .add_context(manifest.file.string())
      .add_hint("install another version of the plugin, or change backend.version");
}

Status check_supported(const Manifest& manifest, const std::string& what, const std::string& wanted,
                       const std::vector<std::string>& offered) {
  if (std::find(offered.begin(), offered.end(), wanted) != offered.end()) return Status::ok();
  return Status(Code::kPlugin, "plugin '" + manifest.name + "' does not offer " + what + " '" +
                                   wanted + "'; it offers " + base::join(offered, ", "))
      .add_context(manifest.file.string());
}

/// The plugin's own call is what would be captured: no other may be timed in its place.
Status check_capturable(const Manifest& manifest, const RunConfig& config) {
  if (!config.protocol.replays() || manifest.has_capability(kGraphCapturable)) return Status::ok();
  return Status(Code::kUnsupported, "protocol '" + config.protocol.name +
                                        "' replays captured calls, and plugin '" + manifest.name +
                                        "' does not say that its own may be captured")
      .add_context(manifest.file.string() + " (capabilities has no " + kGraphCapturable + ")")
      .add_hint("choose another protocol for this plugin: protocol.replay=false");
}

Status check_replay_device(const RunConfig& config, const base::DeviceName& device) {
  if (!config.protocol.replays() || device.is_cuda) return Status::ok();
  return Status(Code::kInput, "protocol '" + config.protocol.name +
                                  "' replays captured CUDA graphs, which device '" + config.device +
                                  "' does not have")
      .add_context("protocol: " + origin(config, "protocol.name"))
      .add_context("device: " + origin(config, "device"))
      .add_hint("choose device: cuda:0, or another protocol");
}

Result<base::Json> check_options(const Manifest& manifest, const RunConfig& config) {
  const YamlNode* given = config.backend.options ? &*config.backend.options : nullptr;
  if (given != nullptr && manifest.options.empty() && !given->entries.empty()) {
    const YamlEntry& first = given->entries.front();
    return error_at(
               *first.source, first.position,
               "plugin '" + manifest.name + "' has no options, and this sets '" + first.key + "'")
        .add_context(manifest.file.string())
        .add_hint("leave it out, or choose another plugin: graphnet plugin list");
  }
  Result<base::Json> options = resolve_options(manifest.options, given);
  if (options.is_ok()) return options;
  return std::move(options)
      .status()
      .add_context("options of plugin '" + manifest.name + "' are declared in " +
                   manifest.file.string())
      .add_hint("graphnet plugin info " + manifest.name);
}

Status check_pin(const Backend& backend) {
  const std::string& pinned = backend.config.backend.sha256;
  if (pinned.empty() || pinned == backend.library.sha256) return Status::ok();
  return Status(Code::kPlugin, "the library of plugin '" + backend.manifest.name +
                                   "' has SHA-256 " + backend.library.sha256 +
                                   ", the config pins " + pinned + " (" +
                                   origin(backend.config, "backend.sha256") + ")")
      .add_context(backend.manifest.library.string())
      .add_hint("install the pinned build, or pin this one if it is the one you mean");
}

/// Everything that can be known of the plugin's files without running their code.
Status examine_files(const Installation& installation, Backend& backend) {
  Result<LibraryIdentity> library = identify_library(backend.manifest.library);
  if (!library.is_ok()) return std::move(library).status();
  backend.library = std::move(library).value();
  GN_RETURN_IF_ERROR(check_pin(backend));
  return check_plugin_files(backend.manifest, installation);
}

/// Whether what users install for the plugin is here.
Status check_installed(const Backend& backend) {
  for (const StartedProgram& program : backend.manifest.starts) {
    GN_RETURN_IF_ERROR(check_started_program(program, backend.options));
  }
  if (backend.manifest.opens.empty()) return Status::ok();
  const LoaderPaths paths = LoaderPaths::of_this_machine();
  for (const OpenedLibrary& library : backend.manifest.opens) {
    GN_RETURN_IF_ERROR(check_opened_library(library, backend.options, paths));
  }
  return Status::ok();
}

}  // namespace

Result<Backend> examine_backend(const Installation& installation,
                                const std::vector<fs::path>& extra_folders, RunConfig config) {
  Backend backend;
  GN_ASSIGN_OR_RETURN(PluginEntry entry, find_plugin(installation, extra_folders, config));
  if (entry.manifest) {
    backend.manifest = std::move(*entry.manifest);
    GN_RETURN_IF_ERROR(check_version(backend.manifest, config));
    GN_ASSIGN_OR_RETURN(const base::DeviceName device, base::parse_device_name(config.device));
    GN_RETURN_IF_ERROR(
        check_supported(backend.manifest, "device", device.kind(), backend.manifest.devices));
    GN_RETURN_IF_ERROR(check_replay_device(config, device));
    GN_RETURN_IF_ERROR(check_supported(backend.manifest, "weights mode", config.weights,
                                       backend.manifest.weights));
    GN_ASSIGN_OR_RETURN(backend.options, check_options(backend.manifest, config));
  } else {
    backend.manifest.name = entry.name;
  }
  backend.variant = variant_name(backend.manifest.name, backend.manifest.options, backend.options);
  if (config.weights != "bound") backend.variant += "+" + config.weights;
  backend.config = std::move(config);
  backend.problem =
      entry.manifest ? examine_files(installation, backend) : std::move(entry.problem);
  if (backend.problem.is_ok()) {
    backend.problem = check_capturable(backend.manifest, backend.config);
  }
  backend.problem.add_context("from " + backend.config.backend.where);
  backend.unavailable = check_installed(backend);
  backend.unavailable.add_context("from " + backend.config.backend.where);
  return backend;
}

Result<Backend> resolve_backend(const Installation& installation,
                                const std::vector<fs::path>& extra_folders, RunConfig config) {
  GN_ASSIGN_OR_RETURN(Backend backend,
                      examine_backend(installation, extra_folders, std::move(config)));
  if (!backend.problem.is_ok()) return backend.problem;
  return backend;
}

}  // namespace graphnet::config
