// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "verify/compare.h"
#include "verify/scan.h"

namespace graphnet::verify {

/// Finds the smallest accepted level of each schedule by testing only the current one and climbing
/// when a block of elements fails: 64 results for the price of about four.
///
/// T        the type that torch computes in: float or double
/// Round    static T round(T) rounds to the dtype of the outputs after each operation; kIsExact
///          says that it does nothing
template <typename T, typename Round>
class LevelClimber {
 public:
  /// error: |plugin - eager|, 0 where the two are == or both NaN, NaN where the error is not
  /// finite. magnitude: |eager|, not NaN where error is 0. Both [count].
  [[gnu::always_inline]] void climb(const T* error, const T* magnitude, int count) {
    const T largest = largest_error(error, count);
    for (int schedule = 0; schedule < kNumSchedules; ++schedule) {
      int& level = smallest_[static_cast<std::size_t>(schedule)];
      while (level < kNumLevels && !(largest <= surely_allowed(level_at(schedule, level).atol)) &&
             !accepts(level_at(schedule, level), error, magnitude, count)) {
        ++level;
      }
    }
  }

  const std::array<int, kNumSchedules>& smallest() const { return smallest_; }

 private:
  struct Level {
    T atol;
    T rtol;
  };

  using Table = std::array<Level, std::size_t{kNumSchedules} * kNumLevels>;

  static Table make_table() {
    Table table = {};
    const auto& levels = tolerance_levels();
    for (std::size_t i = 0; i < table.size(); ++i) {
      table[i] = {Round::round(static_cast<T>(levels[i].atol)), static_cast<T>(levels[i].rtol)};
    }
    return table;
  }

  static const Table& table() {
    static const Table made = make_table();
    return made;
  }

  Level level_at(int schedule, int level) const {
    return table_[static_cast<std::size_t>(level) * kNumSchedules +
                  static_cast<std::size_t>(schedule)];
  }

  // NaN if there is one: as integers, its bits are above all others of what is not negative.
  [[gnu::always_inline]] static T largest_error(const T* error, int count) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    Bits largest = 0;
    for (int i = 0; i < count; ++i) {
      Bits bits;
      std::memcpy(&bits, error + i, sizeof bits);
      largest = bits > largest ? bits : largest;
    }
    T result;
    std::memcpy(&result, &largest, sizeof result);
    return result;
  }

  // An error up to this is accepted whatever the magnitude.
  [[gnu::always_inline]] static T surely_allowed(T atol) {
    return Round::kIsExact ? atol : atol * T(0.99) - T(0x1p-23);  // see surely_accepts
  }

  [[gnu::always_inline]] static bool accepts(Level level, const T* error, const T* magnitude,
                                             int count) {
    if (!Round::kIsExact && surely_accepts(level, error, magnitude, count)) return true;
    int rejected = 0;
    for (int i = 0; i < count; ++i) {
      const T relative = Round::round(level.rtol * magnitude[i]);
      const T allowed = Round::round(relative + level.atol);
      rejected |= static_cast<int>(!(error[i] <= allowed));  // true for a NaN
    }
    return rejected == 0;
  }

  // Roundings to a half type are slow and seldom decide. Two of them lower the allowed error by
  // less than 0.4 % (bfloat16: 2^-9 each) or, for subnormal halves, by less than 2^-24 in all.
  [[gnu::always_inline]] static bool surely_accepts(Level level, const T* error, const T* magnitude,
                                                    int count) {
    const T rtol = level.rtol * T(0.99);
    const T atol = surely_allowed(level.atol);
    int undecided = 0;
    for (int i = 0; i < count; ++i) {
      undecided |= static_cast<int>(!(error[i] <= rtol * magnitude[i] + atol));
    }
    return undecided == 0;
  }

  const Table& table_ = table();
  std::array<int, kNumSchedules> smallest_ = {};
};

/// For types that need no rounding after an operation.
template <typename T>
struct NoRounding {
  static constexpr bool kIsExact = true;
  [[gnu::always_inline]] static T round(T value) { return value; }
};

}  // namespace graphnet::verify
