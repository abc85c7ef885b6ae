// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "config/installation.h"

namespace graphnet::cli {

/// "0.1.0"
std::string version_number();

/// "graphnet 0.1.0", and with `verbose` what was chosen when it was built and where it looks.
std::string version_text(const config::Installation& installation, bool verbose);

}  // namespace graphnet::cli
