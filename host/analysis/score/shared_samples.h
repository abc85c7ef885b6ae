// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <vector>

namespace graphnet::score {

/// The names that are in each of the sets; none without sets. What samples a backend must have done
/// for means to be compared on them is the caller's: scores ask that they count, reports ask for
/// evidence (evidence.h).
std::set<std::string> common_samples(const std::vector<std::set<std::string>>& samples);

}  // namespace graphnet::score
