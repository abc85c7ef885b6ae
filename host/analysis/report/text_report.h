// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "report/result_row.h"

namespace graphnet::report {

/// A report for a README or a comment on a change: command and machine; for each set of conditions
/// the sentence that compares the backends, a table of backends and one of families; scores, and
/// what was flagged. Markdown as GitHub reads it.
std::string markdown_report(const Report& report);

/// One line a row with a header, RFC 4180, times in nanoseconds with all their digits; what is not
/// known is an empty cell.
std::string csv_report(const Report& report);

/// A JUnit document (junit.h): a suite for each backend, a case for each sample. What --fail-on
/// error names is a failure with outcome and message; what else is not ok (`unsupported`,
/// `skipped`) is skipped, with the same text.
///
/// order    suites as the backends, cases by sample
std::string junit_report(const Report& report);

}  // namespace graphnet::report
