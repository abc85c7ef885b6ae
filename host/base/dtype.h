// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace graphnet::base {

/// Element types of the dataset's tensors, named as torch names them.
///
/// source   GraphNet tensor metadata; uint8 and the small integers occur in the language only
enum class DType : std::uint8_t {
  kBool,
  kUInt8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kComplex64,
  kComplex128,
};

/// "float32", "int64", ... as printed in records and logs.
const char* dtype_name(DType dtype);
/// Inverse of dtype_name; nothing for an unknown name. No "torch." prefix.
std::optional<DType> dtype_from_name(std::string_view name);
/// Bytes of one element.
std::size_t dtype_bytes(DType dtype);
bool is_floating(DType dtype);
bool is_integer(DType dtype);

/// Number of elements; 1 for an empty shape. Nothing if negative or if it overflows 2^62.
std::optional<std::int64_t> num_elements(const std::vector<std::int64_t>& shape);

/// Dense row-major strides in elements.
std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape);

/// IEEE binary32 to binary16 and bfloat16 bits, round to nearest even, as torch converts.
std::uint16_t float_to_half(float value);
std::uint16_t float_to_bfloat16(float value);
float half_to_float(std::uint16_t bits);
float bfloat16_to_float(std::uint16_t bits);

}  // namespace graphnet::base
