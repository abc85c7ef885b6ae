// SPDX-License-Identifier: MIT
#include "types.h"

#include <algorithm>

namespace graphnet::openvino {

namespace {

struct Row {
  std::uint8_t code;
  std::uint8_t bits;
  ov::element::Type_t element;
};

constexpr Row kRows[] = {
    {kDLUInt, 8, ov::element::Type_t::u8},      {kDLInt, 8, ov::element::Type_t::i8},
    {kDLInt, 16, ov::element::Type_t::i16},     {kDLInt, 32, ov::element::Type_t::i32},
    {kDLInt, 64, ov::element::Type_t::i64},     {kDLFloat, 16, ov::element::Type_t::f16},
    {kDLFloat, 32, ov::element::Type_t::f32},   {kDLFloat, 64, ov::element::Type_t::f64},
    {kDLBool, 8, ov::element::Type_t::boolean}, {kDLBfloat, 16, ov::element::Type_t::bf16},
};

}  // namespace

ov::element::Type element_type(DLDataType dtype) {
  for (const Row& row : kRows) {
    if (row.code == dtype.code && row.bits == dtype.bits && dtype.lanes == 1) {
      return {row.element};
    }
  }
  return ov::element::dynamic;
}

bool is_empty(const gn_value& value) {
  return std::count(value.shape, value.shape + value.rank, 0) > 0;
}

ov::Shape shape_of_value(const gn_value& value) {
  return {value.shape, value.shape + value.rank};
}

}  // namespace graphnet::openvino
