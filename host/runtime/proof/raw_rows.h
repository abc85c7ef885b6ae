// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "base/json.h"
#include "proof/device_ledger.h"

namespace graphnet::proof {

inline constexpr std::size_t kMostRawRows = 200;

/// CUPTI's records, row by row, for the diagnosis of a failure:
///
/// | key                         | holds                                                         |
/// |-----------------------------|---------------------------------------------------------------|
/// | `columns`                   | {"work", "calls", "traced_calls"}: names of what rows hold    |
/// | `kernels`, `copies`, `sets` | rows of `work`                                                |
/// | `calls`                     | of the driver and the runtime                                 |
/// | `traced_calls`              | calls that the host put ids and times around                  |
/// | `left_out`                  | {key: rows}, where there are more than kMostRawRows of a kind |
///
/// `id` is the index of the traced call whose id the work carries, null if it carries none.
///
/// units    nanoseconds after the first traced call began
/// order    work that carries no id first, then by start
base::Json raw_rows_json(const DeviceTrace& trace, const CallName& call_name);

}  // namespace graphnet::proof
