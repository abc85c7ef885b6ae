// SPDX-License-Identifier: MIT
#pragma once

#include <time.h>

#include <cstdint>

namespace graphnet::measure {

/// Reads the clock of every duration in a record: it never jumps and is not slewed by NTP.
///
/// units    nanoseconds since an arbitrary start; only differences mean something
/// source   clock_gettime(2), CLOCK_MONOTONIC_RAW; through the vDSO, 20 to 40 ns a reading
inline std::int64_t monotonic_raw_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace graphnet::measure
