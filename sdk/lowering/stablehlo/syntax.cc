// SPDX-License-Identifier: MIT
#include "lowering/stablehlo/syntax.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace graphnet::lowering::stablehlo {

namespace {

template <typename Bits>
std::string hex(Bits bits) {
  std::array<char, 24> text = {};
  std::snprintf(text.data(), text.size(), "0x%0*llX", static_cast<int>(2 * sizeof(Bits)),
                static_cast<unsigned long long>(bits));
  return text.data();
}

template <typename To, typename From>
To bits_of(From value) {
  To bits = 0;
  static_assert(sizeof(To) == sizeof(From));
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

}  // namespace

std::string join(const Shape& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(values[i]);
  }
  return text;
}

std::string element_text(Type type) {
  if (type == Type::kC64) return "complex<f32>";
  if (type == Type::kC128) return "complex<f64>";
  return type_name(type);
}

std::string type_text(Type type, const Shape& shape) {
  std::string text = "tensor<";
  for (const std::int64_t extent : shape) text += std::to_string(extent) + "x";
  return text + element_text(type) + ">";
}

const char* comparison_type(Type type) {
  if (is_float(type)) return "FLOAT";
  return type == Type::kBool || type == Type::kU8 ? "UNSIGNED" : "SIGNED";
}

std::string literal(Type type, double value) {
  switch (type) {
    case Type::kBool:
      return value != 0 ? "true" : "false";
    case Type::kF32:
      return hex(bits_of<std::uint32_t>(static_cast<float>(value)));
    case Type::kF64:
      return hex(bits_of<std::uint64_t>(value));
    case Type::kF16:
    case Type::kBF16:
    case Type::kC64:
    case Type::kC128:
      throw LoweringError("a literal of this type is converted from another");
    default:
      break;
  }
  // The ends of int64 are not doubles; both are meant exactly.
  if (value >= 9223372036854775807.0) return "9223372036854775807";
  if (value <= -9223372036854775808.0) return "-9223372036854775808";
  return std::to_string(static_cast<std::int64_t>(value));
}

std::string dense_text(Type type, std::int64_t count, const void* data) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  const auto width = static_cast<std::size_t>(bytes_of(type));
  const std::size_t size = static_cast<std::size_t>(count) * width;
  const bool is_splat = size >= width && std::memcmp(bytes, bytes + width, size - width) == 0;
  if (type == Type::kBool) return bytes[0] != 0 ? "true" : "false";
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text = "\"0x";
  const std::size_t written = is_splat ? width : size;
  text.reserve(2 * written + 4);
  for (std::size_t i = 0; i < written; ++i) {
    text += kDigits[bytes[i] >> 4U];
    text += kDigits[bytes[i] & 15U];
  }
  return text + "\"";
}

}  // namespace graphnet::lowering::stablehlo
