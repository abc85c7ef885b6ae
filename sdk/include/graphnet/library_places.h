// SPDX-License-Identifier: MIT
//
// Header-only C++17 for plugins whose compiler users install themselves, and for the host, which
// looks where such a plugin will. Not part of the ABI.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace graphnet {

/// A library under the names that it may have.
struct LibraryNames {
  std::vector<std::string> sonames;     ///< the preferred one first
  std::vector<std::string> named_only;  ///< taken where somebody names it and nowhere else
  std::string variable;                 ///< of the environment; names a file or a folder
  std::string python_folder;            ///< of its wheel, in site-packages
};

namespace library_places_detail {

inline std::string variable(const std::string& name) {
  const char* const value = name.empty() ? nullptr : std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

inline void add_existing(const std::filesystem::path& folder, const std::vector<std::string>& names,
                         std::vector<std::string>& places) {
  std::error_code ignored;
  for (const std::string& name : names) {
    if (std::filesystem::exists(folder / name, ignored)) places.push_back((folder / name).string());
  }
}

// <prefix>/lib/python3.12/site-packages/<folder of the wheel>
inline void add_wheels(const std::filesystem::path& prefix, const char* packages,
                       const LibraryNames& names, std::vector<std::string>& places) {
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(prefix / "lib", failure), end;
       !failure && entry != end; entry.increment(failure)) {
    if (entry->path().filename().string().rfind("python3", 0) != 0) continue;
    add_existing(entry->path() / packages / names.python_folder, names.sonames, places);
  }
}

inline std::vector<std::string> named(const std::string& name, const LibraryNames& names) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(name, ignored)) return {name};
  std::vector<std::string> places;
  add_existing(name, names.sonames, places);
  add_existing(name, names.named_only, places);
  return places;
}

}  // namespace library_places_detail

/// Where a library may be: `named`, a file or a folder, and nothing else if it is not empty; the
/// variable, as much; the dynamic linker's own places, as names without a folder; wheels of Python
/// environments.
///
/// order    first is best; what is named is listed even if it is not there, and a folder without
///          any of the names gives none
inline std::vector<std::string> library_places(const LibraryNames& names,
                                               const std::string& named) {
  namespace detail = library_places_detail;
  if (!named.empty()) return detail::named(named, names);
  const std::string given = detail::variable(names.variable);
  if (!given.empty()) return detail::named(given, names);
  std::vector<std::string> places = names.sonames;
  if (names.python_folder.empty()) return places;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string prefix = detail::variable(name);
    if (!prefix.empty()) detail::add_wheels(prefix, "site-packages", names, places);
  }
  const std::string home = detail::variable("HOME");
  if (!home.empty()) {
    detail::add_wheels(std::filesystem::path(home) / ".local", "site-packages", names, places);
  }
  detail::add_wheels("/usr/local", "site-packages", names, places);
  detail::add_wheels("/usr/local", "dist-packages", names, places);
  return places;
}

}  // namespace graphnet
