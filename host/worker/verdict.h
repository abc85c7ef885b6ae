// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace graphnet::worker {

/// What is known of who did the work, as far as the host's own service tells: every run through
/// the eager service makes `eager`, some make `mixed`. Work that does not pass through the host is
/// not traced yet, so nothing is ever called proven here.
std::string verdict_from_service(std::uint64_t plugin_runs, std::uint64_t eager_runs);

}  // namespace graphnet::worker
