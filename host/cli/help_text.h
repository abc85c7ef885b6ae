// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// What the program is, in one line.
inline constexpr const char* kProgramSummary =
    "run computation graphs through tensor compilers and score them";

/// The first screen: what the program is and its commands.
std::string program_help(const std::vector<Command>& commands);

/// Help of one command: usage, arguments, its flags, the global ones, examples.
std::string command_help(const Command& command, const std::vector<Flag>& global_flags);

}  // namespace graphnet::cli
