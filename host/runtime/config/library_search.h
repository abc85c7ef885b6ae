// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/elf_image.h"

namespace graphnet::config {

/// Where the dynamic linker looks besides the run paths of the files themselves.
struct LoaderPaths {
  std::vector<std::string> environment;  ///< LD_LIBRARY_PATH, as workers get it
  /// Name to files, from the linker's cache.
  std::map<std::string, std::vector<std::filesystem::path>> cache;
  std::vector<std::filesystem::path> defaults;

  /// Of this process and machine. A cache that cannot be read counts as empty.
  ///
  /// source   ld.so(8); /etc/ld.so.cache in the format of glibc 2.2 and newer
  static LoaderPaths of_this_machine();
};

/// Reads the bytes of a linker cache; anything damaged is left out.
std::map<std::string, std::vector<std::filesystem::path>> parse_loader_cache(
    const std::string& bytes);

/// One library that a plugin's libraries need and nobody has.
struct MissingLibrary {
  std::string name;
  std::string needed_by;                           ///< file name of the first that needs it
  std::vector<std::filesystem::path> near_misses;  ///< other versions of it in folders searched
};

/// A symbol version that the library found does not define.
struct MissingVersion {
  std::string version;
  std::string needed_by;
  std::filesystem::path library;
  std::string newest;  ///< of the same family there; empty if there is none
};

/// What loading a plugin will bring in.
struct LibraryClosure {
  std::vector<std::filesystem::path> found;  ///< in the order of loading, the plugin first
  std::vector<MissingLibrary> missing;
  std::vector<MissingVersion> versions;
  std::vector<std::filesystem::path> searched;  ///< folders, each once, in order of first use
};

/// What is loaded when a plugin is opened.
struct LoadedBefore {
  std::filesystem::path host_program;         ///< that opens it; may be empty
  std::vector<std::filesystem::path> opened;  ///< libraries, in the order of opening
};

/// Follows DT_NEEDED from `plugin` as the loader will: what the program itself has loaded by then
/// is there already, whatever folder it came from. Runs no code.
///
/// errors   kPlugin if the plugin itself cannot be read
/// source   ld.so(8): RPATH of the file and its loaders, LD_LIBRARY_PATH, RUNPATH, cache, defaults
base::Result<LibraryClosure> resolve_libraries(const std::filesystem::path& plugin,
                                               const LoadedBefore& before,
                                               const LoaderPaths& paths);

}  // namespace graphnet::config
