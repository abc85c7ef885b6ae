// SPDX-License-Identifier: MIT
//
// Header-only C++17 for plugins that start a program which users install, and for the host, which
// looks where such a plugin will. Not part of the ABI.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "graphnet/library_places.h"

namespace graphnet {

/// A program that was looked for.
struct ProgramPlace {
  std::string file;       ///< empty: nobody names one, and none is on PATH
  std::string named_by;   ///< the variable; empty: `given`, or nobody
  bool is_named = false;  ///< by `given` or the variable; else it is looked for on PATH
  bool is_there = false;  ///< an executable file
};

namespace program_places_detail {

inline bool is_program(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

inline std::string on_path(const std::string& program) {
  const std::string path = library_places_detail::variable("PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::filesystem::path file =
        std::filesystem::path(path.substr(begin, end - begin)) / program;
    if (end > begin && is_program(file)) return file.string();
    begin = end + 1;
  }
  return "";
}

}  // namespace program_places_detail

/// `given`, an option's value, if it is not empty; else what the variable names; else the first of
/// that name on PATH.
inline ProgramPlace find_program(const std::string& program, const std::string& variable,
                                 const std::string& given) {
  namespace detail = program_places_detail;
  ProgramPlace place;
  place.file = given.empty() ? library_places_detail::variable(variable) : given;
  place.is_named = !place.file.empty();
  if (place.is_named && given.empty()) place.named_by = variable;
  if (!place.is_named) place.file = detail::on_path(program);
  place.is_there = !place.file.empty() && detail::is_program(place.file);
  return place;
}

}  // namespace graphnet
