// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/json.h"
#include "proof/findings.h"
#include "proof/thread_sampler.h"

namespace graphnet::proof {

/// The members that the execute-deny tracer gives to Record::proof.
///
/// | key       | holds                                                                       |
/// |-----------|-----------------------------------------------------------------------------|
/// | `hits`, `hit_threads` | traps in all traced calls, and of how many threads              |
/// | `modules` | [{"module", "class", "epoch", "text_bytes", "windows", "symbols"}] of those |
/// |           | that were entered; `windows` are the different 64 KiB pieces, `symbols` the |
/// |           | first five                                                                  |
/// | `denied`  | [{"symbol", "module", "caller", "thread", "entry"}], at most ten         |
/// | `allowed` | the functions of libtorch's files that were entered but are no operators    |
void write_trace(const Trace& trace, base::Json& ledger);

/// `samples`: {"count", "waiting", "shares": [{"module", "class", "epoch", "share"}]}; shares are
/// of those that were not waiting.
base::Json samples_json(const std::vector<Sample>& samples, const std::vector<Region>& regions);

}  // namespace graphnet::proof
