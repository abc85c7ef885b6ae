// SPDX-License-Identifier: MIT
#include "eager/attribute.h"

#include <ATen/core/List.h>

#include <array>
#include <utility>

#include "eager/scalar_type.h"
#include "eager/trace_error.h"

namespace graphnet::eager {

namespace {

using c10::TypeKind;
using graph::ArgumentType;
using graph::Attribute;

const c10::Type& held(const c10::Type& type) {
  // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): schemas hold their types
  if (type.kind() != TypeKind::OptionalType) return type;
  return *type.castRaw<c10::OptionalType>()->getElementType();
}

ArgumentType list_type(const c10::Type& element) {
  switch (held(element).kind()) {
    case TypeKind::TensorType:
      return ArgumentType::kTensorList;
    case TypeKind::IntType:
    case TypeKind::SymIntType:
      return ArgumentType::kInts;
    case TypeKind::FloatType:
      return ArgumentType::kFloats;
    case TypeKind::BoolType:
      return ArgumentType::kBools;
    default:
      return ArgumentType::kOther;
  }
}

struct FormatRow {
  const char* name;
  at::MemoryFormat format;
};
constexpr std::array<FormatRow, 4> kFormats = {{
    {"contiguous_format", at::MemoryFormat::Contiguous},
    {"preserve_format", at::MemoryFormat::Preserve},
    {"channels_last", at::MemoryFormat::ChannelsLast},
    {"channels_last_3d", at::MemoryFormat::ChannelsLast3d},
}};

std::string format_name(std::int64_t format) {
  for (const FormatRow& row : kFormats) {
    if (static_cast<std::int64_t>(row.format) == format) return row.name;
  }
  fail_unsupported("memory format " + std::to_string(format));
}

Attribute dtype_attribute(const c10::IValue& value) {
  const auto dtype = from_scalar_type(value.toScalarType());
  if (!dtype) fail_unsupported(std::string("element type ") + c10::toString(value.toScalarType()));
  return *dtype;
}

Attribute bools_attribute(const c10::IValue& value) {
  const c10::List<bool> list = value.toBoolList();
  return std::vector<bool>(list.begin(), list.end());
}

c10::IValue bools_ivalue(const std::vector<bool>& flags) {
  c10::List<bool> list;
  for (const bool flag : flags) list.push_back(flag);
  return list;
}

// A schema's int[2] may have the default 1, its float the default 0.
Attribute integer_attribute(std::int64_t integer, ArgumentType type) {
  if (type == ArgumentType::kFloat) return static_cast<double>(integer);
  if (type == ArgumentType::kInts) return std::vector<std::int64_t>{integer};
  return integer;
}

}  // namespace

at::MemoryFormat memory_format_from_name(const std::string& name) {
  for (const FormatRow& row : kFormats) {
    if (name == row.name) return row.format;
  }
  fail_input("no memory format is called '" + name + "'");
}

ArgumentType to_argument_type(const c10::Type& type) {
  const c10::Type& wanted = held(type);
  switch (wanted.kind()) {
    case TypeKind::TensorType:
      return ArgumentType::kTensor;
    case TypeKind::ListType:
      return list_type(*wanted.castRaw<c10::ListType>()->getElementType());
    case TypeKind::IntType:
    case TypeKind::SymIntType:
      return ArgumentType::kInt;
    case TypeKind::FloatType:
      return ArgumentType::kFloat;
    case TypeKind::NumberType:
      return ArgumentType::kScalar;
    case TypeKind::BoolType:
      return ArgumentType::kBool;
    case TypeKind::StringType:
    case TypeKind::MemoryFormatType:
      return ArgumentType::kString;
    case TypeKind::ScalarTypeType:
      return ArgumentType::kDType;
    default:
      return ArgumentType::kOther;
  }
}

Attribute to_attribute(const c10::IValue& value, const c10::Type& type) {
  const ArgumentType wanted = to_argument_type(type);
  if (value.isNone() || wanted == ArgumentType::kOther) return std::monostate();
  if (wanted == ArgumentType::kDType) return dtype_attribute(value);
  if (held(type).kind() == TypeKind::MemoryFormatType) return format_name(value.toInt());
  if (value.isBool()) return value.toBool();
  if (value.isInt()) return integer_attribute(value.toInt(), wanted);
  if (value.isDouble()) return value.toDouble();
  if (value.isString()) return value.toStringRef();
  if (value.isIntList()) return value.toIntVector();
  if (value.isDoubleList()) return value.toDoubleVector();
  if (value.isBoolList()) return bools_attribute(value);
  fail_unsupported("an argument of type " + value.tagKind() + " in a graph");
}

c10::IValue to_ivalue(const Attribute& attribute, const c10::Type& type) {
  if (std::holds_alternative<std::monostate>(attribute)) {
    if (type.kind() == TypeKind::DeviceObjType) return c10::Device(c10::kCPU);
    return {};
  }
  return std::visit(
      [&](const auto& value) -> c10::IValue {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return {};
        } else if constexpr (std::is_same_v<T, base::DType>) {
          return to_scalar_type(value);
        } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
          return bools_ivalue(value);
        } else if constexpr (std::is_same_v<T, std::string>) {
          const bool is_format = held(type).kind() == TypeKind::MemoryFormatType;
          if (!is_format) return value;
          return static_cast<std::int64_t>(memory_format_from_name(value));
        } else {
          return value;
        }
      },
      attribute);
}

}  // namespace graphnet::eager
