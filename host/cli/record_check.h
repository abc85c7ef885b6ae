// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "record/record.h"

namespace graphnet::cli {

/// What in a record contradicts the rest of it, as sentences: its task key is computed again from
/// what was run, and its speedup, interval and medians from the durations of its calls.
///
/// host     of the run's header, for records of workers that died before they said what they ran on
std::vector<std::string> contradictions(const record::Record& record, const base::Json& host);

}  // namespace graphnet::cli
