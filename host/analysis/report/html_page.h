// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "report/result_row.h"

namespace graphnet::report {

/// The whole report as one HTML file: charts, tables and all rows, with their style and script
/// inside. A content security policy forbids every request. Without scripts all but the table of
/// samples can be read; printed, it is light and shows every pair of backends.
std::string html_page(const Report& report);

}  // namespace graphnet::report
