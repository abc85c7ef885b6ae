// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>

#include "report/result_row.h"

namespace graphnet::report {

/// All rows as compact JSON for page/script.js: one array a column, four significant digits, texts
/// as numbers of the array "words". A row of "shares" is [word, percent, word, percent ...]. Safe
/// inside a script element: no '<'.
///
/// "common" is 1 for rows of the samples in `common`.
std::string page_rows(const Report& report, const std::set<std::string>& common);

}  // namespace graphnet::report
