// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// The contents of help_text.h as manual pages: graphnet(1), graphnet-run(1).
///
/// source   groff_man(7)
std::string program_man(const std::vector<Command>& commands,
                        const std::vector<Flag>& global_flags);
std::string command_man(const Command& command, const std::vector<Flag>& global_flags);

/// And as Markdown, one section a command.
std::string program_markdown(const std::vector<Command>& commands,
                             const std::vector<Flag>& global_flags);
std::string command_markdown(const Command& command, const std::vector<Flag>& global_flags);

}  // namespace graphnet::cli
