// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// The contents of help_text.h and topics as manual pages: graphnet(1), graphnet-run(1),
/// graphnet-words(7).
///
/// source   groff_man(7)
std::string program_man(const Interface& interface);
std::string command_man(const Command& command, const std::vector<Flag>& global_flags);
std::string topic_man(const Topic& topic);

/// And as Markdown, one section a command. A topic is Markdown already.
std::string program_markdown(const Interface& interface);
std::string command_markdown(const Command& command, const std::vector<Flag>& global_flags);
std::string topic_markdown(const Topic& topic);

}  // namespace graphnet::cli
