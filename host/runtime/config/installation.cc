// SPDX-License-Identifier: MIT
#include "config/installation.h"

#include <stdlib.h>
#include <unistd.h>

#include <set>

#include "base/file.h"
#include "base/suggestion.h"
#include "base/text.h"

namespace graphnet::config {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr const char* kPluginPath = "GRAPHNET_PLUGIN_PATH";
constexpr const char* kPluginsOnly = "GRAPHNET_PLUGINS_ONLY";
constexpr const char* kPluginsDisable = "GRAPHNET_PLUGINS_DISABLE";

std::string environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value ? value : "";
}

/// Parts that are not empty: an empty path would mean the current folder, from which plugins are
/// never loaded.
template <typename T>
std::vector<T> split_list(const std::string& text, char separator) {
  std::vector<T> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::set<std::string> configs_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const fs::path name = entry->path().filename();
    if (name.extension() == ".yaml" && is_file(entry->path())) names.insert(name.string());
  }
  return names;
}

Status not_found(const Installation& installation, const std::string& name) {
  std::vector<std::string> searched;
  for (const auto& folder : installation.config_folders()) searched.push_back(folder.string());
  Status error(Code::kInput, "no config named '" + name + "'");
  error.add_context("searched " + base::join(searched, ", "));
  if (name.rfind('-', 0) == 0) {
    error.add_hint("'" + name + "' is a flag: the name of the config is missing before it");
  }
  const std::vector<std::string> names = list_configs(installation);
  // Tables name a plugin's variant behind a '+'.
  base::add_suggestion(error, fs::path(name.substr(0, name.find('+'))).stem().string() + ".yaml",
                       names);
  if (!names.empty()) error.add_hint("configs at hand: " + base::join(names, ", "));
  return error;
}

}  // namespace

fs::path xdg_folder(const char* variable, const char* below_home) {
  fs::path given = environment(variable);
  if (given.is_absolute()) return given;
  const fs::path home = environment("HOME");
  return home.is_absolute() ? home / below_home : fs::path();
}

Installation Installation::of_this_process() {
  Installation installation;
  installation.executable_folder = base::executable_folder();
  std::error_code ignored;
  const fs::path build_folder = fs::weakly_canonical(GRAPHNET_BINARY_DIR, ignored);
  if (installation.executable_folder == build_folder / "bin") {
    installation.source_tree = GRAPHNET_SOURCE_DIR;
  }
  installation.config_home = xdg_folder("XDG_CONFIG_HOME", ".config");
  installation.data_home = xdg_folder("XDG_DATA_HOME", ".local/share");
  installation.plugin_path = split_list<fs::path>(environment(kPluginPath), ':');
  if (::secure_getenv(kPluginsOnly) != nullptr) {
    installation.plugins_only = split_list<fs::path>(environment(kPluginsOnly), ':');
  }
  installation.plugins_disable = split_list<std::string>(environment(kPluginsDisable), ',');
  installation.trust = FileTrust::of_this_user(installation.executable_folder);
  return installation;
}

std::vector<std::string> Installation::overrides() const {
  std::vector<std::string> texts;
  const auto add = [&](const char* name, const std::vector<std::string>& values, const char* by) {
    texts.push_back(std::string(name) + "=" + base::join(values, by));
  };
  const auto names = [](const std::vector<fs::path>& paths) {
    return std::vector<std::string>(paths.begin(), paths.end());
  };
  if (!plugin_path.empty()) add(kPluginPath, names(plugin_path), ":");
  if (plugins_only) add(kPluginsOnly, names(*plugins_only), ":");
  if (!plugins_disable.empty()) add(kPluginsDisable, plugins_disable, ",");
  return texts;
}

std::vector<fs::path> Installation::config_folders() const {
  std::vector<fs::path> folders = {"."};
  if (!config_home.empty()) folders.push_back(config_home / "graphnet" / "configs");
  folders.push_back(executable_folder.parent_path() / "share" / "graphnet" / "configs");
  if (source_tree) folders.push_back(*source_tree / "configs");
  return folders;
}

std::optional<fs::path> Installation::samples_folder() const {
  const fs::path installed = executable_folder.parent_path() / "share" / "graphnet" / "samples";
  if (is_folder(installed)) return installed;
  if (source_tree && is_folder(*source_tree / "samples")) return *source_tree / "samples";
  return std::nullopt;
}

std::optional<fs::path> Installation::control_sample(const std::string& name) const {
  const fs::path share = executable_folder.parent_path() / "share" / "graphnet";
  if (is_folder(share / "configs" / name)) return share / "configs" / name;
  if (!source_tree || !is_folder(*source_tree / "configs" / name)) return std::nullopt;
  return *source_tree / "configs" / name;
}

fs::path Installation::templates_folder() const {
  const fs::path installed = executable_folder.parent_path() / "share" / "graphnet" / "templates";
  if (is_folder(installed) || !source_tree) return installed;
  return *source_tree / "sdk" / "templates";
}

std::optional<fs::path> Installation::sdk_prefix() const {
  const fs::path around = executable_folder.parent_path();
  for (const fs::path& prefix : {around, around / "sdk_prefix"}) {
    if (is_folder(prefix / "lib/cmake/GraphNetSDK")) return prefix;
  }
  return std::nullopt;
}

Result<fs::path> Installation::worker_executable() const {
  const fs::path beside = executable_folder / "graphnet-worker";
  const fs::path apart = executable_folder.parent_path() / "libexec/graphnet/graphnet-worker";
  for (const auto& path : {beside, apart}) {
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return Status(Code::kEnvironment,
                "the program that runs samples is missing: '" + beside.string() + "'")
      .add_context("this graphnet was built without libtorch or installed in part")
      .add_hint("build it with ./graphnet in the source tree, or with -DGRAPHNET_WITH_TORCH=ON");
}

Result<fs::path> find_config(const Installation& installation, const std::string& name) {
  if (name.find('/') != std::string::npos) {
    for (const std::string& file : {name, name + ".yaml"}) {
      if (is_file(file)) return fs::path(file);
    }
    Status error(Code::kInput, "no config file '" + name + "'");
    const fs::path path = name;
    const std::set<std::string> beside = configs_in(path.parent_path());
    base::add_suggestion(error, path.filename().string(), {beside.begin(), beside.end()},
                         (path.parent_path() / "").string());
    return error.add_hint("a name without a slash is looked up among the bundled configs");
  }
  for (const std::string& file : {name, name + ".yaml"}) {
    for (const auto& folder : installation.config_folders()) {
      // "./x.yaml" would read worse than "x.yaml" in every message about it.
      const fs::path path = folder == "." ? fs::path(file) : folder / file;
      if (!name.empty() && is_file(path)) return path;
    }
  }
  return not_found(installation, name);
}

std::vector<std::string> list_configs(const Installation& installation) {
  std::set<std::string> names;
  for (const auto& folder : installation.config_folders()) {
    if (folder != ".") names.merge(configs_in(folder));
  }
  names.erase("default.yaml");
  return {names.begin(), names.end()};
}

}  // namespace graphnet::config
