// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/result_row.h"
#include "report/summary.h"

namespace graphnet::report {

// Tables of a page, as HTML. Whatever comes from outside is escaped.

/// One row a backend: outcomes, speedups, timing words.
std::string summary_table(const std::vector<BackendSummary>& summaries);

/// One row a backend: sums of times, and what compiling took.
std::string time_table(const std::vector<BackendSummary>& summaries);

/// families() of each headline, a row a family and backend, as `report --markdown` has them; above
/// each of several tables its conditions.
std::string family_tables(const Report& report);

/// thread_scaling(), a row a backend and number of threads; empty without any.
std::string thread_table(const Report& report);

/// One column a backend, one row a word with its counts, "-" for none; empty without words.
std::string count_table(const std::vector<BackendSummary>& summaries, const std::string& corner,
                        std::map<std::string, int> BackendSummary::*counts);

/// The rows with flags, up to 50.
std::string flag_table(const Report& report);

/// What the brackets of verdicts say, the most frequent first, up to 40.
std::string verdict_reasons(const Report& report);

}  // namespace graphnet::report
