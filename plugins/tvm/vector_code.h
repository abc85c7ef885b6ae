// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>

#include "lowering/tensor.h"

namespace graphnet::tvm {

using lowering::Type;

class VectorWriter;

/// A number, or `lanes` of them, in a function of LLVM's text that a VectorWriter writes. Operands
/// of one operation belong to one writer and have equal types and lanes. Operators append an
/// instruction each.
struct Vector {
  VectorWriter* writer = nullptr;
  Type type = Type::kF32;  ///< kF32, kI32 or, of comparisons, kBool
  int lanes = 1;
  std::string e;  ///< the value's name, or a constant
};

/// Writes one function of one argument, both of them float32.
class VectorWriter {
 public:
  explicit VectorWriter(int lanes) : lanes_(lanes) {}

  /// The function's text; `name` without "@".
  std::string write(const std::string& name, Vector (*body)(const Vector& x));

  Vector number(Type type, double value);
  /// "%3 = <instruction> <operands' text>".
  Vector add(Type type, const std::string& text);
  std::string type_name(Type type) const;

 private:
  int lanes_;
  int next_ = 0;
  std::string lines_;
};

/// LLVM's names of what the functions call, each once in a module.
std::string vector_declarations(int lanes);

Vector operator+(const Vector& a, const Vector& b);
Vector operator-(const Vector& a, const Vector& b);
Vector operator*(const Vector& a, const Vector& b);
Vector operator/(const Vector& a, const Vector& b);
Vector operator+(const Vector& a, double b);
Vector operator-(const Vector& a, double b);
Vector operator*(const Vector& a, double b);
/// False for NaN.
Vector operator<(const Vector& a, double b);
Vector operator>(const Vector& a, double b);
Vector operator==(const Vector& a, double b);
Vector choice(const Vector& condition, const Vector& yes, const Vector& no);
Vector floor(const Vector& a);
/// int32: bits move, the sign's copies follow to the right.
Vector shifted_left(const Vector& a, int by);
Vector shifted_right(const Vector& a, int by);
Vector masked(const Vector& a, int mask);
/// float32 to int32 toward zero, and back.
Vector to_type(const Vector& a, Type type);
/// The same bits as the other type of 32.
Vector bits_of(const Vector& a);
Vector from_bits(const Vector& a);
Vector value_like(const Vector& x, double value);

/// Coefficients from the highest power down.
template <std::size_t count>
Vector polynomial(const Vector& x, const std::array<double, count>& coefficients) {
  Vector sum = value_like(x, coefficients[0]);
  for (std::size_t i = 1; i < count; ++i) sum = sum * x + coefficients[i];
  return sum;
}

}  // namespace graphnet::tvm
