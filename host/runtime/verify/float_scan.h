// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "verify/float_types.h"
#include "verify/level_climber.h"
#include "verify/magnitudes.h"
#include "verify/scan.h"
#include "verify/worst_pairs.h"

namespace graphnet::verify {

/// One pass over two float arrays, block by block: a block of equal bits costs its counts and the
/// sum of its squares, any other the differences too. Everything is forced inline, so that the
/// function that calls run() chooses the instruction set.
///
/// Type     one of float_types.h
template <typename Type>
class FloatScan {
 public:
  using Stored = typename Type::Stored;
  using T = typename Type::Compute;

  [[gnu::always_inline]] Scan run(const Stored* eager, const Stored* plugin, std::int64_t count) {
    first_ = count > 0 ? Type::load(eager[0]) : T(0);
    for (begin_ = 0; begin_ < count; begin_ += kBlock) {
      extent_ = static_cast<int>(std::min<std::int64_t>(kBlock, count - begin_));
      scan_block(eager + begin_, plugin + begin_);
    }
    finish(count);
    return scan_;
  }

 private:
  using Bits = typename Type::Bits;
  using Signed = std::make_signed_t<Bits>;

  static constexpr int kBlock = 4096 / sizeof(T);  // the arrays below stay in the first-level cache
  static constexpr int kLanes = 8;         // independent partial sums, so that the loops vectorise
  static constexpr int kHistograms = 4;    // equal bins in a row would wait for each other
  static constexpr int kNarrow = 1 << 14;  // ULP distances that fit in 16 bits with their limits
  static constexpr Bits kMagnitude = static_cast<Bits>(~Bits{0}) >> 1;
  static constexpr Bits kSign = static_cast<Bits>(~kMagnitude);

  // Loops that add in float64 are written with four numbers a vector: GCC does not vectorise them.
  using Four [[gnu::vector_size(4 * sizeof(double))]] = double;
  using FourMasks [[gnu::vector_size(4 * sizeof(double))]] = std::int64_t;
  using FourLoaded [[gnu::vector_size(4 * sizeof(T))]] = T;
  using FourFloats [[gnu::vector_size(4 * sizeof(float))]] = float;
  using FourFloatMasks [[gnu::vector_size(4 * sizeof(float))]] = std::int32_t;

  struct Lanes {
    Four halves[kLanes / 4] = {};
    double sum() const {
      double total = 0;
      for (const Four& half : halves) {
        for (int i = 0; i < 4; ++i) total += half[i];
      }
      return total;
    }
  };

  template <typename Numbers>
  [[gnu::always_inline]] static void load_four(const T* from, Numbers& to) {
    FourLoaded loaded;
    std::memcpy(&loaded, from, sizeof loaded);
    to = __builtin_convertvector(loaded, Numbers);
  }

  template <typename Masks, typename Numbers>
  [[gnu::always_inline]] static void drop_signs(Numbers& numbers) {
    const Masks bits = reinterpret_cast<Masks>(numbers);
    numbers = reinterpret_cast<Numbers>(bits & std::numeric_limits<decltype(+bits[0])>::max());
  }

  template <typename Numbers>
  [[gnu::always_inline]] static double largest_of(const Numbers& numbers) {
    double largest = 0;
    for (int i = 0; i < 4; ++i) largest = std::max(largest, static_cast<double>(numbers[i]));
    return largest;
  }

  template <typename Masks>
  [[gnu::always_inline]] static bool any(const Masks& masks) {
    return (masks[0] | masks[1] | masks[2] | masks[3]) != 0;
  }

  [[gnu::always_inline]] static bool is_finite(T value) { return value - value == 0; }

  [[gnu::always_inline]] static Signed bits_at(const Stored* stored, int i) {
    Signed bits;
    std::memcpy(&bits, stored + i, sizeof bits);
    return bits;
  }

  [[gnu::always_inline]] static Signed magnitude_at(const Stored* stored, int i) {
    return static_cast<Signed>(static_cast<Bits>(bits_at(stored, i)) & kMagnitude);
  }

  [[gnu::always_inline]] void scan_block(const Stored* eager, const Stored* plugin) {
    e_ = load(eager_, eager);
    if (scan_.constant) scan_constant();
    magnitudes_.add(eager, extent_);
    const auto bytes = static_cast<std::size_t>(extent_) * sizeof(Stored);
    if (std::memcmp(eager, plugin, bytes) == 0) {
      add_equal_block(eager);
      return;
    }
    p_ = load(plugin_, plugin);
    const int special = count_values(eager, scan_.eager) + count_values(plugin, scan_.plugin);
    measure_ulp_distances(eager, plugin);
    add_float32_differences();
    measure_errors(special != 0);
    climber_.climb(error_, magnitude_, kBlock);  // the filled tail is accepted at every level
    int finite = extent_;
    if (special != 0) finite -= remove_specials();
    scan_.finite_pairs += finite;
    add_ulp_distances(finite);
    add_errors();
  }

  // The elements of the block as T: where they are if they are that and many enough, else copied.
  // The tail of the last block is filled with pairs of zeros, which change none of the sums.
  [[gnu::always_inline]] const T* load(T* values, const Stored* stored) {
    if constexpr (std::is_same_v<Stored, T>) {
      if (extent_ == kBlock) return stored;
    }
    for (int i = 0; i < extent_; ++i) values[i] = Type::load(stored[i]);
    std::fill(values + extent_, values + kBlock, T(0));
    return values;
  }

  // Stays true for few tensors, so most blocks skip it.
  [[gnu::always_inline]] void scan_constant() {
    int unlike = 0;
    const bool nan = first_ != first_;
    for (int i = 0; i < extent_; ++i) {
      const bool like = nan ? e_[i] != e_[i] : e_[i] == first_;
      unlike |= static_cast<int>(!like);
    }
    scan_.constant = unlike == 0;
  }

  // Returns how many are NaN or infinite.
  [[gnu::always_inline]] int count_values(const Stored* stored, ValueCounts& counts) {
    Bits zero = 0;  // as narrow as the elements, for the vectoriser
    Bits small = 0;
    Bits special = 0;
    for (int i = 0; i < extent_; ++i) {
      const Signed magnitude = magnitude_at(stored, i);
      zero = static_cast<Bits>(zero + static_cast<Bits>(magnitude == 0));
      small = static_cast<Bits>(
          small + static_cast<Bits>(magnitude < static_cast<Signed>(Type::kSmallestNormal)));
      special = static_cast<Bits>(
          special + static_cast<Bits>(magnitude >= static_cast<Signed>(Type::kInfinity)));
    }
    counts.zero += static_cast<std::int64_t>(zero);
    counts.subnormal += static_cast<std::int64_t>(small) - static_cast<std::int64_t>(zero);
    if (special != 0) count_specials(stored, static_cast<int>(special), counts);
    return static_cast<int>(special);
  }

  [[gnu::always_inline]] void count_specials(const Stored* stored, int specials,
                                             ValueCounts& counts) {
    Bits nan = 0;
    Bits negative = 0;
    for (int i = 0; i < extent_; ++i) {
      const Signed bits = bits_at(stored, i);
      nan = static_cast<Bits>(
          nan + static_cast<Bits>(magnitude_at(stored, i) > static_cast<Signed>(Type::kInfinity)));
      negative = static_cast<Bits>(
          negative + static_cast<Bits>(bits == static_cast<Signed>(kSign | Type::kInfinity)));
    }
    counts.nan += static_cast<std::int64_t>(nan);
    counts.negative_infinity += static_cast<std::int64_t>(negative);
    counts.positive_infinity += specials - static_cast<int>(nan) - static_cast<int>(negative);
  }

  [[gnu::always_inline]] void add_equal_block(const Stored* eager) {
    ValueCounts counts;
    const int special = count_values(eager, counts);
    add(counts, scan_.eager);
    add(counts, scan_.plugin);
    if (special != 0 || overflows_float32()) {
      // Infinity minus infinity.
      scan_.max_diff = scan_.sum_diff = std::numeric_limits<double>::quiet_NaN();
    }
    if (special != 0) {
      for (int i = 0; i < kBlock; ++i) eager_[i] = is_finite(e_[i]) ? e_[i] : T(0);
      e_ = eager_;
    }
    scan_.finite_pairs += extent_ - special;
    histograms_[0][0] += extent_ - special;
    Lanes squares;
    for (int i = 0; i < kBlock; i += kLanes) {
      for (int half = 0; half < 2; ++half) {
        Four value;
        load_four(e_ + i + 4 * half, value);
        squares.halves[half] += value * value;
      }
    }
    squared_equal_ += squares.sum();
  }

  // Whether upstream's differences see an infinity where there is none.
  [[gnu::always_inline]] bool overflows_float32() const {
    if (!std::is_same_v<Stored, double>) return false;
    int overflows = 0;
    for (int i = 0; i < kBlock; ++i) {
      overflows |= static_cast<int>(std::abs(e_[i]) >= T(0x1.ffffffp127));  // rounds to infinity
    }
    return overflows != 0;
  }

  [[gnu::always_inline]] static void add(const ValueCounts& from, ValueCounts& to) {
    to.nan += from.nan;
    to.positive_infinity += from.positive_infinity;
    to.negative_infinity += from.negative_infinity;
    to.zero += from.zero;
    to.subnormal += from.subnormal;
  }

  // Floats in ascending order are consecutive integers once the sign is two's complement.
  [[gnu::always_inline]] static Signed rank(const Stored* stored, int i) {
    const Signed magnitude = magnitude_at(stored, i);
    return static_cast<Signed>(bits_at(stored, i) < 0 ? -magnitude : magnitude);
  }

  [[gnu::always_inline]] void measure_ulp_distances(const Stored* eager, const Stored* plugin) {
    for (int i = 0; i < extent_; ++i) {
      const Signed e = rank(eager, i);
      const Signed p = rank(plugin, i);
      const auto up = static_cast<Bits>(static_cast<Bits>(p) - static_cast<Bits>(e));
      const auto down = static_cast<Bits>(static_cast<Bits>(e) - static_cast<Bits>(p));
      ulp_[i] = p > e ? up : down;
    }
    std::fill(ulp_ + extent_, ulp_ + kBlock, Bits(0));
  }

  // Upstream's differences.
  [[gnu::always_inline]] void add_float32_differences() {
    FourFloats max = {};
    FourFloatMasks nan = {};
    Lanes sum = sum_diff_;
    for (int i = 0; i < kBlock; i += kLanes) {
      for (int half = 0; half < 2; ++half) {
        FourFloats e;
        FourFloats p;
        load_four(e_ + i + 4 * half, e);
        load_four(p_ + i + 4 * half, p);
        FourFloats diff = p - e;
        drop_signs<FourFloatMasks>(diff);
        nan |= diff != diff;
        max = diff > max ? diff : max;
        sum.halves[half] += __builtin_convertvector(diff, Four);
      }
    }
    sum_diff_ = sum;
    const double largest = largest_of(max);
    scan_.max_diff = largest > scan_.max_diff ? largest : scan_.max_diff;
    if (any(nan)) scan_.max_diff = std::numeric_limits<double>::quiet_NaN();
  }

  // What the climber asks for. On the way it finds out whether the largest relative error may grow:
  // a division for each element would cost more than all the rest.
  [[gnu::always_inline]] void measure_errors(bool special) {
    // The error is rounded, so a growth within the rounding is missed, one of a half type is not.
    const double slack = Type::Rounding::kIsExact ? 1 : 0.99;
    const T ratio = static_cast<T>(slack * scan_.max_relative_error);
    int raises = 0;
    for (int i = 0; i < kBlock; ++i) {
      const T diff = std::abs(Type::Rounding::round(p_[i] - e_[i]));
      const T finite = is_finite(diff) ? diff : std::numeric_limits<T>::quiet_NaN();
      error_[i] = p_[i] == e_[i] ? T(0) : finite;
      magnitude_[i] = std::abs(e_[i]);
      raises |= static_cast<int>(!(error_[i] <= ratio * magnitude_[i])) &
                static_cast<int>(magnitude_[i] != 0);
    }
    may_raise_relative_error_ = raises != 0;
    if (special) accept_alike_specials(ratio);
  }

  [[gnu::always_inline]] void accept_alike_specials(T ratio) {
    int raises = 0;
    for (int i = 0; i < kBlock; ++i) {
      const bool accepted = alike(i);  // also if both are NaN
      error_[i] = accepted ? T(0) : error_[i];
      magnitude_[i] = accepted ? T(0) : magnitude_[i];
      raises |= static_cast<int>(!(error_[i] <= ratio * magnitude_[i])) &
                static_cast<int>(magnitude_[i] != 0);
    }
    may_raise_relative_error_ = raises != 0;
  }

  // Replaces pairs that are not finite on both sides by pairs of zeros and returns their number.
  [[gnu::always_inline]] int remove_specials() {
    int removed = 0;
    int mismatches = 0;
    for (int i = 0; i < kBlock; ++i) {
      removed += static_cast<int>(!both_finite(i));
      mismatches += static_cast<int>(!both_finite(i)) & static_cast<int>(!alike(i));
    }
    scan_.mask_mismatches += mismatches;
    for (int i = 0; i < extent_ && mismatches > 0; ++i) {
      if (!both_finite(i) && !alike(i)) worst_.add_mask_mismatch(begin_ + i);
    }
    for (int i = 0; i < kBlock; ++i) {
      const bool finite = both_finite(i);
      eager_[i] = finite ? e_[i] : T(0);
      plugin_[i] = finite ? p_[i] : T(0);
      ulp_[i] = finite ? ulp_[i] : Bits(0);
    }
    e_ = eager_;
    p_ = plugin_;
    return removed;
  }

  [[gnu::always_inline]] bool both_finite(int i) const {
    return is_finite(e_[i]) & is_finite(p_[i]);
  }

  [[gnu::always_inline]] bool alike(int i) const {
    const bool both_nan = (e_[i] != e_[i]) & (p_[i] != p_[i]);
    return both_nan | (e_[i] == p_[i]);
  }

  [[gnu::always_inline]] void add_ulp_distances(int finite) {
    Bits largest = 0;
    for (int i = 0; i < kBlock; ++i) largest = ulp_[i] > largest ? ulp_[i] : largest;
    if (largest < kNarrow) {
      add_narrow_ulp_distances();
    } else {
      for (int i = 0; i < kBlock; i += kHistograms) {
        for (int k = 0; k < kHistograms; ++k) ++histograms_[k][bit_length(ulp_[i + k])];
      }
    }
    histograms_[0][0] -= kBlock - finite;
  }

  // Bin by bin: with few bins of narrow numbers faster than element by element.
  [[gnu::always_inline]] void add_narrow_ulp_distances() {
    for (int i = 0; i < kBlock; ++i) narrow_[i] = static_cast<std::int16_t>(ulp_[i]);
    int at_least = kBlock;
    for (int bin = 0; at_least > 0; ++bin) {
      const auto limit = static_cast<std::int16_t>(1 << bin);
      std::uint16_t above = 0;
      for (int i = 0; i < kBlock; ++i) {
        above = static_cast<std::uint16_t>(above + static_cast<std::uint16_t>(narrow_[i] >= limit));
      }
      histograms_[0][bin] += at_least - above;
      at_least = above;
    }
  }

  [[gnu::always_inline]] static int bit_length(std::uint64_t value) {
    return 64 - (value == 0 ? 64 : __builtin_clzll(value));
  }

  [[gnu::always_inline]] void add_errors() {
    Lanes error;
    Lanes squared_error;
    Lanes squared_eager;
    Lanes squared_plugin;
    Four max = {};
    for (int i = 0; i < kBlock; i += kLanes) {
      for (int half = 0; half < 2; ++half) {
        Four e;
        Four p;
        load_four(e_ + i + 4 * half, e);
        load_four(p_ + i + 4 * half, p);
        Four size = p - e;
        squared_error.halves[half] += size * size;
        drop_signs<FourMasks>(size);
        error.halves[half] += size;
        squared_eager.halves[half] += e * e;
        squared_plugin.halves[half] += p * p;
        max = size > max ? size : max;
      }
    }
    scan_.sum_error += error.sum();
    scan_.squared_error += squared_error.sum();
    scan_.squared_eager += squared_eager.sum();
    scan_.squared_plugin += squared_plugin.sum();
    const double largest = largest_of(max);
    scan_.max_error = std::max(scan_.max_error, largest);
    if (may_raise_relative_error_) raise_relative_error();
    if (largest > worst_.threshold()) add_worst();
  }

  [[gnu::always_inline]] void raise_relative_error() {
    for (int i = 0; i < kBlock; ++i) {
      const auto e = static_cast<double>(e_[i]);
      const double ratio = std::abs((static_cast<double>(p_[i]) - e) / e);
      if (e != 0) scan_.max_relative_error = std::max(scan_.max_relative_error, ratio);
    }
  }

  [[gnu::always_inline]] double error_at(int i) const {
    return std::abs(static_cast<double>(p_[i]) - static_cast<double>(e_[i]));
  }

  [[gnu::always_inline]] void add_worst() {
    constexpr int kPart = 32;
    for (int begin = 0; begin < kBlock; begin += kPart) {
      const double threshold = worst_.threshold();
      int above = 0;
      for (int i = begin; i < begin + kPart; ++i) {
        above |= static_cast<int>(error_at(i) > threshold);
      }
      for (int i = begin; i < begin + kPart && above != 0; ++i) {
        worst_.add(begin_ + i, error_at(i));
      }
    }
  }

  [[gnu::always_inline]] void finish(std::int64_t count) {
    scan_.sum_diff += sum_diff_.sum();
    scan_.squared_eager += squared_equal_;
    scan_.squared_plugin += squared_equal_;
    for (const auto& histogram : histograms_) {
      for (int bin = 0; bin < kNumUlpBins; ++bin) {
        scan_.ulp_histogram[static_cast<std::size_t>(bin)] += histogram[bin];
      }
    }
    scan_.differing = scan_.finite_pairs - scan_.ulp_histogram[0] + scan_.mask_mismatches;
    scan_.all_equal = scan_.differing == 0 && !scan_.has_nan();
    scan_.only_subnormal = scan_.eager.zero + scan_.eager.subnormal == count;
    scan_.may_have_outsize = magnitudes_.may_have_outsize(scan_.eager, count);
    scan_.smallest_level = climber_.smallest();
    scan_.worst = worst_.pairs();
  }

  Scan scan_;
  T first_ = 0;
  Magnitudes<Type> magnitudes_;
  std::int64_t begin_ = 0;  // of the block
  int extent_ = 0;          // of the block, kBlock but for the last
  LevelClimber<T, typename Type::Rounding> climber_;
  WorstPairs worst_;
  Lanes sum_diff_;
  double squared_equal_ = 0;
  bool may_raise_relative_error_ = false;
  std::int64_t histograms_[kHistograms][kNumUlpBins] = {};
  const T* e_ = nullptr;  // the elements of the block
  const T* p_ = nullptr;
  alignas(64) T eager_[kBlock];  // their copies, where they are not used in place
  alignas(64) T plugin_[kBlock];
  alignas(64) T error_[kBlock];
  alignas(64) T magnitude_[kBlock];
  alignas(64) Bits ulp_[kBlock];
  alignas(64) std::int16_t narrow_[kBlock];
};

}  // namespace graphnet::verify
