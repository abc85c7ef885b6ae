// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "verify/level_climber.h"
#include "verify/scan.h"
#include "verify/worst_pairs.h"

namespace graphnet::verify {

namespace {

constexpr int kBlock = 1024;

struct Bool {
  using Stored = std::uint8_t;
  static bool load(Stored stored) { return stored != 0; }
};

template <typename T>
struct Integer {
  using Stored = T;
  static T load(Stored stored) { return stored; }
};

template <typename Type>
class IntegerScan {
 public:
  using Stored = typename Type::Stored;

  Scan run(const Stored* eager, const Stored* plugin, std::int64_t count) {
    for (std::int64_t begin = 0; begin < count; begin += kBlock) {
      const int extent = static_cast<int>(std::min<std::int64_t>(kBlock, count - begin));
      if (scan_.constant) scan_constant(eager, begin, extent);
      int different = 0;
      for (int i = 0; i < extent; ++i) {
        different |=
            static_cast<int>(Type::load(eager[begin + i]) != Type::load(plugin[begin + i]));
      }
      count_zeros(eager + begin, extent, scan_.eager.zero);
      count_zeros(plugin + begin, extent, scan_.plugin.zero);
      if (different == 0) continue;
      scan_.all_equal = false;
      add_differences(eager + begin, plugin + begin, extent);
      add_errors(eager + begin, plugin + begin, begin, extent);
    }
    scan_.finite_pairs = count;
    scan_.only_subnormal = scan_.eager.zero == count;
    scan_.smallest_level = climber_.smallest();
    scan_.worst = worst_.pairs();
    return scan_;
  }

 private:
  void scan_constant(const Stored* eager, std::int64_t begin, int extent) {
    for (int i = 0; i < extent; ++i) {
      scan_.constant = scan_.constant && Type::load(eager[begin + i]) == Type::load(eager[0]);
    }
  }

  static void count_zeros(const Stored* values, int extent, std::int64_t& zeros) {
    int found = 0;
    for (int i = 0; i < extent; ++i) found += static_cast<int>(Type::load(values[i]) == 0);
    zeros += found;
  }

  void add_differences(const Stored* eager, const Stored* plugin, int extent) {
    for (int i = 0; i < extent; ++i) {
      const auto e = static_cast<float>(Type::load(eager[i]));
      const auto p = static_cast<float>(Type::load(plugin[i]));
      error_[i] = std::abs(p - e);
      magnitude_[i] = std::abs(e);
    }
    for (int i = 0; i < extent; ++i) {
      scan_.max_diff = std::max<double>(scan_.max_diff, error_[i]);
      scan_.sum_diff += static_cast<double>(error_[i]);
    }
    climber_.climb(error_, magnitude_, extent);
  }

  // Neighbours beyond 2^53 are one float64, their difference is not.
  static double distance(std::int64_t e, std::int64_t p) {
    const auto up = static_cast<std::uint64_t>(p) - static_cast<std::uint64_t>(e);
    return static_cast<double>(p > e ? up : 0 - up);
  }

  void add_errors(const Stored* eager, const Stored* plugin, std::int64_t begin, int extent) {
    for (int i = 0; i < extent; ++i) {
      const double error = distance(Type::load(eager[i]), Type::load(plugin[i]));
      if (error == 0) continue;
      ++scan_.differing;
      scan_.max_error = std::max(scan_.max_error, error);
      scan_.sum_error += error;
      scan_.squared_error += error * error;
      worst_.add(begin + i, error);
    }
  }

  Scan scan_;
  LevelClimber<float, NoRounding<float>> climber_;
  WorstPairs worst_;
  float error_[kBlock];
  float magnitude_[kBlock];
};

template <typename Type>
Scan scan_as(const void* eager, const void* plugin, std::int64_t count) {
  using Stored = typename Type::Stored;
  return IntegerScan<Type>().run(static_cast<const Stored*>(eager),
                                 static_cast<const Stored*>(plugin), count);
}

}  // namespace

Scan scan_integers(base::DType dtype, const void* eager, const void* plugin, std::int64_t count) {
  switch (dtype) {
    case base::DType::kBool:
      return scan_as<Bool>(eager, plugin, count);
    case base::DType::kUInt8:
      return scan_as<Integer<std::uint8_t>>(eager, plugin, count);
    case base::DType::kInt8:
      return scan_as<Integer<std::int8_t>>(eager, plugin, count);
    case base::DType::kInt16:
      return scan_as<Integer<std::int16_t>>(eager, plugin, count);
    case base::DType::kInt32:
      return scan_as<Integer<std::int32_t>>(eager, plugin, count);
    default:
      return scan_as<Integer<std::int64_t>>(eager, plugin, count);
  }
}

}  // namespace graphnet::verify
