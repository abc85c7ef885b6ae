// SPDX-License-Identifier: MIT
#include "lowering/ir/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

namespace graphnet::lowering::ir {

namespace {

using Real = long double;

[[noreturn]] void refuse(const char* what, Type type) {
  throw LoweringError(std::string("the interpreter has no such ") + what + " of " +
                      type_name(type));
}

// In the order of their enumerators; the rest have no meaning for floats.
constexpr Real (*kUnary[])(Real) = {
    [](Real x) { return std::abs(x); },
    [](Real x) { return -x; },
    [](Real x) { return std::isnan(x) || x == 0 ? x : std::copysign(1.0L, x); },
    [](Real x) { return std::floor(x); },
    [](Real x) { return std::ceil(x); },
    [](Real x) { return std::exp(x); },
    [](Real x) { return std::expm1(x); },
    [](Real x) { return std::log(x); },
    [](Real x) { return std::log1p(x); },
    [](Real x) { return std::sqrt(x); },
    [](Real x) { return 1 / std::sqrt(x); },
    [](Real x) { return std::sin(x); },
    [](Real x) { return std::cos(x); },
    [](Real x) { return std::tanh(x); },
    [](Real x) { return 1 / (1 + std::exp(-x)); },
    [](Real x) { return std::erf(x); },
};
constexpr Real (*kBinary[])(Real, Real) = {
    [](Real a, Real b) { return a + b; },
    [](Real a, Real b) { return a - b; },
    [](Real a, Real b) { return a * b; },
    [](Real a, Real b) { return a / b; },
    [](Real a, Real b) { return std::fmod(a, b); },
    [](Real a, Real b) { return std::pow(a, b); },
    [](Real a, Real b) { return a > b || std::isnan(a) ? a : b; },
    [](Real a, Real b) { return a < b || std::isnan(a) ? a : b; },
};

// Integers wrap as unsigned ones do.
using Bits = std::uint64_t;

std::int64_t integer(Bits x) {
  return static_cast<std::int64_t>(x);
}
std::int64_t integer(Number x) {
  return static_cast<std::int64_t>(x.real());
}

Bits power(Bits base, Bits exponent) {
  if (integer(exponent) < 0) return base == 1 ? 1 : base + 1 != 0 ? 0 : 1 - 2 * (exponent & 1U);
  Bits result = 1;
  for (; exponent != 0; exponent >>= 1U, base *= base) {
    if ((exponent & 1U) != 0) result *= base;
  }
  return result;
}

// In the order of Binary; division by zero gives 0.
constexpr Bits (*kBinaryOfBits[])(Bits, Bits) = {
    [](Bits a, Bits b) { return a + b; },
    [](Bits a, Bits b) { return a - b; },
    [](Bits a, Bits b) { return a * b; },
    [](Bits a, Bits b) { return b + 1 <= 1 ? a * b : Bits(integer(a) / integer(b)); },
    [](Bits a, Bits b) { return b + 1 <= 1 ? 0 : Bits(integer(a) % integer(b)); },
    power,
    [](Bits a, Bits b) { return integer(a) > integer(b) ? a : b; },
    [](Bits a, Bits b) { return integer(a) < integer(b) ? a : b; },
    [](Bits a, Bits b) { return a & b; },
    [](Bits a, Bits b) { return a | b; },
    [](Bits a, Bits b) { return a ^ b; },
};

Number of_integers(Binary kind, Type type, std::int64_t a, std::int64_t b) {
  const auto i = static_cast<std::size_t>(kind);
  if (i >= std::size(kBinaryOfBits)) refuse("operation", type);
  return static_cast<Real>(integer(kBinaryOfBits[i](Bits(a), Bits(b))));
}

Number of_integer(Unary kind, Type type, Number x) {
  if (kind == Unary::kNot) return type == Type::kBool ? 1.0L - x : -1.0L - x;
  if (kind == Unary::kFloor || kind == Unary::kCeil) return x;
  if (kind == Unary::kSign) return kUnary[static_cast<std::size_t>(kind)](x.real());
  if (kind == Unary::kAbs && x.real() >= 0) return x;
  if (kind != Unary::kAbs && kind != Unary::kNegate) refuse("function", type);
  return of_integers(Binary::kSubtract, type, 0, integer(x));
}

}  // namespace

Number apply(Unary kind, Type type, Number x) {
  if (kind == Unary::kReal) return x.real();
  if (kind == Unary::kImag) return x.imag();
  if (!is_float(type) && !is_complex(type)) return of_integer(kind, type, x);
  if (kind == Unary::kNegate) return -x;
  if (is_complex(type) && kind == Unary::kExp) return std::exp(x);
  const auto i = static_cast<std::size_t>(kind);
  if (i >= std::size(kUnary) || is_complex(type)) refuse("function", type);
  return kUnary[i](x.real());
}

Number apply(Binary kind, Type type, Number a, Number b) {
  if (kind == Binary::kComplex) return {a.real(), b.real()};
  if (is_complex(type)) {
    if (kind == Binary::kAdd) return a + b;
    if (kind == Binary::kSubtract) return a - b;
    if (kind == Binary::kMultiply) return a * b;
    if (kind == Binary::kDivide) return a / b;
    refuse("operation", type);
  }
  if (!is_float(type)) return of_integers(kind, type, integer(a), integer(b));
  const auto i = static_cast<std::size_t>(kind);
  if (i >= std::size(kBinary)) refuse("operation", type);
  return kBinary[i](a.real(), b.real());
}

bool holds(Comparison kind, Type type, Number a, Number b) {
  if (kind == Comparison::kEq) return a == b;
  if (kind == Comparison::kNe) return a != b;
  if (is_complex(type)) refuse("order", type);
  if (kind == Comparison::kLt) return a.real() < b.real();
  if (kind == Comparison::kLe) return a.real() <= b.real();
  return kind == Comparison::kGt ? a.real() > b.real() : a.real() >= b.real();
}

Number combined(Reduction kind, Type type, Number a, Number b) {
  constexpr Binary kKinds[] = {Binary::kAdd,     Binary::kMultiply, Binary::kMaximum,
                               Binary::kMinimum, Binary::kMaximum,  Binary::kAnd,
                               Binary::kOr};
  // The second operand's NaN counts as the first's does.
  if (std::isnan(b.real())) std::swap(a, b);
  return apply(kKinds[static_cast<std::size_t>(kind)], type, a, b);
}

}  // namespace graphnet::lowering::ir
