// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "verify/level_climber.h"
#include "verify/scan.h"
#include "verify/worst_pairs.h"

namespace graphnet::verify {

namespace {

using Number = std::complex<double>;

bool is_nan(Number value) {
  return std::isnan(value.real()) || std::isnan(value.imag());
}

bool is_finite(Number value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

bool masks_differ(Number eager, Number plugin) {
  if (is_nan(eager) || is_nan(plugin)) return is_nan(eager) != is_nan(plugin);
  if (is_finite(eager) && is_finite(plugin)) return false;
  return eager != plugin;
}

// Complex outputs are rare and small; one element at a time is fast enough.
template <typename T>
class ComplexScan {
 public:
  Scan run(const std::complex<T>* eager, const std::complex<T>* plugin, std::int64_t count) {
    const Number first = count > 0 ? Number(eager[0]) : Number();
    for (std::int64_t i = 0; i < count; ++i) {
      const Number e(eager[i]);
      const Number p(plugin[i]);
      scan_.constant = scan_.constant && (e == first || (is_nan(e) && is_nan(first)));
      count_value(e, scan_.eager);
      count_value(p, scan_.plugin);
      add_pair(i, e, p);
    }
    scan_.only_subnormal = scan_.eager.zero + scan_.eager.subnormal == count;
    if (nan_diff_) scan_.max_diff = std::numeric_limits<double>::quiet_NaN();
    scan_.smallest_level = climber_.smallest();
    scan_.worst = worst_.pairs();
    return scan_;
  }

 private:
  static void count_value(Number value, ValueCounts& counts) {
    if (is_nan(value)) {
      ++counts.nan;
    } else if (!is_finite(value)) {
      ++counts.positive_infinity;
    } else if (value == Number()) {
      ++counts.zero;
    } else if (std::abs(value) < static_cast<double>(std::numeric_limits<T>::min())) {
      ++counts.subnormal;
    }
  }

  void add_pair(std::int64_t index, Number e, Number p) {
    scan_.all_equal = scan_.all_equal && e == p;
    const bool both_nan = is_nan(e) && is_nan(p);
    if (!both_nan && e != p) ++scan_.differing;
    const float diff = std::abs(static_cast<float>(p.real()) - static_cast<float>(e.real()));
    nan_diff_ = nan_diff_ || std::isnan(diff);
    scan_.max_diff = std::max<double>(scan_.max_diff, diff);
    scan_.sum_diff += static_cast<double>(diff);
    if (masks_differ(e, p)) {
      ++scan_.mask_mismatches;
      worst_.add_mask_mismatch(index);
    } else if (is_finite(e) && is_finite(p)) {
      add_finite_pair(index, e, p);
    }
    climb_levels(std::complex<T>(e), std::complex<T>(p), both_nan);
  }

  // In the type of the parts, which overflows where torch does.
  void climb_levels(std::complex<T> e, std::complex<T> p, bool both_nan) {
    const bool alike = both_nan || e == p;
    T modulus = alike ? T(0) : std::abs(e);
    T error = alike ? T(0) : std::abs(p - e);
    if (!std::isfinite(error)) error = std::numeric_limits<T>::quiet_NaN();
    climber_.climb(&error, &modulus, 1);
  }

  void add_finite_pair(std::int64_t index, Number e, Number p) {
    const double error = std::abs(p - e);
    ++scan_.finite_pairs;
    scan_.max_error = std::max(scan_.max_error, error);
    scan_.sum_error += error;
    scan_.squared_error += std::norm(p - e);
    scan_.squared_eager += std::norm(e);
    scan_.squared_plugin += std::norm(p);
    if (e != Number()) {
      scan_.max_relative_error = std::max(scan_.max_relative_error, error / std::abs(e));
    }
    worst_.add(index, error);
  }

  Scan scan_;
  bool nan_diff_ = false;
  LevelClimber<T, NoRounding<T>> climber_;
  WorstPairs worst_;
};

template <typename T>
Scan scan_as(const void* eager, const void* plugin, std::int64_t count) {
  return ComplexScan<T>().run(static_cast<const std::complex<T>*>(eager),
                              static_cast<const std::complex<T>*>(plugin), count);
}

}  // namespace

Scan scan_complex(base::DType dtype, const void* eager, const void* plugin, std::int64_t count) {
  return dtype == base::DType::kComplex128 ? scan_as<double>(eager, plugin, count)
                                           : scan_as<float>(eager, plugin, count);
}

}  // namespace graphnet::verify
