// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// The first screen: what the program is and its commands.
std::string program_help(const std::vector<Command>& commands);

/// Help of one command: usage, arguments, its flags, the global ones, examples.
std::string command_help(const Command& command, const std::vector<Flag>& global_flags);

}  // namespace graphnet::cli
