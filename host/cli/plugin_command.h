// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// `graphnet plugin list | info NAME`. `arguments` receives the action and its argument and must
/// outlive the command.
Command plugin_command(std::vector<std::string>& arguments);

}  // namespace graphnet::cli
