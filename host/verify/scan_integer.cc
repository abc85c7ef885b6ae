// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "verify/level_climber.h"
#include "verify/scan.h"

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
      if (scan_.constant || scan_.only_subnormal) scan_degenerate(eager, begin, extent);
      int different = 0;
      for (int i = 0; i < extent; ++i) {
        different |=
            static_cast<int>(Type::load(eager[begin + i]) != Type::load(plugin[begin + i]));
      }
      if (different == 0) continue;
      scan_.all_equal = false;
      add_differences(eager + begin, plugin + begin, extent);
    }
    scan_.smallest_level = climber_.smallest();
    return scan_;
  }

 private:
  void scan_degenerate(const Stored* eager, std::int64_t begin, int extent) {
    for (int i = 0; i < extent; ++i) {
      const auto value = Type::load(eager[begin + i]);
      scan_.constant = scan_.constant && value == Type::load(eager[0]);
      scan_.only_subnormal = scan_.only_subnormal && value == 0;
    }
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

  Scan scan_;
  LevelClimber<float, NoRounding<float>> climber_;
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
