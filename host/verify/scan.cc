// SPDX-License-Identifier: MIT
#include "verify/scan.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "verify/level_climber.h"

namespace graphnet::verify {

namespace {

using base::DType;

bool is_complex(DType dtype) {
  return dtype == DType::kComplex64 || dtype == DType::kComplex128;
}

template <typename T>
T at(const void* data, std::int64_t index) {
  return static_cast<const T*>(data)[index];
}

std::complex<double> complex_at(DType dtype, const void* data, std::int64_t index) {
  if (dtype == DType::kComplex128) return at<std::complex<double>>(data, index);
  return std::complex<double>(at<std::complex<float>>(data, index));
}

bool is_nan(std::complex<double> value) {
  return std::isnan(value.real()) || std::isnan(value.imag());
}

bool is_finite(std::complex<double> value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

bool masks_differ(std::complex<double> eager, std::complex<double> plugin) {
  if (is_nan(eager) || is_nan(plugin)) return is_nan(eager) != is_nan(plugin);
  if (is_finite(eager) && is_finite(plugin)) return false;
  return eager != plugin;
}

// Complex outputs are rare and small; one element at a time is fast enough.
class ComplexScan {
 public:
  explicit ComplexScan(DType dtype) : dtype_(dtype) {}

  Scan run(const void* eager, const void* plugin, std::int64_t count) {
    const auto first = count > 0 ? complex_at(dtype_, eager, 0) : std::complex<double>();
    for (std::int64_t i = 0; i < count; ++i) {
      const auto e = complex_at(dtype_, eager, i);
      const auto p = complex_at(dtype_, plugin, i);
      scan_.constant = scan_.constant && (e == first || (is_nan(e) && is_nan(first)));
      scan_.only_subnormal = scan_.only_subnormal && std::abs(e) < smallest_normal();
      add_pair(e, p);
    }
    if (nan_diff_) scan_.max_diff = std::numeric_limits<double>::quiet_NaN();
    scan_.smallest_level = climber_.smallest();
    return scan_;
  }

 private:
  double smallest_normal() const {
    return dtype_ == DType::kComplex128 ? std::numeric_limits<double>::min()
                                        : double{std::numeric_limits<float>::min()};
  }

  void add_pair(std::complex<double> e, std::complex<double> p) {
    scan_.all_equal = scan_.all_equal && e == p;
    scan_.masks_equal = scan_.masks_equal && !masks_differ(e, p);
    const float diff = std::abs(static_cast<float>(p.real()) - static_cast<float>(e.real()));
    nan_diff_ = nan_diff_ || std::isnan(diff);
    scan_.max_diff = std::max<double>(scan_.max_diff, diff);
    scan_.sum_diff += static_cast<double>(diff);
    if (is_finite(e) && is_finite(p)) {
      scan_.squared_error += std::norm(p - e);
      scan_.squared_eager += std::norm(e);
    }
    const double modulus = std::abs(e);
    double error = e == p ? 0 : std::abs(p - e);
    if (!std::isfinite(error)) error = std::numeric_limits<double>::quiet_NaN();
    climber_.climb(&error, &modulus, 1);
  }

  DType dtype_;
  Scan scan_;
  bool nan_diff_ = false;
  LevelClimber<double, NoRounding<double>> climber_;
};

}  // namespace

double element_as_double(DType dtype, const void* data, std::int64_t index) {
  switch (dtype) {
    case DType::kBool:
      return at<std::uint8_t>(data, index) != 0 ? 1 : 0;
    case DType::kUInt8:
      return at<std::uint8_t>(data, index);
    case DType::kInt8:
      return at<std::int8_t>(data, index);
    case DType::kInt16:
      return at<std::int16_t>(data, index);
    case DType::kInt32:
      return at<std::int32_t>(data, index);
    case DType::kInt64:
      return static_cast<double>(at<std::int64_t>(data, index));
    case DType::kFloat16:
      return static_cast<double>(base::half_to_float(at<std::uint16_t>(data, index)));
    case DType::kBFloat16:
      return static_cast<double>(base::bfloat16_to_float(at<std::uint16_t>(data, index)));
    case DType::kFloat32:
      return static_cast<double>(at<float>(data, index));
    case DType::kFloat64:
      return at<double>(data, index);
    case DType::kComplex64:
    case DType::kComplex128:
      return std::abs(complex_at(dtype, data, index));
  }
  return 0;
}

Scan scan_elements(DType dtype, const void* eager, const void* plugin, std::int64_t count) {
  if (is_complex(dtype)) return ComplexScan(dtype).run(eager, plugin, count);
  if (base::is_floating(dtype)) return scan_floats(dtype, eager, plugin, count);
  return scan_integers(dtype, eager, plugin, count);
}

namespace {

// Distance of a pair for "largest"; infinity if one is NaN or infinite and the other is not.
double distance(std::complex<double> eager, std::complex<double> plugin) {
  if (masks_differ(eager, plugin)) return std::numeric_limits<double>::infinity();
  return eager == plugin ? 0 : std::abs(plugin - eager);
}

double distance(double eager, double plugin) {
  const bool finite = std::isfinite(eager) && std::isfinite(plugin);
  if (finite) return std::abs(plugin - eager);
  const bool alike = eager == plugin || (std::isnan(eager) && std::isnan(plugin));
  return alike ? 0 : std::numeric_limits<double>::infinity();
}

double distance_at(DType dtype, const void* eager, const void* plugin, std::int64_t index) {
  if (is_complex(dtype)) {
    return distance(complex_at(dtype, eager, index), complex_at(dtype, plugin, index));
  }
  const double between =
      distance(element_as_double(dtype, eager, index), element_as_double(dtype, plugin, index));
  if (dtype != DType::kInt64 || between > 0) return between;
  // Neighbours beyond 2^53 are one double.
  return at<std::int64_t>(eager, index) == at<std::int64_t>(plugin, index) ? 0 : 0.5;
}

}  // namespace

std::optional<std::int64_t> worst_element(DType dtype, const void* eager, const void* plugin,
                                          std::int64_t count) {
  std::optional<std::int64_t> worst;
  double largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double error = distance_at(dtype, eager, plugin, i);
    if (error > largest) {
      largest = error;
      worst = i;
      if (std::isinf(error)) break;
    }
  }
  return worst;
}

}  // namespace graphnet::verify
