// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "score/score_set.h"

namespace graphnet::score {

/// Sorts rows into columns, one for each backend, with `rows`, `left_out`, `superseded` and a
/// label; nothing is computed.
///
/// A facet that a row does not know (a worker that died early did not say its processor) matches
/// any value, if one column alone matches. Of several rows of a sample the last that can be counted
/// counts, without any the last; with Settings::compat all of them.
///
/// order    columns by label, rows by sample
std::vector<Column> sort_into_columns(std::vector<Row> rows, const Settings& settings);

}  // namespace graphnet::score
