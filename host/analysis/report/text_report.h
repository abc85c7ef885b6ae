// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "report/result_row.h"

namespace graphnet::report {

/// A report short enough for a comment on a change: one table of backends, one of scores, what was
/// flagged. Markdown as GitHub reads it.
std::string markdown_report(const Report& report);

/// One line a row with a header, RFC 4180, times in nanoseconds with all their digits; what is not
/// known is an empty cell.
std::string csv_report(const Report& report);

}  // namespace graphnet::report
