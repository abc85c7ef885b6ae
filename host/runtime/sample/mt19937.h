// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace graphnet::sample {

/// The Mersenne Twister, whole states at a time, with a window of words that are ready.
///
/// source   Matsumoto & Nishimura 1998, seeded with one 32-bit number (init_genrand)
class Mt19937 {
 public:
  static constexpr std::size_t kStateWords = 624;

  explicit Mt19937(std::uint32_t seed);

  std::uint32_t next_word() {
    if (num_ready() == 0) refill();
    return words_[begin_++];
  }

  /// Words that can be read without generating more.
  std::size_t num_ready() const { return end_ - begin_; }
  const std::uint32_t* ready() const { return words_.data() + begin_; }
  void consume(std::size_t num_words) { begin_ += num_words; }
  /// Appends one state's words; num_ready() must be below kMaxCarried.
  void refill();

  static constexpr std::size_t kMaxCarried = 4;

 private:
  alignas(64) std::array<std::uint32_t, kStateWords> state_;
  alignas(64) std::array<std::uint32_t, kMaxCarried + kStateWords> words_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

/// Points inside the unit circle with their squared radius: what the polar method makes pairs of
/// Gaussians from, once the sequential part of it is done.
struct PolarPoints {
  static constexpr std::size_t kMaxCount = 1024;
  alignas(64) std::array<double, kMaxCount> x1;
  alignas(64) std::array<double, kMaxCount> x2;
  alignas(64) std::array<double, kMaxCount> r2;
};

/// The Gaussians of the first `count` points; any thread may do it.
///
/// shapes   out: [2 * count]
/// source   `log` is the C library's, whose last bits NumPy inherits too
void gaussians_of(const PolarPoints& points, std::size_t count, double* out);

/// Draws of NumPy's legacy generator (RandomState), bit for bit.
///
/// The second Gaussian of a pair is kept for the next Gaussian draw, whatever is drawn between.
///
/// source   NumPy legacy-distributions.c and distributions.c; stable across versions by policy
class LegacyGenerator {
 public:
  explicit LegacyGenerator(std::uint32_t seed) : words_(seed) {}

  /// 53 bits from two words.
  ///
  /// units    [0, 1)
  double uniform();

  /// Uniform integer by masked rejection; range 0 draws nothing.
  ///
  /// units    [0, range], both included
  std::uint64_t bounded(std::uint64_t range);

  /// Standard normal deviates by the polar method, in draw order.
  ///
  /// shapes   out: [count]
  /// source   Marsaglia polar method
  void gaussians(double* out, std::size_t count);

  /// The next points alone, for gaussians_of(); gaussians(2 * count) draws the same words.
  ///
  /// shapes   has_spare() must be false, count at most PolarPoints::kMaxCount
  void polar_points(std::size_t count, PolarPoints* points);
  /// True if the second Gaussian of a pair waits for the next draw.
  bool has_spare() const { return has_cached_; }

 private:
  std::size_t draw_points(std::size_t wanted, std::size_t first, PolarPoints* points);

  Mt19937 words_;
  bool has_cached_ = false;
  double cached_ = 0;
};

}  // namespace graphnet::sample
