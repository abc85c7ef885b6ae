// SPDX-License-Identifier: MIT
#include "sample/mt19937.h"

#include <algorithm>
#include <cmath>

#include "sample/logarithms.h"
#include "sample/vector_clones.h"

namespace graphnet::sample {

namespace {

constexpr std::size_t kShift = 397;
constexpr std::size_t kStateWords = Mt19937::kStateWords;
constexpr std::size_t kWordsPerAttempt = 4;
constexpr std::size_t kMaxAttempts = kStateWords / kWordsPerAttempt + 1;

inline std::uint32_t twist(std::uint32_t high, std::uint32_t low) {
  const std::uint32_t mixed = (high & 0x80000000u) | (low & 0x7fffffffu);
  return (mixed >> 1) ^ ((0u - (low & 1u)) & 0x9908b0dfu);
}

GN_VECTOR_CLONES void advance_state(std::uint32_t* state) {
  constexpr std::size_t kWrap = kStateWords - kShift;
  for (std::size_t i = 0; i < kWrap; ++i) {
    state[i] = state[i + kShift] ^ twist(state[i], state[i + 1]);
  }
  for (std::size_t i = kWrap; i < kStateWords - 1; ++i) {
    state[i] = state[i - kWrap] ^ twist(state[i], state[i + 1]);
  }
  state[kStateWords - 1] = state[kShift - 1] ^ twist(state[kStateWords - 1], state[0]);
}

GN_VECTOR_CLONES void temper(const std::uint32_t* __restrict state, std::uint32_t* __restrict out) {
  for (std::size_t i = 0; i < kStateWords; ++i) {
    std::uint32_t word = state[i];
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680u;
    word ^= (word << 15) & 0xefc60000u;
    out[i] = word ^ (word >> 18);
  }
}

/// Points of the square [-1, 1)^2 and their squared radius, one from each four words.
struct Attempts {
  alignas(64) std::array<double, kMaxAttempts> x1;
  alignas(64) std::array<double, kMaxAttempts> x2;
  alignas(64) std::array<double, kMaxAttempts> r2;
};

// Both steps to the signed coordinate are exact: 27 and 26 bits fill a double's 53.
inline double coordinate(std::uint32_t high, std::uint32_t low) {
  const auto a = static_cast<double>(static_cast<std::int32_t>(high >> 5));
  const auto b = static_cast<double>(static_cast<std::int32_t>(low >> 6));
  return 2.0 * ((a * 67108864.0 + b) * 0x1p-53) - 1.0;
}

GN_VECTOR_CLONES void make_attempts(const std::uint32_t* __restrict words, std::size_t count,
                                    Attempts* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const double x1 = coordinate(words[4 * i], words[4 * i + 1]);
    const double x2 = coordinate(words[4 * i + 2], words[4 * i + 3]);
    out->x1[i] = x1;
    out->x2[i] = x2;
    out->r2[i] = x1 * x1 + x2 * x2;
  }
}

/// Where copying attempts has come to.
struct Progress {
  std::size_t used = 0;
  std::size_t kept = 0;
};

#if defined(__x86_64__)
/// As keep_accepted(), eight attempts at a time while the points have room for all of them.
GN_EIGHTS Progress keep_by_eights(const Attempts& attempts, std::size_t count, std::size_t wanted,
                                  std::size_t first, PolarPoints* points) {
  Progress progress;
  for (; progress.used + 8 <= count && progress.kept + 8 <= wanted; progress.used += 8) {
    const std::size_t from = progress.used;
    const std::size_t to = first + progress.kept;
    const __m512d r2 = _mm512_load_pd(&attempts.r2[from]);
    const __mmask8 accepted = _mm512_cmp_pd_mask(r2, _mm512_set1_pd(1.0), _CMP_LT_OQ) &
                              _mm512_cmp_pd_mask(r2, _mm512_setzero_pd(), _CMP_NEQ_OQ);
    // To a register first: on some machines to memory is slow.
    const __m512d x1 = _mm512_maskz_compress_pd(accepted, _mm512_load_pd(&attempts.x1[from]));
    const __m512d x2 = _mm512_maskz_compress_pd(accepted, _mm512_load_pd(&attempts.x2[from]));
    _mm512_storeu_pd(&points->x1[to], x1);
    _mm512_storeu_pd(&points->x2[to], x2);
    _mm512_storeu_pd(&points->r2[to], _mm512_maskz_compress_pd(accepted, r2));
    progress.kept += static_cast<std::size_t>(__builtin_popcount(accepted));
  }
  return progress;
}
#endif

/// Copies the attempts inside the unit circle behind the first points, until `wanted` points are
/// complete.
Progress keep_accepted(const Attempts& attempts, std::size_t count, std::size_t wanted,
                       std::size_t first, PolarPoints* points) {
  Progress progress;
#if defined(__x86_64__)
  if (has_eights()) progress = keep_by_eights(attempts, count, wanted, first, points);
#endif
  double* x1 = points->x1.data() + first;
  double* x2 = points->x2.data() + first;
  double* r2 = points->r2.data() + first;
  std::size_t kept = progress.kept;
  std::size_t i = progress.used;
  for (; i < count && kept < wanted; ++i) {
    const double radius = attempts.r2[i];
    x1[kept] = attempts.x1[i];
    x2[kept] = attempts.x2[i];
    r2[kept] = radius;
    // Arithmetic instead of a branch: a fifth is rejected, at random.
    kept += static_cast<std::size_t>((radius < 1.0) & (radius != 0.0));
  }
  return {i, kept};
}

GN_VECTOR_CLONES void make_pairs(const PolarPoints& points, const double* __restrict logarithms,
                                 std::size_t count, double* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const double factor = std::sqrt(-2.0 * logarithms[i] / points.r2[i]);
    out[2 * i] = factor * points.x2[i];
    out[2 * i + 1] = factor * points.x1[i];
  }
}

}  // namespace

Mt19937::Mt19937(std::uint32_t seed) {
  for (std::uint32_t i = 0; i < kStateWords; ++i) {
    state_[i] = seed;
    seed = 1812433253u * (seed ^ (seed >> 30)) + i + 1;
  }
}

void Mt19937::refill() {
  const std::size_t carried = num_ready();
  std::copy_n(words_.data() + begin_, carried, words_.data());
  advance_state(state_.data());
  temper(state_.data(), words_.data() + carried);
  begin_ = 0;
  end_ = carried + kStateWords;
}

double LegacyGenerator::uniform() {
  const std::uint32_t a = words_.next_word() >> 5;
  const std::uint32_t b = words_.next_word() >> 6;
  return (static_cast<double>(a) * 67108864.0 + static_cast<double>(b)) / 9007199254740992.0;
}

std::uint64_t LegacyGenerator::bounded(std::uint64_t range) {
  if (range == 0) return 0;
  const std::uint64_t mask = ~std::uint64_t{0} >> __builtin_clzll(range);
  const bool is_wide = range > 0xffffffffu;
  while (true) {
    std::uint64_t word = words_.next_word();
    if (is_wide) word = (word << 32) | words_.next_word();
    if ((word & mask) <= range) return word & mask;
  }
}

void gaussians_of(const PolarPoints& points, std::size_t count, double* out) {
  static const Logarithms kLogarithms([](double number) { return std::log(number); });
  std::array<double, PolarPoints::kMaxCount> logarithms;
  kLogarithms.compute(points.r2.data(), count, logarithms.data());
  make_pairs(points, logarithms.data(), count, out);
}

// Adds up to `wanted` points from the words that are ready, from `first` on; returns how many.
std::size_t LegacyGenerator::draw_points(std::size_t wanted, std::size_t first,
                                         PolarPoints* points) {
  if (words_.num_ready() < kWordsPerAttempt) words_.refill();
  Attempts attempts;
  // 4 of 5 attempts are kept (pi / 4); the surplus of an estimate would be computed again.
  const std::size_t count =
      std::min(words_.num_ready() / kWordsPerAttempt, wanted + wanted / 4 + 4);
  make_attempts(words_.ready(), count, &attempts);
  const Progress progress = keep_accepted(attempts, count, wanted, first, points);
  words_.consume(progress.used * kWordsPerAttempt);
  return progress.kept;
}

void LegacyGenerator::polar_points(std::size_t count, PolarPoints* points) {
  for (std::size_t done = 0; done < count;) done += draw_points(count - done, done, points);
}

void LegacyGenerator::gaussians(double* out, std::size_t count) {
  if (count == 0) return;
  if (has_cached_) {
    *out++ = cached_;
    has_cached_ = false;
    --count;
  }
  PolarPoints points;
  while (count > 1) {
    const std::size_t pairs = std::min(count / 2, PolarPoints::kMaxCount);
    polar_points(pairs, &points);
    gaussians_of(points, pairs, out);
    out += 2 * pairs;
    count -= 2 * pairs;
  }
  if (count == 0) return;
  std::array<double, 2> pair = {};
  polar_points(1, &points);
  gaussians_of(points, 1, pair.data());
  *out = pair[0];
  cached_ = pair[1];
  has_cached_ = true;
}

}  // namespace graphnet::sample
