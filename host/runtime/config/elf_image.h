// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace graphnet::config {

/// A version of another library that an image wants, such as GLIBCXX_3.4.32 of libstdc++.so.6.
struct VersionNeed {
  std::string library;
  std::string version;
  bool is_weak = false;  ///< its absence is only a warning of the loader
};

/// What the dynamic linker will read of a shared object.
struct ElfImage {
  std::string soname;               ///< empty if it has none
  std::vector<std::string> needed;  ///< DT_NEEDED, in order
  std::string run_path;             ///< DT_RUNPATH, colon list as written
  std::string old_run_path;         ///< DT_RPATH; not used if there is a DT_RUNPATH
  bool no_default_folders = false;  ///< linked with -z nodefaultlib
  std::vector<VersionNeed> version_needs;
  std::vector<std::string> versions;  ///< that it defines
  std::vector<std::string> exports;   ///< symbols that others can see; only if asked for
};

/// Whether to read the symbol table too: it can be large and only a plugin's own matters.
enum class ElfSymbols : bool { kSkip, kRead };

/// Reads the dynamic segment of a 64-bit little-endian image, as the loader does: section headers
/// are not needed, so stripped files read alike. A hostile file gives an error or harmless text,
/// see base/elf_file.h.
///
/// errors   kPlugin with one sentence about what is cut off, out of bounds or missing
/// source   System V gABI chapters 4 and 5; GNU hash and symbol versions: LSB core, 10.7
base::Result<ElfImage> parse_elf_image(std::string_view bytes, ElfSymbols symbols);

/// The same for a file; errors name it.
base::Result<ElfImage> read_elf_image(const std::filesystem::path& path, ElfSymbols symbols);

}  // namespace graphnet::config
