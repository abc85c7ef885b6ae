// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "config/installation.h"
#include "config/library_identity.h"
#include "config/manifest.h"
#include "config/run_config.h"

namespace graphnet::config {

/// A plugin with the settings of one config.
struct Backend {
  RunConfig config;
  Manifest manifest;                          ///< with a problem: at least its name
  base::Json options = base::Json::object();  ///< checked, defaults filled in
  std::string variant;                        ///< see variant_name()
  LibraryIdentity library;                    ///< empty if it cannot be read
  /// What is wrong with the plugin's files, or kUnsupported: what the config asks of it that it
  /// cannot do; unless ok, none of its code may run.
  base::Status problem;
  /// kPlugin: a library that the plugin opens when it compiles is not here (opened_library.h), so
  /// that no sample can run. What asks the plugin for coverage alone does without.
  base::Status unavailable;
};

/// Finds the plugin that a config names, checks the config against its manifest, and looks at its
/// files: trustworthy (file_trust.h), the pinned ones, loadable here (preflight.h). Runs no plugin
/// code.
///
/// What is wrong with the files is no failure but Backend::problem (kPlugin, or kInput for a broken
/// manifest), so that a run with other backends can go on without this one. So is a protocol that
/// replays captured calls for a plugin that is not `graph_capturable` (kUnsupported).
///
/// errors   kPlugin: no such plugin, disabled, not in the version wanted, without the device or
///          weights mode; kInput: options, with position; a protocol that replays on the processor
base::Result<Backend> examine_backend(const Installation& installation,
                                      const std::vector<std::filesystem::path>& extra_folders,
                                      RunConfig config);

/// The same for a plugin without which there is nothing to do: a problem of its files is an error.
base::Result<Backend> resolve_backend(const Installation& installation,
                                      const std::vector<std::filesystem::path>& extra_folders,
                                      RunConfig config);

}  // namespace graphnet::config
