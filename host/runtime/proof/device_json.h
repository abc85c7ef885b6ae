// SPDX-License-Identifier: MIT
#pragma once

#include "base/json.h"
#include "proof/cupti_library.h"
#include "proof/device_ledger.h"

namespace graphnet::proof {

/// The member `device` of Record::proof:
///
/// | key                            | holds                                                      |
/// |--------------------------------|------------------------------------------------------------|
/// | `cupti`                        | {"state", "reason", "version", "file"}                     |
/// | `kernels`                      | [{"name", "kind", "owner", "by", "module", "count",        |
/// |                                | "time_ns", "in"}], the first 50 rows, and 50 more of those |
/// |                                | with `outside`: how many of `count` lie outside of their   |
/// |                                | span (work_span.h), absent if none do                      |
/// | `num_rows`                     | of all                                                     |
/// | `plugin`, `eager`, `host`, `unattributed` | numbers of kernels, copies and sets             |
/// | `calls`                        | traced calls of the plugin                                 |
/// | `sum_ns`, `busy_ns`, `span_ns` | of one of them                                             |
/// | `eager_calls`                  | the same four of eager's calls; absent if none was traced  |
/// | `replays`                      | the same four of replays of a captured call, and           |
/// |                                | `as_called`: they do what the plugin's calls do; absent if |
/// |                                | there were none                                            |
/// | `launches`                     | {call: times}                                              |
/// | `outside_span`                 | {"early", "late", "most_early_ns", "most_late_ns",         |
/// |                                | "clock_error_ns"}: work outside of the span in which it    |
/// |                                | can have been done (work_span.h); absent if there is none  |
/// | `refusals`                     | of CUPTI that cost no records; absent if there were none   |
/// | `problem`                      | absent if there is none                                    |
base::Json device_json(const CuptiStatus& status, const CuptiLibrary* library,
                       const DeviceLedger& ledger);

}  // namespace graphnet::proof
