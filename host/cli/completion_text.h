// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// Scripts that complete commands, flags, choices, files and folders; names of plugins and configs
/// are asked of `graphnet __complete` when they are needed. Hidden commands are left out.
std::string bash_completion(const std::vector<Command>& commands,
                            const std::vector<Flag>& global_flags);
std::string zsh_completion(const std::vector<Command>& commands,
                           const std::vector<Flag>& global_flags);
std::string fish_completion(const std::vector<Command>& commands,
                            const std::vector<Flag>& global_flags);

}  // namespace graphnet::cli
