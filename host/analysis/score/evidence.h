// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "record/record.h"

namespace graphnet::score {

/// Whether the quartiles of one side are farther apart than upstream allows (a fifth of the
/// median); it fails such a sample, we only doubt the speedup.
///
/// source   GraphNet bench, GRAPH_NET_FLUCTUATION_DETECT_THRESHOLD's default
bool is_spread_too_wide(const std::optional<double>& iqr, const std::optional<double>& median);

/// That of either side. Method `upstream` only: the other has an interval.
bool is_noisy(const record::Record& record);

/// What makes a record's speedup doubtful: a flag, "noisy", or "unstable" (the interval is too
/// wide to say anything); empty: nothing.
std::string doubt_about_speedup(const record::Record& record);

/// Why the speedup of a sample whose outcome is ok enters no average: "degenerate", or what
/// doubt_about_speedup() says; empty: it does.
std::string reason_to_leave_out(const record::Record& record);

}  // namespace graphnet::score
