// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "validate/check_sample.h"

namespace graphnet::validate {

/// Adds a finding to every sample whose program one before it has, or one of `others`, by
/// program_hash(). A sample that is in both is compared with the rest.
///
/// errors   those of `others` that cannot be read are left out
void find_redundant(std::vector<CheckedSample>& samples,
                    const std::vector<std::filesystem::path>& others);

}  // namespace graphnet::validate
