// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace graphnet::measure {

/// Returns as soon as all other threads of this process sleep, polling every few dozen
/// microseconds. Faster polling would use the core that those threads need.
///
/// units    nanoseconds
/// errors   false if some still ran when the time was over
bool wait_until_idle(std::int64_t at_most_ns);

/// Returns once no more threads than this one run on the whole machine, in three polls in a row, 10
/// ms apart, or when the time is over.
///
/// units    nanoseconds
void wait_until_quiet(std::int64_t at_most_ns);

}  // namespace graphnet::measure
