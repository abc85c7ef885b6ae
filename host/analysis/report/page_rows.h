// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "report/result_row.h"

namespace graphnet::report {

/// All rows as compact JSON for page/script.js: one array a column, four significant digits, texts
/// as numbers of the array "words". A row of "shares" is [word, percent, word, percent ...]. Safe
/// inside a script element: no '<'.
std::string page_rows(const Report& report);

}  // namespace graphnet::report
