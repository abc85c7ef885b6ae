// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "lowering/ir/graph.h"

namespace graphnet::lowering::ir {

/// An element of any type: every int64 and every double is one exactly.
using Number = std::complex<long double>;
static_assert(std::numeric_limits<long double>::digits >= 64, "int64 does not fit long double");

/// A tensor of the interpreter, dense row-major. Each element is a value of the array's type.
struct Array {
  TensorType type;
  std::vector<Number> elements;
};

/// To the nearest value of the type, ties to even, beyond its range infinity; integers modulo the
/// type's range; bools: is not 0.
Number rounded(Type type, Number value);
/// Toward zero; at the ends of the range where it is beyond them, the lowest for NaN.
std::int64_t to_integer(Type type, long double value);

/// shapes   data: the type's elements, dense row-major
Array read_array(const TensorType& type, const void* data);
void write_array(const Array& array, void* data);

/// Strides in elements of a dense row-major tensor.
Shape strides_of(const Shape& shape);

/// Where a view's elements are in its operand, which is dense row-major: element `index` at
/// first + the sum of index[i] * strides[i].
struct Walk {
  std::int64_t first = 0;
  Shape strides;
};
/// shapes   operand, result: of the view
Walk walk_of(const Broadcast& view, const Shape& operand, const Shape& result);
Walk walk_of(const Transpose& view, const Shape& operand, const Shape& result);
Walk walk_of(const Slice& view, const Shape& operand, const Shape& result);
Walk walk_of(const Reverse& view, const Shape& operand, const Shape& result);

/// Calls visit(index) for every index of a shape, the last dimension running fastest.
template <typename Visit>
void for_each_index(const Shape& shape, Visit visit) {
  if (num_elements(shape) == 0) return;
  Shape index(shape.size(), 0);
  while (true) {
    visit(static_cast<const Shape&>(index));
    std::size_t dim = shape.size();
    while (dim > 0 && ++index[dim - 1] == shape[dim - 1]) index[--dim] = 0;
    if (dim == 0) return;
  }
}

}  // namespace graphnet::lowering::ir
