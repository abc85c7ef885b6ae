// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/file_trust.h"

namespace graphnet::config {

/// A folder of this user: the variable's value, else `below_home` in the home folder; empty without
/// either.
///
/// source   XDG Base Directory Specification 0.8: relative values must be ignored
std::filesystem::path xdg_folder(const char* variable, const char* below_home);

/// Where this program looks for configs, plugins and samples. Read once at start; tests build their
/// own.
struct Installation {
  std::filesystem::path executable_folder;
  /// Root of the source tree; set only if the program runs from that tree's build folder, so that
  /// an installed program never reads a developer's files.
  std::optional<std::filesystem::path> source_tree;
  std::filesystem::path config_home;  ///< $XDG_CONFIG_HOME or ~/.config; may be empty
  std::filesystem::path data_home;    ///< $XDG_DATA_HOME or ~/.local/share; may be empty
  /// GRAPHNET_PLUGIN_PATH, split at colons.
  std::vector<std::filesystem::path> plugin_path;
  /// GRAPHNET_PLUGINS_ONLY, split at colons: plugin files or folders that replace every search but
  /// that of --plugin-path. Nothing: not set.
  std::optional<std::vector<std::filesystem::path>> plugins_only;
  /// GRAPHNET_PLUGINS_DISABLE, split at commas: patterns (*, ?, [..]) of names that are not used.
  std::vector<std::string> plugins_disable;
  FileTrust trust = FileTrust::of_this_user({});

  /// Reads environment variables with secure_getenv: none counts in a setuid program.
  static Installation of_this_process();

  /// The variables above that are set, as "NAME=value": what makes this run find other plugins than
  /// the same command elsewhere.
  std::vector<std::string> overrides() const;

  /// Folders in which a config without a slash in its name is looked up, first hit wins.
  ///
  /// order    ., <config_home>/graphnet/configs, <exe>/../share/graphnet/configs, <source>/configs
  std::vector<std::filesystem::path> config_folders() const;

  /// The bundled samples, or nothing if there are none.
  ///
  /// order    <exe>/../share/graphnet/samples, <source>/samples
  std::optional<std::filesystem::path> samples_folder() const;

  /// The small graph that a run times against itself, or nothing if it is not installed. Two more
  /// of it, on which tricks show that the first hides (cli/control_runs.h): "control_constant" has
  /// inputs that are all the same, "control_insensitive" weights that hide its inputs.
  ///
  /// order    <exe>/../share/graphnet/configs/<name>, <source>/configs/<name>
  std::optional<std::filesystem::path> control_sample(const std::string& name = "control") const;

  /// Templates of plugins, which may be missing: a folder for each kind.
  ///
  /// order    <exe>/../share/graphnet/templates, <source>/sdk/templates
  std::filesystem::path templates_folder() const;

  /// What CMAKE_PREFIX_PATH of a plugin's build must name for find_package(GraphNetSDK), or nothing
  /// if the SDK is not installed with this program.
  std::optional<std::filesystem::path> sdk_prefix() const;

  /// The program that runs one sample: beside this executable or in ../libexec/graphnet.
  ///
  /// errors   kEnvironment if there is none; the message says how it is built
  base::Result<std::filesystem::path> worker_executable() const;
};

/// Finds a config: a name with a slash is a path, any other is looked up in config_folders(). The
/// ending ".yaml" may be left out.
///
/// errors   kInput with the folders searched and the nearest name of a config there
base::Result<std::filesystem::path> find_config(const Installation& installation,
                                                const std::string& name);

/// File names (*.yaml) in config_folders() other than the current folder and other than
/// default.yaml, which documents and selects nothing; sorted, each once.
std::vector<std::string> list_configs(const Installation& installation);

}  // namespace graphnet::config
