// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace graphnet::config {

/// A program that a plugin starts when it compiles or runs, and that users install: a row of
/// `starts` in plugin.yaml.
struct StartedProgram {
  std::string name;                ///< of the compiler, as people call it
  std::string program;             ///< looked for on PATH
  std::string option;              ///< of the plugin, which names a file; empty: none
  std::string variable;            ///< of the environment, as much
  std::string launcher_option;     ///< with words there the program is elsewhere; empty: none
  std::vector<std::string> hints;  ///< the ways to get it
};

/// Whether a plugin will find its program. Starts nothing, and does not look behind a launcher,
/// where the option or the variable must name the program. `options` are the plugin's, defaults
/// filled in.
///
/// errors   kPlugin with the hints
base::Status check_started_program(const StartedProgram& program, const base::Json& options);

}  // namespace graphnet::config
