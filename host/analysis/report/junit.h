// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/comparison.h"
#include "report/result_row.h"

namespace graphnet::report {

// Documents for the test views of CI systems.
//
// source   the JUnit XML that Jenkins, GitLab and GitHub's reporters read; it has no standard

/// A suite for each backend, a case for each sample. What --fail-on error names is a failure with
/// outcome and message; `unsupported`, `skipped` and what else makes no exit code 1 there is
/// skipped, with the same text.
///
/// order    as the backends, cases by sample
std::string junit_xml(const Report& report);

/// A suite for each comparison, a case for each sample and one for the mean. What the rule names is
/// a failure; what says nothing (not ok on either side, doubtful, missing) is skipped unless the
/// rule names it.
std::string junit_xml(const std::vector<Comparison>& comparisons);

}  // namespace graphnet::report
