// SPDX-License-Identifier: MIT
#include "measure/roofline.h"

#include <algorithm>
#include <cstddef>

#include "measure/clock.h"

namespace graphnet::measure {

namespace {

constexpr int kRounds = 8;
constexpr int kRepeats = 4000;
constexpr int kChains = 12;  // more than latency times ports of any current core
constexpr int kReadRounds = 250;
constexpr std::size_t kCachedBytes = 16384;

// The compiler's own vectors, as wide as the widest registers there are: it splits them on machines
// with narrower ones. The two attributes make one copy of a loop per generation of processors, and
// the loader takes the best.
using Vector = float __attribute__((vector_size(64)));
constexpr int kLanes = 16;
#ifdef __clang__  // takes one of the two; it only checks this file
#define GN_EVERY_PROCESSOR __attribute__((noinline))
#else
#define GN_EVERY_PROCESSOR \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), noinline))
#endif

// Each loop returns something that depends on all of it, so that nothing is left out.
GN_EVERY_PROCESSOR float multiply_add(float seed) {
  Vector sums[kChains];
#pragma GCC unroll 16
  for (int chain = 0; chain < kChains; ++chain)
    sums[chain] = Vector{} + (seed + static_cast<float>(chain));
  const Vector factor = Vector{} + 0.999F;
  for (int i = 0; i < kRepeats; ++i) {
#pragma GCC unroll 16
    for (int chain = 0; chain < kChains; ++chain) sums[chain] = sums[chain] * factor + factor;
  }
  Vector all = {};
#pragma GCC unroll 16
  for (int chain = 0; chain < kChains; ++chain) all += sums[chain];
  return all[0];
}

GN_EVERY_PROCESSOR float read_cached(const Vector* data) {
  Vector a = {};
  Vector b = {};
  Vector c = {};
  Vector d = {};
  for (int i = 0; i < kReadRounds; ++i) {
    for (std::size_t at = 0; at < kCachedBytes / sizeof(Vector); at += 4) {
      a += data[at];
      b += data[at + 1];
      c += data[at + 2];
      d += data[at + 3];
    }
  }
  return (a + b + c + d)[0];
}

template <typename Loop>
double best_rate(double work, const Loop& loop) {
  volatile float sink = 0;
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t start = monotonic_raw_ns();
    sink = loop(1.0F + static_cast<float>(round));
    const auto took_ns = static_cast<double>(monotonic_raw_ns() - start);
    if (took_ns > 0) best = std::max(best, work * 1e9 / took_ns);
  }
  static_cast<void>(sink);
  return best;
}

}  // namespace

Peaks measure_peaks() {
  static const Vector data[kCachedBytes / sizeof(Vector)] = {};
  const double flop = 2.0 * kLanes * kChains * kRepeats;
  const double bytes = static_cast<double>(kCachedBytes) * kReadRounds;
  return {best_rate(flop, [](float seed) { return multiply_add(seed); }),
          best_rate(bytes, [](float) { return read_cached(data); })};
}

double least_time_ns(const Work& work, const Peaks& peaks, int threads) {
  constexpr double kFewerMultiplications = 4;
  constexpr double kHalfSpeedup = 16;
  constexpr double kRisingClock = 1.5;
  if (peaks.flop_per_s <= 0 || peaks.bytes_per_s <= 0 || threads < 1) return 0;
  const double speedup = work.has_half ? kHalfSpeedup : 1;
  const double flop_s = work.flop / (kFewerMultiplications * speedup * peaks.flop_per_s);
  const double bytes_s = work.bytes / peaks.bytes_per_s;
  return 1e9 * std::max(flop_s, bytes_s) / (kRisingClock * threads);
}

}  // namespace graphnet::measure
