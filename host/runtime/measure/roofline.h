// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace graphnet::measure {

/// What one core of this machine can do at most, measured just now.
///
/// units    float32 operations a second (a fused multiply-add counts two); bytes a second read from
///          the first-level cache
struct Peaks {
  double flop_per_s = 0;
  double bytes_per_s = 0;
};

/// Runs two loops with the widest vectors that this processor has, about a millisecond each, and
/// keeps the best of several rounds: a disturbed round only looks slower.
Peaks measure_peaks();

/// What a call has to do at least.
///
/// units    operations, and bytes that must be read or written, of live values only
struct Work {
  double flop = 0;
  double bytes = 0;
  bool has_half = false;  ///< matrix units are up to 16 times faster on 16-bit numbers
};

/// Lower bound of the time in which the work can be done. A shorter time means that the work was
/// not done.
///
/// Generous on purpose: all threads at the peak of one, four times fewer multiplications than a
/// direct convolution needs (Winograd and FFT forms), and half again for clocks that rise later.
///
/// units    nanoseconds
double least_time_ns(const Work& work, const Peaks& peaks, int threads);

/// Memory that is only read.
struct MemoryRange {
  const void* data = nullptr;
  std::size_t bytes = 0;
};

/// Rate at which threads read these ranges, each its part, again and again: that of the cache that
/// holds them, or of memory. Takes some 50 ms; longer only where two passes do.
///
/// units    bytes a second, of all threads together
/// errors   0 if the ranges are too short to be timed (16 KiB)
double measure_read_rate(const std::vector<MemoryRange>& ranges, int threads);

/// The time that a call takes if nothing but the machine limits it, as a roofline model sees it.
struct Limit {
  double time_ns = 0;
  bool is_memory = false;  ///< moving bytes takes longer than the arithmetic
};

/// units    flop_per_s, bytes_per_s: of all threads together
/// errors   a time of 0 if a rate is not positive or there is no work
Limit limit_of(const Work& work, double flop_per_s, double bytes_per_s);

}  // namespace graphnet::measure
