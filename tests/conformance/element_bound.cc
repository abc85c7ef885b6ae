// SPDX-License-Identifier: MIT
#include "conformance/element_bound.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace graphnet::conformance {

namespace {

using base::DType;

template <typename T>
T element(const void* data, std::int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + index * std::int64_t{sizeof(T)},
              sizeof(T));
  return value;
}

bool is_double(DType dtype) {
  return dtype == DType::kFloat64 || dtype == DType::kComplex128;
}

bool is_complex(DType dtype) {
  return dtype == DType::kComplex64 || dtype == DType::kComplex128;
}

// Of parts, where the type is complex.
double number_at(const verify::TensorView& view, std::int64_t index) {
  if (view.dtype == DType::kFloat16) {
    return base::half_to_float(element<std::uint16_t>(view.data, index));
  }
  if (view.dtype == DType::kBFloat16) {
    return base::bfloat16_to_float(element<std::uint16_t>(view.data, index));
  }
  if (is_double(view.dtype)) return element<double>(view.data, index);
  return element<float>(view.data, index);
}

std::string describe(const verify::TensorView& view, std::int64_t index, double eager,
                     double plugin, double allowed) {
  char text[160];
  std::snprintf(text, sizeof text, "%.9g instead of %.9g, off by %.2g where %.2g is allowed",
                plugin, eager, std::fabs(plugin - eager), allowed);
  const std::int64_t position = is_complex(view.dtype) ? index / 2 : index;
  return "element " + verify::position_text(view.shape, position) + " is " + text;
}

}  // namespace

ElementBound default_bound(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {1e-3, 1e-5};
    case DType::kBFloat16:
      return {1.6e-2, 1e-5};
    case DType::kFloat64:
    case DType::kComplex128:
      return {1e-7, 1e-7};
    default:
      return {1.3e-6, 1e-5};
  }
}

std::optional<std::string> beyond_bound(const verify::TensorView& eager,
                                        const verify::TensorView& plugin,
                                        const ElementBound& bound) {
  if (!base::is_floating(eager.dtype) && !is_complex(eager.dtype)) return std::nullopt;
  const std::int64_t count = verify::count_of(eager) * (is_complex(eager.dtype) ? 2 : 1);
  for (std::int64_t i = 0; i < count; ++i) {
    const double expected = number_at(eager, i);
    const double found = number_at(plugin, i);
    if (!std::isfinite(expected) || !std::isfinite(found)) continue;
    const double allowed = bound.absolute + bound.relative * std::fabs(expected);
    if (std::fabs(found - expected) > allowed) {
      return describe(eager, i, expected, found, allowed);
    }
  }
  return std::nullopt;
}

}  // namespace graphnet::conformance
