// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "verify/level_climber.h"
#include "verify/scan.h"

namespace graphnet::verify {

namespace {

constexpr int kBlock = 1024;  // two blocks of double fill half of a first-level cache
constexpr int kLanes = 8;     // independent partial sums, so that the loops vectorise

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// The roundings below are base::float_to_half and back in one step and without a branch: their loop
// is the inner loop of half comparisons. A test compares them with base on every boundary.
struct HalfRounding {
  static constexpr bool kIsExact = false;
  static float round(float value) {
    const std::uint32_t sign = bits_of(value) & 0x80000000u;
    const std::uint32_t bits = bits_of(value) & 0x7fffffffu;
    const float magnitude = float_of(bits);
    const std::uint32_t normal_bits = (bits + 0xfffu + ((bits >> 13) & 1u)) & 0xffffe000u;
    const float normal = float_of(normal_bits);
    // The spacing of floats in [0.5, 1) is the spacing of subnormal halves.
    const float subnormal = (magnitude + 0.5f) - 0.5f;
    float rounded = magnitude < 0x1p-14f ? subnormal : normal;
    rounded = rounded >= 65536.0f ? std::numeric_limits<float>::infinity() : rounded;
    rounded = magnitude == magnitude ? rounded : magnitude;
    return float_of(bits_of(rounded) | sign);
  }
};

struct BFloat16Rounding {
  static constexpr bool kIsExact = false;
  static float round(float value) {
    const std::uint32_t bits = bits_of(value);
    const float rounded = float_of((bits + 0x7fffu + ((bits >> 16) & 1u)) & 0xffff0000u);
    return value == value ? rounded : value;
  }
};

// How one dtype is stored, loaded and computed in.
struct Float32 {
  using Stored = float;
  using Compute = float;
  using Rounding = NoRounding<float>;
  static constexpr double kSmallestNormal = std::numeric_limits<float>::min();
  static float load(Stored stored) { return stored; }
};

struct Float64 {
  using Stored = double;
  using Compute = double;
  using Rounding = NoRounding<double>;
  static constexpr double kSmallestNormal = std::numeric_limits<double>::min();
  static double load(Stored stored) { return stored; }
};

struct Float16 {
  using Stored = std::uint16_t;
  using Compute = float;
  using Rounding = HalfRounding;
  static constexpr double kSmallestNormal = 0x1p-14;
  // base::half_to_float without a branch: scaling by 2^112 moves the exponent, subnormals included.
  static float load(Stored stored) {
    const std::uint32_t magnitude = (stored & 0x7fffu) << 13;
    const float finite = float_of(magnitude) * 0x1p112f;
    const float special = float_of(magnitude | 0x7f800000u);
    const float value = (stored & 0x7c00u) == 0x7c00u ? special : finite;
    return float_of(bits_of(value) | (static_cast<std::uint32_t>(stored & 0x8000u) << 16));
  }
};

struct BFloat16 {
  using Stored = std::uint16_t;
  using Compute = float;
  using Rounding = BFloat16Rounding;
  static constexpr double kSmallestNormal = std::numeric_limits<float>::min();
  static float load(Stored stored) { return float_of(static_cast<std::uint32_t>(stored) << 16); }
};

template <typename T>
bool is_finite(T value) {
  return value - value == 0;
}

template <typename Type>
class FloatScan {
 public:
  using Stored = typename Type::Stored;
  using T = typename Type::Compute;

  Scan run(const Stored* eager, const Stored* plugin, std::int64_t count) {
    first_ = count > 0 ? Type::load(eager[0]) : T(0);
    for (std::int64_t begin = 0; begin < count; begin += kBlock) {
      const int extent = static_cast<int>(std::min<std::int64_t>(kBlock, count - begin));
      load(eager_, eager + begin, extent);
      load(plugin_, plugin + begin, extent);
      scan_block(extent);
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      scan_.max_diff = std::max<double>(scan_.max_diff, max_[lane]);
      scan_.sum_diff += sum_[lane];
      scan_.squared_error += squared_error_[lane];
      scan_.squared_eager += squared_eager_[lane];
    }
    if (nan_diff_) scan_.max_diff = std::numeric_limits<double>::quiet_NaN();
    scan_.smallest_level = climber_.smallest();
    return scan_;
  }

 private:
  // The tail of the last block is filled with pairs of zeros, which change none of the sums.
  static void load(T* values, const Stored* stored, int extent) {
    for (int i = 0; i < extent; ++i) values[i] = Type::load(stored[i]);
    std::fill(values + extent, values + kBlock, T(0));
  }

  void scan_block(int extent) {
    int different = 0;
    int special = 0;
    for (int i = 0; i < kBlock; ++i) {
      different |= static_cast<int>(!(eager_[i] == plugin_[i]));
      special |= static_cast<int>(!is_finite(eager_[i])) | static_cast<int>(!is_finite(plugin_[i]));
    }
    scan_degenerate(extent);
    if (special != 0) {
      compare_masks(extent);
      add_differences();
      zero_specials();
    } else if (different != 0) {
      add_differences();
    }
    if (different != 0) {
      scan_.all_equal = false;
      add_squared_errors();
    }
    add_squares();
  }

  // Both stay true for few tensors, so most blocks skip them.
  void scan_degenerate(int extent) {
    int unlike = 0;
    int normal = 0;
    if (scan_.constant) {
      const bool nan = first_ != first_;
      for (int i = 0; i < extent; ++i) {
        const bool like = nan ? eager_[i] != eager_[i] : eager_[i] == first_;
        unlike |= static_cast<int>(!like);
      }
    }
    if (scan_.only_subnormal) {
      for (int i = 0; i < extent; ++i) {
        normal |= static_cast<int>(!(std::abs(eager_[i]) < static_cast<T>(Type::kSmallestNormal)));
      }
    }
    scan_.constant = scan_.constant && unlike == 0;
    scan_.only_subnormal = scan_.only_subnormal && normal == 0;
  }

  void compare_masks(int extent) {
    for (int i = 0; i < extent; ++i) {
      const T e = eager_[i];
      const T p = plugin_[i];
      const bool both_nan = e != e && p != p;
      const bool both_finite = is_finite(e) && is_finite(p);
      if (!both_nan && !both_finite && !(e == p)) scan_.masks_equal = false;
    }
  }

  // Upstream's differences (float32) and the tolerance levels.
  void add_differences() {
    int nan = 0;
    for (int i = 0; i < kBlock; i += kLanes) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const float diff =
            std::abs(static_cast<float>(plugin_[i + lane]) - static_cast<float>(eager_[i + lane]));
        nan |= static_cast<int>(!(diff == diff));
        max_[lane] = diff > max_[lane] ? diff : max_[lane];
        sum_[lane] += static_cast<double>(diff);
      }
    }
    nan_diff_ = nan_diff_ || nan != 0;
    for (int i = 0; i < kBlock; ++i) {
      const T diff = std::abs(Type::Rounding::round(plugin_[i] - eager_[i]));
      const T finite = is_finite(diff) ? diff : std::numeric_limits<T>::quiet_NaN();
      error_[i] = plugin_[i] == eager_[i] ? T(0) : finite;
      magnitude_[i] = std::abs(eager_[i]);
    }
    // The filled tail is accepted at every level.
    climber_.climb(error_, magnitude_, kBlock);
  }

  void zero_specials() {
    for (int i = 0; i < kBlock; ++i) {
      const bool finite = is_finite(eager_[i]) && is_finite(plugin_[i]);
      eager_[i] = finite ? eager_[i] : T(0);
      plugin_[i] = finite ? plugin_[i] : T(0);
    }
  }

  void add_squared_errors() {
    for (int i = 0; i < kBlock; i += kLanes) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const double error =
            static_cast<double>(plugin_[i + lane]) - static_cast<double>(eager_[i + lane]);
        squared_error_[lane] += error * error;
      }
    }
  }

  void add_squares() {
    for (int i = 0; i < kBlock; i += kLanes) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const auto value = static_cast<double>(eager_[i + lane]);
        squared_eager_[lane] += value * value;
      }
    }
  }

  Scan scan_;
  T first_ = 0;
  bool nan_diff_ = false;
  LevelClimber<T, typename Type::Rounding> climber_;
  float max_[kLanes] = {};
  double sum_[kLanes] = {};
  double squared_error_[kLanes] = {};
  double squared_eager_[kLanes] = {};
  alignas(64) T eager_[kBlock];
  alignas(64) T plugin_[kBlock];
  alignas(64) T error_[kBlock];
  alignas(64) T magnitude_[kBlock];
};

template <typename Type>
Scan scan_as(const void* eager, const void* plugin, std::int64_t count) {
  using Stored = typename Type::Stored;
  return FloatScan<Type>().run(static_cast<const Stored*>(eager),
                               static_cast<const Stored*>(plugin), count);
}

// Squares of float64 leave its range beyond 1e154 and below 1e-154; an extended exponent does not.
// Returns both sums scaled by the same power of two, which their quotient does not see.
void rescale_sums(const double* eager, const double* plugin, std::int64_t count, Scan& scan) {
  double largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!is_finite(eager[i]) || !is_finite(plugin[i])) continue;
    largest = std::max({largest, std::abs(eager[i]), std::abs(plugin[i])});
  }
  if (largest == 0) return;
  const int exponent = -std::ilogb(largest) - 2;
  scan.squared_error = 0;
  scan.squared_eager = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!is_finite(eager[i]) || !is_finite(plugin[i])) continue;
    const double scaled = std::scalbn(eager[i], exponent);
    const double error = std::scalbn(plugin[i], exponent) - scaled;
    scan.squared_error += error * error;
    scan.squared_eager += scaled * scaled;
  }
}

Scan scan_float64(const void* eager, const void* plugin, std::int64_t count) {
  Scan scan = scan_as<Float64>(eager, plugin, count);
  const auto safe = [](double sum) { return sum > 1e-200 && sum < 1e300; };
  const bool sums_are_safe =
      safe(scan.squared_eager) && (scan.all_equal || safe(scan.squared_error));
  if (!sums_are_safe && !scan.all_equal) {
    rescale_sums(static_cast<const double*>(eager), static_cast<const double*>(plugin), count,
                 scan);
  }
  return scan;
}

}  // namespace

Scan scan_floats(base::DType dtype, const void* eager, const void* plugin, std::int64_t count) {
  switch (dtype) {
    case base::DType::kFloat16:
      return scan_as<Float16>(eager, plugin, count);
    case base::DType::kBFloat16:
      return scan_as<BFloat16>(eager, plugin, count);
    case base::DType::kFloat64:
      return scan_float64(eager, plugin, count);
    default:
      return scan_as<Float32>(eager, plugin, count);
  }
}

}  // namespace graphnet::verify
