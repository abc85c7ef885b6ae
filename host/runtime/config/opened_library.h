// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "config/library_search.h"

namespace graphnet::config {

/// A library that a plugin opens itself when it compiles, and that users install: a row of `opens`
/// in plugin.yaml.
struct OpenedLibrary {
  std::string name;                     ///< as people call it
  std::vector<std::string> sonames;     ///< the preferred one first
  std::vector<std::string> named_only;  ///< taken where option or variable name it, nowhere else
  std::string option;              ///< of the plugin, which names a file or a folder; empty: none
  std::string variable;            ///< of the environment, as much
  std::string python_folder;       ///< of its wheel, in site-packages; empty: none
  std::vector<std::string> hints;  ///< the ways to get it
};

/// Whether a plugin will find its library, looked for as the plugin does (library_places.h). Runs
/// no code. `options` are the plugin's, defaults filled in.
///
/// errors   kPlugin with the hints: it is nowhere; or what was found is no whole shared library
///          for this machine, or has the name of another version
base::Status check_opened_library(const OpenedLibrary& library, const base::Json& options,
                                  const LoaderPaths& paths);

}  // namespace graphnet::config
