// SPDX-License-Identifier: MIT
#pragma once

#include "base/json.h"
#include "verify/compare.h"

namespace graphnet::verify {

/// One entry per output in each list; "all_close" is a string of 64 digits in the order of
/// upstream's log lines; "statistics" holds what else the pass found, under the names of
/// statistics.h; "largest_error" is ElementErrors::largest, "evidence" evidence_name(). NaN
/// and infinity are written as Python prints them; null: not computed.
base::Json correctness_json(const Comparison& comparison);

}  // namespace graphnet::verify
