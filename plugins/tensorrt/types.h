// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "lowering/tensor.h"
#include "tensorrt/nv_types.h"

namespace graphnet::tensorrt {

/// TensorRT's name of an element type. Of uint8 there are inputs only, and nothing but a cast reads
/// one.
inline std::optional<nv::DataType> to_nv(lowering::Type type) {
  using lowering::Type;
  switch (type) {
    case Type::kBool:
      return nv::DataType::kBool;
    case Type::kU8:
      return nv::DataType::kUint8;
    case Type::kI32:
      return nv::DataType::kInt32;
    case Type::kI64:
      return nv::DataType::kInt64;
    case Type::kF16:
      return nv::DataType::kHalf;
    case Type::kBF16:
      return nv::DataType::kBf16;
    case Type::kF32:
      return nv::DataType::kFloat;
    default:
      return std::nullopt;
  }
}

/// And back; nothing for types that no network of this plugin has.
inline std::optional<lowering::Type> from_nv(nv::DataType type) {
  using lowering::Type;
  for (const Type each :
       {Type::kBool, Type::kU8, Type::kI32, Type::kI64, Type::kF16, Type::kBF16, Type::kF32}) {
    if (to_nv(each) == type) return each;
  }
  return std::nullopt;
}

/// Whether layers compute with it.
inline bool is_computable(lowering::Type type) {
  return to_nv(type).has_value() && type != lowering::Type::kU8;
}

}  // namespace graphnet::tensorrt
