// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace graphnet::cluster {

/// Words of the command that submits a script; `after` is the job whose end it waits for, or empty.
std::vector<std::string> sbatch_words(const std::filesystem::path& script,
                                      const std::string& after);

/// Submits a script with sbatch, found on PATH. Returns the job's number.
///
/// errors   kEnvironment: there is no sbatch, or it refuses (with its own words)
base::Result<std::string> submit_script(const std::filesystem::path& script,
                                        const std::string& after);

}  // namespace graphnet::cluster
