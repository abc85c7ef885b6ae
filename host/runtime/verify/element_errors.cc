// SPDX-License-Identifier: MIT
#include "verify/element_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "verify/float_types.h"

namespace graphnet::verify {

namespace {

using base::DType;

constexpr int kBlock = 1024;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Arrays of real numbers: complex ones are twice as many parts.
struct Parts {
  DType dtype = DType::kFloat32;
  std::int64_t per_element = 1;
};

Parts parts_of(DType dtype) {
  if (dtype == DType::kComplex64) return {DType::kFloat32, 2};
  if (dtype == DType::kComplex128) return {DType::kFloat64, 2};
  return {dtype, 1};
}

template <typename Type>
double median_of(const void* data, std::int64_t count) {
  using Bits = typename Type::Bits;
  constexpr Bits kMagnitude = static_cast<Bits>(~Bits{0}) >> 1;
  const auto* elements = static_cast<const typename Type::Stored*>(data);
  std::vector<Bits> magnitudes;  // in the order of the numbers
  magnitudes.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, elements + i, sizeof bits);
    bits &= kMagnitude;
    if (bits != 0 && bits < Type::kInfinity) magnitudes.push_back(bits);
  }
  if (magnitudes.empty()) return 0;
  const Bits largest = *std::max_element(magnitudes.begin(), magnitudes.end());
  magnitudes.erase(std::remove(magnitudes.begin(), magnitudes.end(), largest), magnitudes.end());
  if (magnitudes.empty()) return 0;
  const auto middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
  std::nth_element(magnitudes.begin(), middle, magnitudes.end());
  typename Type::Stored stored;
  std::memcpy(&stored, &*middle, sizeof stored);
  return static_cast<double>(Type::load(stored));
}

double relative(double squared_error, double squared_eager) {
  return squared_error == 0 ? 0 : std::sqrt(squared_error / squared_eager);
}

// Calls visit(index, eager, plugin) for each pair that is finite on both sides.
template <typename Visit>
void for_each_pair(DType dtype, const void* eager, const void* plugin, std::int64_t count,
                   Visit visit) {
  double e[kBlock];
  double p[kBlock];
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const int extent = static_cast<int>(std::min<std::int64_t>(kBlock, count - begin));
    load_as_double(dtype, eager, begin, extent, e);
    load_as_double(dtype, plugin, begin, extent, p);
    for (int i = 0; i < extent; ++i) {
      if (std::isfinite(e[i]) && std::isfinite(p[i])) visit(begin + i, e[i], p[i]);
    }
  }
}

// The sums of the scan again, without outsize elements.
void add_without_outsize(DType dtype, const void* eager, const void* plugin, std::int64_t count,
                         ElementErrors& errors) {
  // Squares stay within float64 whatever the limit is.
  const double scale =
      std::ldexp(1, std::clamp(-std::ilogb(errors.rule.outsize_above), -1000, 1000));
  double squared_error = 0;
  double squared_eager = 0;
  std::int64_t ordinary = 0;
  for_each_pair(dtype, eager, plugin, count, [&](std::int64_t, double e, double p) {
    if (errors.rule.is_outsize(e)) {
      ++errors.outsize;
      return;
    }
    const double error = p * scale - e * scale;
    squared_error += error * error;
    squared_eager += e * scale * e * scale;
    ++ordinary;
  });
  errors.relative_rms = relative(squared_error, squared_eager);
  if (ordinary == 0) return;
  errors.rule.eager_rms = std::sqrt(squared_eager / static_cast<double>(ordinary)) / scale;
}

void measure_each(DType dtype, const void* eager, const void* plugin, std::int64_t count,
                  ElementErrors& errors) {
  const ElementRule& rule = errors.rule;
  for_each_pair(dtype, eager, plugin, count, [&](std::int64_t index, double e, double p) {
    const double error = std::abs(p - e);
    if (error == 0) return;
    errors.largest =
        std::max(errors.largest, error / (rule.is_outsize(e) ? std::abs(e) : rule.eager_rms));
    const double excess = error / rule.from_eager(e);
    if (excess <= errors.excess && errors.worst_index >= 0) return;
    errors.excess = excess;
    errors.worst_index = index;
  });
}

}  // namespace

double median_magnitude(DType dtype, const void* data, std::int64_t count) {
  switch (dtype) {
    case DType::kFloat16:
      return median_of<Float16>(data, count);
    case DType::kBFloat16:
      return median_of<BFloat16>(data, count);
    case DType::kFloat64:
      return median_of<Float64>(data, count);
    default:
      return median_of<Float32>(data, count);
  }
}

ElementErrors element_errors(const Scan& scan, DType dtype, const void* eager, const void* plugin,
                             std::int64_t count) {
  ElementErrors errors;
  errors.rule.dtype = dtype;
  const Parts parts = parts_of(dtype);
  errors.relative_rms = relative(scan.squared_error, scan.squared_eager);
  if (scan.finite_pairs > 0) {
    const auto numbers = static_cast<double>(scan.finite_pairs * parts.per_element);
    errors.rule.eager_rms =
        std::scalbn(std::sqrt(scan.squared_eager / numbers), -scan.square_scale / 2);
  }
  if (scan.differing == 0) return errors;
  count *= parts.per_element;
  if (scan.may_have_outsize) {
    const double limit = kOutsizeFactor * median_magnitude(parts.dtype, eager, count);
    if (limit > 0 && limit < kInfinity) {
      errors.rule.outsize_above = limit;
      add_without_outsize(parts.dtype, eager, plugin, count, errors);
    }
  }
  const double allowed_to_all = element_limit(dtype) * errors.rule.eager_rms;
  if (errors.outsize == 0 && scan.max_error <= allowed_to_all) {
    if (scan.max_error > 0) errors.largest = scan.max_error / errors.rule.eager_rms;
    if (scan.max_error > 0) errors.excess = scan.max_error / allowed_to_all;
    return errors;
  }
  measure_each(parts.dtype, eager, plugin, count, errors);
  if (errors.worst_index > 0) errors.worst_index /= parts.per_element;
  return errors;
}

}  // namespace graphnet::verify
