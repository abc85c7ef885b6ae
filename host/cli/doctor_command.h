// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"

namespace graphnet::cli {

/// Flags of `graphnet doctor` as text.
struct DoctorFlags {
  std::optional<std::string> device;  ///< "" for the first one
};

/// `graphnet doctor`: what this machine and installation offer, what is missing and why. `flags`
/// must outlive the command.
Command doctor_command(DoctorFlags& flags);

}  // namespace graphnet::cli
