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
  /// source   Marsaglia polar method; `log` is the C library's, whose last bits NumPy inherits too
  void gaussians(double* out, std::size_t count);

 private:
  std::size_t draw_pairs(std::size_t wanted, double* out);

  Mt19937 words_;
  bool has_cached_ = false;
  double cached_ = 0;
};

}  // namespace graphnet::sample
