// SPDX-License-Identifier: MIT
#include "lowering/ir/array.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace graphnet::lowering::ir {

namespace {

/// Floats of 16 bits.
struct Half {
  std::uint16_t bits = 0;
};

/// A format of them, first bits first: sign, exponent, fraction.
struct Format {
  int fraction_bits;
  int bias;
};
constexpr Format kF16 = {10, 15};
constexpr Format kBF16 = {7, 127};

Format format_of(Type type) {
  return type == Type::kF16 ? kF16 : kBF16;
}
// Ones in all bits of the exponent: infinity or NaN.
int top_exponent(Format format) {
  return 2 * format.bias + 1;
}

long double rounded_to(Format format, long double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), 1 - format.bias);
  const long double quantum = std::ldexp(1.0L, exponent - format.fraction_bits);
  const long double result = std::nearbyint(value / quantum) * quantum;
  if (std::abs(result) < std::ldexp(1.0L, format.bias + 1)) return result;
  return std::copysign(std::numeric_limits<long double>::infinity(), value);
}

long double value_of(Format format, Half half) {
  const auto exponent = static_cast<int>((half.bits & 0x7fffU) >> format.fraction_bits);
  const auto fraction = static_cast<int>(half.bits & ((1U << format.fraction_bits) - 1U));
  const int whole = exponent == 0 ? fraction : fraction + (1 << format.fraction_bits);
  long double value = std::ldexp(static_cast<long double>(whole),
                                 std::max(exponent, 1) - format.bias - format.fraction_bits);
  if (exponent == top_exponent(format)) {
    value = fraction != 0 ? std::numeric_limits<long double>::quiet_NaN()
                          : std::numeric_limits<long double>::infinity();
  }
  return (half.bits & 0x8000U) != 0 ? -value : value;
}

Half half_of(Format format, long double value) {
  const unsigned sign = std::signbit(value) ? 0x8000U : 0;
  auto bits = static_cast<unsigned>(top_exponent(format)) << format.fraction_bits;
  if (std::isnan(value)) bits |= 1U << (format.fraction_bits - 1);
  if (std::isfinite(value)) {
    const int exponent =
        value == 0 ? 1 - format.bias : std::max(std::ilogb(value), 1 - format.bias);
    // The first bit of a normal number adds 1 to its exponent.
    const long double whole = std::ldexp(std::abs(value), format.fraction_bits - exponent);
    bits = (static_cast<unsigned>(exponent + format.bias - 1) << format.fraction_bits) +
           static_cast<unsigned>(whole);
  }
  return {static_cast<std::uint16_t>(sign | bits)};
}

/// visit(Stored()) with what memory holds an element, or a part of a complex one, as.
template <typename Visit>
void with_stored(Type type, Visit visit) {
  switch (type) {
    case Type::kBool:
    case Type::kU8:
      return visit(std::uint8_t());
    case Type::kI8:
      return visit(std::int8_t());
    case Type::kI16:
      return visit(std::int16_t());
    case Type::kI32:
      return visit(std::int32_t());
    case Type::kI64:
      return visit(std::int64_t());
    case Type::kF16:
    case Type::kBF16:
      return visit(Half());
    case Type::kF32:
    case Type::kC64:
      return visit(float());
    default:
      return visit(double());
  }
}

long double unpacked(Type type, Half stored) {
  return value_of(format_of(type), stored);
}
template <typename Stored>
long double unpacked(Type /*type*/, Stored stored) {
  return static_cast<long double>(stored);
}

void pack(Type type, long double value, Half& stored) {
  stored = half_of(format_of(type), value);
}
template <typename Stored>
void pack(Type /*type*/, long double value, Stored& stored) {
  stored = static_cast<Stored>(value);
}

}  // namespace

Number rounded(Type type, Number value) {
  if (type == Type::kBool) return value.real() != 0 ? 1 : 0;
  if (is_half(type)) return rounded_to(format_of(type), value.real());
  Number result = value;
  with_stored(type, [&](auto stored) {
    using Stored = decltype(stored);
    if constexpr (std::is_integral_v<Stored>) {
      result =
          static_cast<long double>(static_cast<Stored>(static_cast<std::int64_t>(value.real())));
    } else if constexpr (!std::is_same_v<Stored, Half>) {
      result = {static_cast<Stored>(value.real()), static_cast<Stored>(value.imag())};
    }
  });
  return result;
}

std::int64_t to_integer(Type type, long double value) {
  if (type == Type::kBool) return value != 0 ? 1 : 0;
  const auto bits = static_cast<int>(8 * bytes_of(type));
  const long double low = type == Type::kU8 ? 0 : -std::ldexp(1.0L, bits - 1);
  const long double high = std::ldexp(1.0L, type == Type::kU8 ? bits : bits - 1) - 1;
  if (std::isnan(value)) return static_cast<std::int64_t>(low);
  return static_cast<std::int64_t>(std::clamp(value, low, high));
}

Array read_array(const TensorType& type, const void* data) {
  Array array = {type, std::vector<Number>(static_cast<std::size_t>(num_elements(type.shape)))};
  with_stored(type.type, [&](auto stored) {
    const auto* from = static_cast<const std::byte*>(data);
    const auto next = [&] {
      std::memcpy(&stored, from, sizeof stored);
      from += sizeof stored;
      return unpacked(type.type, stored);
    };
    for (Number& each : array.elements) {
      each.real(next());
      if (is_complex(type.type)) each.imag(next());
    }
  });
  return array;
}

void write_array(const Array& array, void* data) {
  const Type type = array.type.type;
  with_stored(type, [&](auto stored) {
    auto* to = static_cast<std::byte*>(data);
    const auto put = [&](long double value) {
      pack(type, value, stored);
      std::memcpy(to, &stored, sizeof stored);
      to += sizeof stored;
    };
    for (const Number& each : array.elements) {
      put(each.real());
      if (is_complex(type)) put(each.imag());
    }
  });
}

Shape strides_of(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

Walk walk_of(const Broadcast& view, const Shape& operand, const Shape& result) {
  const Shape strides = strides_of(operand);
  Walk walk = {0, Shape(result.size(), 0)};
  for (std::size_t i = 0; i < operand.size(); ++i) {
    if (operand[i] != 1) walk.strides[static_cast<std::size_t>(view.dims[i])] = strides[i];
  }
  return walk;
}

Walk walk_of(const Transpose& view, const Shape& operand, const Shape& /*result*/) {
  const Shape strides = strides_of(operand);
  Walk walk;
  for (const std::int64_t dim : view.permutation) {
    walk.strides.push_back(strides[static_cast<std::size_t>(dim)]);
  }
  return walk;
}

Walk walk_of(const Slice& view, const Shape& operand, const Shape& /*result*/) {
  Walk walk = {0, strides_of(operand)};
  for (std::size_t i = 0; i < walk.strides.size(); ++i) {
    walk.first += view.begin[i] * walk.strides[i];
    walk.strides[i] *= view.step[i];
  }
  return walk;
}

Walk walk_of(const Reverse& view, const Shape& operand, const Shape& /*result*/) {
  Walk walk = {0, strides_of(operand)};
  for (const std::int64_t dim : view.dims) {
    const auto i = static_cast<std::size_t>(dim);
    walk.first += (operand[i] - 1) * walk.strides[i];
    walk.strides[i] = -walk.strides[i];
  }
  return walk;
}

}  // namespace graphnet::lowering::ir
