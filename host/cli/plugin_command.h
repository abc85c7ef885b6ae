// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// `graphnet plugin list`. `arguments` receives the action and must outlive the command.
Command plugin_command(std::vector<std::string>& arguments);

}  // namespace graphnet::cli
