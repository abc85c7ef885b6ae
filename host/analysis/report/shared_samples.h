// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>

#include "report/result_row.h"

namespace graphnet::report {

/// Samples whose speedup counts in the mean of every backend, backends without any such sample
/// aside (headline.h). Means over them compare like with like. None with fewer than two backends,
/// or under several conditions.
std::set<std::string> common_samples(const Report& report);

/// The report with the rows of these samples alone. Without scores: those are of all samples.
Report only_samples(const Report& report, const std::set<std::string>& samples);

}  // namespace graphnet::report
