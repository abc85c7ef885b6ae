// SPDX-License-Identifier: MIT
#include "measure/roofline.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <thread>

#include "base/threads.h"
#include "graphnet/for_processor.h"
#include "measure/clock.h"

namespace graphnet::measure {

namespace {

constexpr int kRounds = 8;
constexpr int kRepeats = 4000;
constexpr int kChains = 12;  // more than latency times ports of any current core, and in registers
constexpr int kReadRounds = 250;
constexpr std::size_t kCachedBytes = 16384;
constexpr std::size_t kReadStep = 256;  // four of the widest vectors
constexpr double kReadPassNs = 5e6;     // a pass is repeated for as long: threads must overlap
constexpr double kReadBudgetNs = 50e6;
constexpr int kFewestPasses = 2;

// Each loop returns something that depends on all of it, so that nothing is left out.
template <typename Vector>
GN_PART float multiply_add(float seed) {
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

// Bits are joined by exclusive or: adding them up as numbers takes longer where they are subnormal.
using Words2 = std::uint64_t __attribute__((vector_size(16)));
using Words4 = std::uint64_t __attribute__((vector_size(32)));
using Words8 = std::uint64_t __attribute__((vector_size(64)));

// `bytes` is a multiple of kReadStep.
template <typename Vector>
GN_PART float read(const char* data, std::size_t bytes, int rounds) {
  constexpr std::size_t kAtOnce = 4;
  Vector joined[kAtOnce] = {};
  for (int i = 0; i < rounds; ++i) {
    for (std::size_t at = 0; at < bytes; at += kAtOnce * sizeof(Vector)) {
#pragma GCC unroll 4
      for (std::size_t k = 0; k < kAtOnce; ++k) {
        Vector words;
        std::memcpy(&words, data + at + k * sizeof words, sizeof words);
        joined[k] ^= words;
      }
    }
  }
  return static_cast<float>((joined[0] ^ joined[1] ^ joined[2] ^ joined[3])[0] & 1);
}

/// The loops for one generation of processors, in vectors as wide as its registers: wider ones
/// would not all stay in them, and the loop would measure how fast the stack is.
struct Loops {
  int num_lanes;
  float (*multiply_add)(float seed);
  float (*read)(const char* data, std::size_t bytes, int rounds);
};

GN_FOR_PROCESSOR("arch=x86-64-v4") float multiply_add_v4(float seed) {
  return multiply_add<Floats16>(seed);
}
GN_FOR_PROCESSOR("arch=x86-64-v4") float read_v4(const char* data, std::size_t bytes, int rounds) {
  return read<Words8>(data, bytes, rounds);
}
GN_FOR_PROCESSOR("arch=x86-64-v3") float multiply_add_v3(float seed) {
  return multiply_add<Floats8>(seed);
}
GN_FOR_PROCESSOR("arch=x86-64-v3") float read_v3(const char* data, std::size_t bytes, int rounds) {
  return read<Words4>(data, bytes, rounds);
}
float multiply_add_v1(float seed) {
  return multiply_add<Floats4>(seed);
}
float read_v1(const char* data, std::size_t bytes, int rounds) {
  return read<Words2>(data, bytes, rounds);
}

constexpr Loops kLoopsV4 = {16, multiply_add_v4, read_v4};
constexpr Loops kLoopsV3 = {8, multiply_add_v3, read_v3};
constexpr Loops kLoopsV1 = {4, multiply_add_v1, read_v1};

const Loops& loops_of_this_processor() {
  if (__builtin_cpu_supports("x86-64-v4") != 0) return kLoopsV4;
  return __builtin_cpu_supports("x86-64-v3") != 0 ? kLoopsV3 : kLoopsV1;
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

/// The part of the ranges that one of several threads reads: as many bytes as every other.
std::vector<MemoryRange> part_of(const std::vector<MemoryRange>& ranges, std::size_t begin,
                                 std::size_t end) {
  std::vector<MemoryRange> part;
  std::size_t at = 0;
  for (const MemoryRange& range : ranges) {
    const std::size_t from = std::clamp(begin, at, at + range.bytes) - at;
    const std::size_t to = std::clamp(end, at, at + range.bytes) - at;
    const std::size_t whole = (to - from) / kReadStep * kReadStep;
    if (whole > 0) part.push_back({static_cast<const char*>(range.data) + from, whole});
    at += range.bytes;
  }
  return part;
}

/// Reads a part for as long as kReadPassNs, at least once; bytes a second.
double read_pass(const Loops& loops, const std::vector<MemoryRange>& part) {
  volatile float sink = 0;
  double bytes = 0;
  double took_ns = 0;
  const std::int64_t start = monotonic_raw_ns();
  do {
    for (const MemoryRange& range : part) {
      sink = loops.read(static_cast<const char*>(range.data), range.bytes, 1);
      bytes += static_cast<double>(range.bytes);
    }
    took_ns = static_cast<double>(monotonic_raw_ns() - start);
  } while (took_ns < kReadPassNs);
  static_cast<void>(sink);
  return bytes * 1e9 / took_ns;
}

/// The same of several parts at a time, each by a thread of its own; the sum. 0 if the system has
/// no threads for it.
double read_passes(const Loops& loops, const std::vector<std::vector<MemoryRange>>& parts) {
  std::vector<double> rates(parts.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    auto thread = base::start_thread([&, i] { rates[i] = read_pass(loops, parts[i]); });
    if (!thread) break;
    threads.push_back(*std::move(thread));
  }
  rates[0] = read_pass(loops, parts[0]);
  for (std::thread& thread : threads) thread.join();
  const bool is_whole = threads.size() + 1 == parts.size();
  return is_whole ? std::accumulate(rates.begin(), rates.end(), 0.0) : 0;
}

}  // namespace

Peaks measure_peaks() {
  alignas(64) static const char data[kCachedBytes] = {};
  const Loops& loops = loops_of_this_processor();
  const double flop = 2.0 * loops.num_lanes * kChains * kRepeats;
  const double bytes = static_cast<double>(kCachedBytes) * kReadRounds;
  return {best_rate(flop, loops.multiply_add),
          best_rate(bytes, [&](float) { return loops.read(data, kCachedBytes, kReadRounds); })};
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

double measure_read_rate(const std::vector<MemoryRange>& ranges, int threads) {
  std::size_t total = 0;
  for (const MemoryRange& range : ranges) total += range.bytes;
  if (total < kCachedBytes || threads < 1) return 0;
  const auto count = static_cast<std::size_t>(threads);
  std::vector<std::vector<MemoryRange>> parts;
  for (std::size_t i = 0; i < count; ++i) {
    parts.push_back(part_of(ranges, total * i / count, total * (i + 1) / count));
    if (parts.back().empty()) return 0;
  }
  const Loops& loops = loops_of_this_processor();
  const std::int64_t start = monotonic_raw_ns();
  double best = 0;
  for (int pass = 0;
       pass < kFewestPasses || static_cast<double>(monotonic_raw_ns() - start) < kReadBudgetNs;
       ++pass) {
    best = std::max(best, read_passes(loops, parts));
  }
  return best;
}

Limit limit_of(const Work& work, double flop_per_s, double bytes_per_s) {
  if (flop_per_s <= 0 || bytes_per_s <= 0) return {};
  const double flop_s = work.flop / flop_per_s;
  const double bytes_s = work.bytes / bytes_per_s;
  return {1e9 * std::max(flop_s, bytes_s), bytes_s > flop_s};
}

}  // namespace graphnet::measure
