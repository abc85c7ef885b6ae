// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// What the program is, in one line.
inline constexpr const char* kProgramSummary =
    "run computation graphs through tensor compilers and score them";

/// The first screen: what the program is, its commands and topics.
std::string program_help(const Interface& interface);

/// Help of one command: usage, arguments, its flags, the global ones, examples.
std::string command_help(const Command& command, const std::vector<Flag>& global_flags);

}  // namespace graphnet::cli
