// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "lowering/ir/graph.h"

namespace graphnet::lowering::ir {

using Complex = std::complex<double>;

/// Elements of every type in one of three: floats as double, integers and bools as int64, complex
/// numbers as pairs of doubles. Each is a value of the array's own type: rounded, wrapped.
using Elements = std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<Complex>>;

/// A tensor of the interpreter, dense row-major.
struct Array {
  TensorType type;
  Elements elements;
};

/// To the nearest value of the type, ties to even; beyond its range infinity.
double rounded(Type type, double value);
/// Modulo the type's range; bools: is not 0.
std::int64_t wrapped(Type type, std::int64_t value);
/// Toward zero; at the ends of the range where it is beyond them, the lowest for NaN.
std::int64_t to_integer(Type type, double value);

/// `count` elements of 0.
Elements zeros(Type type, std::size_t count);

/// shapes   data: the type's elements, dense row-major
Array read_array(const TensorType& type, const void* data);
void write_array(const Array& array, void* data);

/// Elements of `from` at `sources`; where a source is negative, `fill`.
Elements taken(const Elements& from, const std::vector<std::int64_t>& sources, double fill);

/// Strides in elements of a dense row-major tensor.
Shape strides_of(const Shape& shape);

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
