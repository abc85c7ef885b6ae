// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "graphnet/abi.h"

namespace graphnet::plugin {

/// Oldest and newest minor of the plugin ABI that this host serves.
inline constexpr std::uint32_t kOldestMinor = 3;
inline constexpr std::uint32_t kNewestMinor = GN_ABI_MINOR;

/// Told which code of a plugin is entered next: "its static constructors", "gn_plugin_query", ...
using OnStep = std::function<void(const char*)>;

/// The files of a plugin.
struct LibraryFiles {
  std::filesystem::path library;
  /// Opened before it, in this order: its own needs of these names are met then.
  std::vector<std::filesystem::path> opened_before = {};
};

/// A loaded plugin whose handshake succeeded. Never unloaded: vendor libraries do not survive it.
class Library {
 public:
  /// Opens the files (all symbols bound now, none visible to others), checks the three exports of
  /// the library, asks the query and checks the table it gives.
  ///
  /// What can be known without running code was checked before the worker was started.
  ///
  /// errors   kPlugin: not loadable (the loader's own words), a missing export, refused or wrong
  /// ABI
  ///          version, a table slot that is missing or differs from the export of its name
  static base::Result<Library> open(const LibraryFiles& files, const OnStep& on_step);

  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  std::uint32_t abi_minor() const { return abi_minor_; }
  const gn_backend_api& api() const { return *api_; }

 private:
  Library() = default;
  std::string name_;
  std::string version_;
  std::uint32_t abi_minor_ = 0;
  const gn_backend_api* api_ = nullptr;
};

}  // namespace graphnet::plugin
