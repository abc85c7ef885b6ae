// SPDX-License-Identifier: MIT
#pragma once

#include "cli/command.h"

namespace graphnet::cli {

/// `graphnet doctor`: what this machine and installation offer, what is missing and why.
Command doctor_command();

}  // namespace graphnet::cli
