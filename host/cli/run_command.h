// SPDX-License-Identifier: MIT
#pragma once

#include "cli/command.h"
#include "cli/run_options.h"

namespace graphnet::cli {

/// `graphnet run`. `flags` must outlive the command.
Command run_command(RunFlags& flags);

}  // namespace graphnet::cli
