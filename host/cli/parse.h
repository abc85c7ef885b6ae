// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"

namespace graphnet::cli {

/// Parses a command line and fills the targets of the flags. CLI11 is used here only.
/// Flags of every command are accepted before and after its name.
///
/// `words` without the program's name. Returns the command named, or null if none is.
///
/// errors   kUsage: unknown flag or command (the nearest is suggested), missing value, a value for
///          a switch; no exception escapes
base::Result<const Command*> parse_command_line(const std::vector<std::string>& words,
                                                const Interface& interface);

}  // namespace graphnet::cli
