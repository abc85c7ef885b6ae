// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

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

}  // namespace graphnet::measure
