// SPDX-License-Identifier: MIT
#include "lowering/ir/array.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace graphnet::lowering::ir {

namespace {

/// Binary floating point with fewer bits than double.
struct Format {
  int precision;     ///< bits of the significand, the first one included
  int min_exponent;  ///< of the smallest subnormal number
  double largest;
};

Format format_of(Type type) {
  if (type == Type::kF16) return {11, -24, 65504.0};
  return {8, -133, std::ldexp(255.0, 120)};
}

double rounded_to(const Format& format, double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const double quantum =
      std::ldexp(1.0, std::max(exponent - format.precision, format.min_exponent));
  const double result = std::nearbyint(value / quantum) * quantum;
  if (std::abs(result) <= format.largest) return result;
  return std::copysign(std::numeric_limits<double>::infinity(), value);
}

double from_half(std::uint16_t bits) {
  const auto exponent = static_cast<int>((bits >> 10U) & 31U);
  const double fraction = bits & 1023U;
  double value = 0;
  if (exponent == 31) {
    value = fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                          : std::numeric_limits<double>::infinity();
  } else {
    value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  }
  return (bits & 0x8000U) != 0 ? -value : value;
}

std::uint16_t to_half(double value) {
  const unsigned sign = std::signbit(value) ? 0x8000U : 0;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00U);
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | 0x7c00U);
  const double magnitude = std::abs(value);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  if (magnitude == 0 || exponent < -13) {
    return static_cast<std::uint16_t>(sign | static_cast<unsigned>(std::ldexp(magnitude, 24)));
  }
  const auto fraction = static_cast<unsigned>(std::ldexp(magnitude, 11 - exponent)) - 1024U;
  return static_cast<std::uint16_t>(sign | static_cast<unsigned>(exponent + 14) << 10U | fraction);
}

double from_bfloat(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16U;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return static_cast<double>(value);
}

std::uint16_t to_bfloat(double value) {
  const auto narrow = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &narrow, sizeof bits);
  return static_cast<std::uint16_t>(bits >> 16U);
}

template <typename Stored>
Stored stored_at(const void* data, std::size_t i) {
  Stored value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + i * sizeof(Stored), sizeof(Stored));
  return value;
}

template <typename Stored>
void store_at(void* data, std::size_t i, Stored value) {
  std::memcpy(static_cast<std::byte*>(data) + i * sizeof(Stored), &value, sizeof(Stored));
}

double read_float(Type type, const void* data, std::size_t i) {
  switch (type) {
    case Type::kF16:
      return from_half(stored_at<std::uint16_t>(data, i));
    case Type::kBF16:
      return from_bfloat(stored_at<std::uint16_t>(data, i));
    case Type::kF32:
    case Type::kC64:
      return static_cast<double>(stored_at<float>(data, i));
    default:
      return stored_at<double>(data, i);
  }
}

void write_float(Type type, double value, void* data, std::size_t i) {
  switch (type) {
    case Type::kF16:
      return store_at(data, i, to_half(value));
    case Type::kBF16:
      return store_at(data, i, to_bfloat(value));
    case Type::kF32:
    case Type::kC64:
      return store_at(data, i, static_cast<float>(value));
    default:
      return store_at(data, i, value);
  }
}

std::int64_t read_integer(Type type, const void* data, std::size_t i) {
  switch (type) {
    case Type::kBool:
    case Type::kU8:
      return stored_at<std::uint8_t>(data, i);
    case Type::kI8:
      return stored_at<std::int8_t>(data, i);
    case Type::kI16:
      return stored_at<std::int16_t>(data, i);
    case Type::kI32:
      return stored_at<std::int32_t>(data, i);
    default:
      return stored_at<std::int64_t>(data, i);
  }
}

}  // namespace

double rounded(Type type, double value) {
  if (type == Type::kF64 || type == Type::kC128) return value;
  if (is_half(type)) return rounded_to(format_of(type), value);
  return static_cast<double>(static_cast<float>(value));
}

std::int64_t wrapped(Type type, std::int64_t value) {
  switch (type) {
    case Type::kBool:
      return value != 0 ? 1 : 0;
    case Type::kU8:
      return static_cast<std::uint8_t>(value);
    case Type::kI8:
      return static_cast<std::int8_t>(value);
    case Type::kI16:
      return static_cast<std::int16_t>(value);
    case Type::kI32:
      return static_cast<std::int32_t>(value);
    default:
      return value;
  }
}

std::int64_t to_integer(Type type, double value) {
  if (type == Type::kBool) return value != 0 ? 1 : 0;
  const auto bits = static_cast<int>(8 * bytes_of(type));
  const double low = type == Type::kU8 ? 0 : -std::ldexp(1.0, bits - 1);
  const double beyond = std::ldexp(1.0, type == Type::kU8 ? bits : bits - 1);
  if (std::isnan(value) || value <= low) return static_cast<std::int64_t>(low);
  if (value >= beyond) {
    return type == Type::kI64 ? std::numeric_limits<std::int64_t>::max()
                              : static_cast<std::int64_t>(beyond) - 1;
  }
  return static_cast<std::int64_t>(value);
}

Elements zeros(Type type, std::size_t count) {
  if (is_complex(type)) return std::vector<Complex>(count);
  if (is_float(type)) return std::vector<double>(count);
  return std::vector<std::int64_t>(count);
}

Array read_array(const TensorType& type, const void* data) {
  const auto count = static_cast<std::size_t>(num_elements(type.shape));
  Array array = {type, zeros(type.type, count)};
  for (std::size_t i = 0; i < count; ++i) {
    if (auto* floats = std::get_if<std::vector<double>>(&array.elements)) {
      (*floats)[i] = read_float(type.type, data, i);
    } else if (auto* integers = std::get_if<std::vector<std::int64_t>>(&array.elements)) {
      (*integers)[i] = read_integer(type.type, data, i);
    } else {
      std::get<std::vector<Complex>>(array.elements)[i] = {read_float(type.type, data, 2 * i),
                                                           read_float(type.type, data, 2 * i + 1)};
    }
  }
  return array;
}

void write_array(const Array& array, void* data) {
  const Type type = array.type.type;
  const auto bytes = static_cast<std::size_t>(bytes_of(type));
  const auto count = static_cast<std::size_t>(num_elements(array.type.shape));
  for (std::size_t i = 0; i < count; ++i) {
    if (const auto* floats = std::get_if<std::vector<double>>(&array.elements)) {
      write_float(type, (*floats)[i], data, i);
    } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&array.elements)) {
      // The low bytes come first.
      std::memcpy(static_cast<std::byte*>(data) + i * bytes, &(*integers)[i], bytes);
    } else {
      const Complex value = std::get<std::vector<Complex>>(array.elements)[i];
      write_float(type, value.real(), data, 2 * i);
      write_float(type, value.imag(), data, 2 * i + 1);
    }
  }
}

Elements taken(const Elements& from, const std::vector<std::int64_t>& sources, double fill) {
  return std::visit(
      [&](const auto& elements) -> Elements {
        using Element = typename std::decay_t<decltype(elements)>::value_type;
        std::vector<Element> result;
        result.reserve(sources.size());
        for (const std::int64_t source : sources) {
          result.push_back(source < 0 ? static_cast<Element>(fill)
                                      : elements[static_cast<std::size_t>(source)]);
        }
        return result;
      },
      from);
}

Shape strides_of(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

}  // namespace graphnet::lowering::ir
