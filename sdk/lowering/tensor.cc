// SPDX-License-Identifier: MIT
#include "lowering/tensor.h"

#include <algorithm>
#include <array>

namespace graphnet::lowering {

namespace {

struct Row {
  Type type;
  const char* name;
  DLDataType dtype;
};

constexpr std::array<Row, 12> kTypes = {{
    {Type::kBool, "i1", {kDLBool, 8, 1}},
    {Type::kU8, "ui8", {kDLUInt, 8, 1}},
    {Type::kI8, "i8", {kDLInt, 8, 1}},
    {Type::kI16, "i16", {kDLInt, 16, 1}},
    {Type::kI32, "i32", {kDLInt, 32, 1}},
    {Type::kI64, "i64", {kDLInt, 64, 1}},
    {Type::kF16, "f16", {kDLFloat, 16, 1}},
    {Type::kBF16, "bf16", {kDLBfloat, 16, 1}},
    {Type::kF32, "f32", {kDLFloat, 32, 1}},
    {Type::kF64, "f64", {kDLFloat, 64, 1}},
    {Type::kC64, "c64", {kDLComplex, 64, 1}},
    {Type::kC128, "c128", {kDLComplex, 128, 1}},
}};

const Row& row_of(Type type) {
  return kTypes[static_cast<std::size_t>(type)];
}

int category(Type type) {
  if (type == Type::kBool) return 0;
  if (is_integer(type)) return 1;
  return is_float(type) ? 2 : 3;
}

Type promote_equal_ranks(Type a, Type b) {
  if (a == b) return a;
  if ((a == Type::kF16 && b == Type::kBF16) || (a == Type::kBF16 && b == Type::kF16)) {
    return Type::kF32;
  }
  if ((a == Type::kU8 && b == Type::kI8) || (a == Type::kI8 && b == Type::kU8)) return Type::kI16;
  if (std::max(a, b) == Type::kC64 && std::min(a, b) == Type::kF64) return Type::kC128;
  return std::max(a, b);
}

}  // namespace

std::int64_t bytes_of(Type type) {
  return row_of(type).dtype.bits / 8;
}

std::optional<Type> type_of(DLDataType dtype) {
  for (const Row& row : kTypes) {
    if (row.dtype.code == dtype.code && row.dtype.bits == dtype.bits && dtype.lanes == 1) {
      return row.type;
    }
  }
  return std::nullopt;
}

DLDataType to_dl_type(Type type) {
  return row_of(type).dtype;
}

const char* type_name(Type type) {
  return row_of(type).name;
}

std::string describe(Type type, const Shape& shape) {
  std::string text = std::string(type_name(type)) + "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  }
  return text + "]";
}

Type promote(Type a, bool a_is_scalar, Type b, bool b_is_scalar) {
  if (a_is_scalar != b_is_scalar) {
    const Type scalar = a_is_scalar ? a : b;
    const Type other = a_is_scalar ? b : a;
    if (category(scalar) <= category(other)) return other;
  }
  return promote_equal_ranks(a, b);
}

}  // namespace graphnet::lowering
