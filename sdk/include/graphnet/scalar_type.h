// SPDX-License-Identifier: MIT
//
// Header-only C++17 over abi.h for plugins whose compiler speaks PyTorch: element types by
// PyTorch's numbers and names. Not part of the ABI.
#pragma once

#include <cstdint>

#include "graphnet/abi.h"

namespace graphnet {

struct ScalarType {
  DLDataType dtype;
  int number;        ///< by which PyTorch's operators and its C interface name the type
  const char* name;  ///< "float32", as in torch.float32
};

/// source   c10/core/ScalarType.h
inline constexpr ScalarType kScalarTypes[] = {
    {{kDLUInt, 8, 1}, 0, "uint8"},         {{kDLInt, 8, 1}, 1, "int8"},
    {{kDLInt, 16, 1}, 2, "int16"},         {{kDLInt, 32, 1}, 3, "int32"},
    {{kDLInt, 64, 1}, 4, "int64"},         {{kDLFloat, 16, 1}, 5, "float16"},
    {{kDLFloat, 32, 1}, 6, "float32"},     {{kDLFloat, 64, 1}, 7, "float64"},
    {{kDLComplex, 64, 1}, 9, "complex64"}, {{kDLComplex, 128, 1}, 10, "complex128"},
    {{kDLBool, 8, 1}, 11, "bool"},         {{kDLBfloat, 16, 1}, 15, "bfloat16"},
};

/// Null for types that PyTorch's graphs do not have.
inline const ScalarType* find_scalar_type(DLDataType dtype) {
  for (const ScalarType& row : kScalarTypes) {
    if (row.dtype.code == dtype.code && row.dtype.bits == dtype.bits && dtype.lanes == 1) {
      return &row;
    }
  }
  return nullptr;
}

/// PyTorch's number of an element type; negative where it has none.
inline int scalar_type(DLDataType dtype) {
  const ScalarType* row = find_scalar_type(dtype);
  return row == nullptr ? -1 : row->number;
}

}  // namespace graphnet
