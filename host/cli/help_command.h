// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// What the user asked of `help`, `completion` and `__complete`, filled by the parser.
struct HelpFlags {
  std::vector<std::string> topic;
  std::optional<std::string> format;
  std::vector<std::string> shell;
  std::vector<std::string> names;
};

/// Adds `help`, `completion` and the hidden `__complete`, which describe all commands, themselves
/// included. The three references must outlive the commands.
void add_help_commands(std::vector<Command>& commands, const std::vector<Flag>& global_flags,
                       HelpFlags& flags);

}  // namespace graphnet::cli
