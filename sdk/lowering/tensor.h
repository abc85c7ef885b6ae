// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "graphnet/abi.h"

namespace graphnet::lowering {

/// Element types, in the order of promotion within a category.
enum class Type : std::uint8_t {
  kBool,
  kU8,
  kI8,
  kI16,
  kI32,
  kI64,
  kF16,
  kBF16,
  kF32,
  kF64,
  kC64,
  kC128,
};

/// Extents, strides, positions of dimensions.
using Shape = std::vector<std::int64_t>;

/// A value that an Emitter knows; of static shape.
struct Tensor {
  std::int32_t id = -1;  ///< the emitter's
  Type type = Type::kF32;
  Shape shape;
  Shape layout = {};  ///< the emitter's; see its header

  std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
  std::int64_t extent(std::int64_t dim) const {
    return shape[static_cast<std::size_t>(dim < 0 ? dim + rank() : dim)];
  }
};

/// Why a node cannot be lowered; thrown by lowerings, caught where ir::build calls them.
class LoweringError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline std::int64_t num_elements(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

inline bool is_float(Type type) {
  return type >= Type::kF16 && type <= Type::kF64;
}
inline bool is_half(Type type) {
  return type == Type::kF16 || type == Type::kBF16;
}
inline bool is_integer(Type type) {
  return type >= Type::kU8 && type <= Type::kI64;
}
inline bool is_complex(Type type) {
  return type >= Type::kC64;
}
/// Of the real and the imaginary part of a complex type.
inline Type part_type(Type complex) {
  return complex == Type::kC128 ? Type::kF64 : Type::kF32;
}
/// Bytes of one element.
std::int64_t bytes_of(Type type);
/// The type in which one operation on elements of `type` is computed: float32 for the halves.
///
/// source   at::opmath_type
inline Type compute_type(Type type) {
  return is_half(type) ? Type::kF32 : type;
}

/// Nothing for element types that ATen does not have.
std::optional<Type> type_of(DLDataType dtype);
DLDataType to_dl_type(Type type);
/// "f32", "i1", "c64", as in error messages and text forms.
const char* type_name(Type type);
/// "f32[1,64,56,56]".
std::string describe(Type type, const Shape& shape);

/// Type of an operation on operands of these types, as ATen promotes; `a_is_scalar` if a has no
/// dimension: it then counts only if it is of a higher category.
///
/// source   c10/core/ScalarType.h promoteTypes, ATen/native/TypeProperties.cpp result_type
Type promote(Type a, bool a_is_scalar, Type b, bool b_is_scalar);

}  // namespace graphnet::lowering
