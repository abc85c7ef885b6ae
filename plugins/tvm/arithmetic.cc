// SPDX-License-Identifier: MIT
#include "tvm_plugin/arithmetic.h"

#include <array>
#include <limits>

#include "lowering/tensor.h"

namespace graphnet::tvm {

using lowering::Binary;
using lowering::Comparison;
using lowering::LoweringError;
using lowering::Reduction;
using lowering::Unary;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Notation over expressions of one type.
struct Number {
  Type type;
  Expr e;
};
Number number(Type type, Expr e) {
  return {type, std::move(e)};
}
Number value_like(const Number& x, double value) {
  return {x.type, literal(x.type, value)};
}
Number operator+(const Number& a, const Number& b) {
  return {a.type, operation("Add", a.e, b.e)};
}
Number operator-(const Number& a, const Number& b) {
  return {a.type, operation("Sub", a.e, b.e)};
}
Number operator*(const Number& a, const Number& b) {
  return {a.type, operation("Mul", a.e, b.e)};
}
Number operator/(const Number& a, const Number& b) {
  return {a.type, operation("Div", a.e, b.e)};
}
Number operator+(const Number& a, double b) {
  return a + value_like(a, b);
}
Number operator-(const Number& a, double b) {
  return a - value_like(a, b);
}
Expr operator<(const Number& a, double b) {
  return operation("LT", a.e, literal(a.type, b));
}
Expr operator>(const Number& a, double b) {
  return operation("GT", a.e, literal(a.type, b));
}
Number choice(const Expr& condition, const Number& yes, const Number& no) {
  return {yes.type, select(condition, yes.e, no.e)};
}

/// Bound to a variable, so that it is computed once; a variable stays.
template <typename Body>
Number with(const Number& value, Body body) {
  if (is(value.e, "ir.Var")) return body(value);
  const Expr variable =
      make("ir.Var", String("t"), make("ir.PrimType", tvm_type(value.type)), nullptr);
  const Number result = body(Number{value.type, variable});
  return {result.type, make("prim.Let", variable, value.e, result.e, nullptr)};
}

// source   Taylor, up to x^8: 3e-9 of the result at 0.5
Number exponential_minus_one(const Number& given) {
  return with(given, [](const Number& x) {
    Number sum = value_like(x, 1.0 / 40320);
    for (const double factor : {5040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0}) {
      sum = sum * x + 1 / factor;
    }
    const Expr is_small = operation("And", x > -0.5, x < 0.5);
    const Number power = {x.type, intrinsic("tirx.exp", x.type, {x.e})};
    return choice(is_small, sum * x, power - 1);
  });
}

struct Function {
  Unary kind;
  const char* of_f32;  ///< intrinsic, vector_math.h
  const char* of_f64;  ///< in the C library
};

constexpr std::array<Function, 5> kFunctions = {{
    {Unary::kExp, "tirx.exp", "exp"},
    {Unary::kLog, "tirx.log", "log"},
    {Unary::kLog1p, "tirx.log1p", "log1p"},
    {Unary::kTanh, "tirx.tanh", "tanh"},
    {Unary::kErf, "tirx.erf", "erf"},
}};

Number logistic(const Number& x) {
  const Number negated = value_like(x, -1) * x;
  const Expr power = x.type == Type::kF64 ? library_call("exp", x.type, {negated.e})
                                          : intrinsic("tirx.exp", x.type, {negated.e});
  return value_like(x, 1) / (Number{x.type, power} + 1);
}

bool is_number(const Expr& e) {
  return is(e, "ir.FloatImm");
}

Expr or_nan(const Expr& condition, const Number& x) {
  return is_number(x.e) ? condition : operation("Or", condition, is_nan(x.type, x.e));
}

/// A number stays one: what is known of it is folded.
template <typename Body>
Number with_operand(const Number& value, Body body) {
  return is_number(value.e) ? body(value) : with(value, body);
}

Number sign(const Number& given) {
  return with(given, [](const Number& x) {
    const Number rest = x.type == Type::kU8 ? x : choice(x < 0, value_like(x, -1), x);
    return choice(x > 0, value_like(x, 1), rest);
  });
}

Expr negated(Type type, const Expr& x) {
  // 0 - x would lose the sign of zero.
  return lowering::is_float(type) ? operation("Mul", x, literal(type, -1))
                                  : operation("Sub", literal(type, 0), x);
}

Expr absolute(Type type, const Expr& given) {
  if (lowering::is_float(type)) return intrinsic("tirx.fabs", type, {given});
  if (type == Type::kU8) return given;
  return with({type, given},
              [](const Number& x) {
                return choice(x < 0, {x.type, negated(x.type, x.e)}, x);
              })
      .e;
}

Expr integer_power(Type type, const Expr& a, const Expr& b) {
  const Expr power = intrinsic("tirx.pow", Type::kF64, {cast(a, Type::kF64), cast(b, Type::kF64)});
  return cast(power, type);
}

/// The larger (smaller), NaN if one is. TVM's own loses NaN, and comparisons with selections, which
/// its simplifier looks into again and again, take it minutes where several meet.
Expr extreme(bool largest, Type type, const Expr& a, const Expr& b) {
  if (!lowering::is_float(type)) return operation(largest ? "Max" : "Min", a, b);
  if (type == Type::kF16) {
    return cast(extreme(largest, Type::kF32, cast(a, Type::kF32), cast(b, Type::kF32)), type);
  }
  const char* const name = largest ? "llvm.maximum" : "llvm.minimum";
  return intrinsic("tirx.call_llvm_pure_intrin", type, {llvm_number(name), a, b});
}

/// TVM refuses to divide by a zero that it knows of; the product with infinity is the same, but for
/// a zero that it knows of, too.
Expr quotient(Type type, const Expr& a, const Expr& b) {
  const auto is_zero = [](const Expr& e) {
    return is_number(e) && field(e, "value").cast<double>() == 0;
  };
  if (!is_zero(b)) return operation("Div", a, b);
  if (is_zero(a)) return literal(type, std::numeric_limits<double>::quiet_NaN());
  return operation("Mul", a, literal(type, kInfinity));
}

Expr remainder(Type type, const Expr& a, const Expr& b) {
  if (type == Type::kF64) return library_call("fmod", type, {a, b});
  const Expr wide = library_call("fmodf", Type::kF32, {cast(a, Type::kF32), cast(b, Type::kF32)});
  return cast(wide, type);
}

Expr logic(const char* of_bool, const char* of_bits, Type type, const Expr& a, const Expr& b) {
  return type == Type::kBool ? operation(of_bool, a, b) : make(of_bits, a, b, nullptr);
}

}  // namespace

Expr unary(Unary kind, Type type, const Expr& x) {
  if (type == Type::kBF16) return round_to(unary(kind, Type::kF32, x), type);
  if (type == Type::kF16 && kind != Unary::kNegate && kind != Unary::kNot) {
    return cast(unary(kind, Type::kF32, cast(x, Type::kF32)), type);
  }
  for (const Function& function : kFunctions) {
    if (function.kind != kind) continue;
    return type == Type::kF32 ? intrinsic(function.of_f32, type, {x})
                              : library_call(function.of_f64, type, {x});
  }
  switch (kind) {
    case Unary::kExpm1:
      return type == Type::kF32 ? exponential_minus_one({type, x}).e
                                : library_call("expm1", type, {x});
    case Unary::kAbs:
      return absolute(type, x);
    case Unary::kNegate:
      return negated(type, x);
    case Unary::kSign:
      return sign({type, x}).e;
    case Unary::kFloor:
      return lowering::is_float(type) ? intrinsic("tirx.floor", type, {x}) : x;
    case Unary::kCeil:
      return lowering::is_float(type) ? intrinsic("prim.ceil", type, {x}) : x;
    case Unary::kSqrt:
      return intrinsic("tirx.sqrt", type, {x});
    case Unary::kRsqrt:
      return operation("Div", literal(type, 1), intrinsic("tirx.sqrt", type, {x}));
    case Unary::kSin:
      return intrinsic("tirx.sin", type, {x});
    case Unary::kCos:
      return intrinsic("tirx.cos", type, {x});
    case Unary::kLogistic:
      return logistic(number(type, x)).e;
    case Unary::kNot:
      return type == Type::kBool ? logical_not(x) : make("prim.bitwise_not", x, nullptr);
    default:
      throw LoweringError("TVM has no complex numbers");
  }
}

Expr binary(Binary kind, Type type, const Expr& a, const Expr& b) {
  if (type == Type::kBF16) return round_to(binary(kind, Type::kF32, a, b), type);
  const bool is_float = lowering::is_float(type);
  switch (kind) {
    case Binary::kAdd:
      return operation(type == Type::kBool ? "Or" : "Add", a, b);
    case Binary::kSubtract:
      return operation("Sub", a, b);
    case Binary::kMultiply:
      return operation(type == Type::kBool ? "And" : "Mul", a, b);
    case Binary::kDivide:
      return is_float ? quotient(type, a, b) : operation("TruncDiv", a, b);
    case Binary::kRemainder:
      return is_float ? remainder(type, a, b) : operation("TruncMod", a, b);
    case Binary::kPower:
      return is_float ? intrinsic("tirx.pow", type, {a, b}) : integer_power(type, a, b);
    case Binary::kMaximum:
      return type == Type::kBool ? operation("Or", a, b) : extreme(true, type, a, b);
    case Binary::kMinimum:
      return type == Type::kBool ? operation("And", a, b) : extreme(false, type, a, b);
    case Binary::kAnd:
      return logic("And", "prim.bitwise_and", type, a, b);
    case Binary::kOr:
      return logic("Or", "prim.bitwise_or", type, a, b);
    case Binary::kXor:
      if (type == Type::kBool) return compare(Comparison::kNe, type, a, b);
      return make("prim.bitwise_xor", a, b, nullptr);
    case Binary::kComplex:
      break;
  }
  throw LoweringError("TVM has no complex numbers");
}

Expr is_nan(Type type, const Expr& x) {
  if (type == Type::kF16) return is_nan(Type::kF32, cast(x, Type::kF32));
  const bool is_wide = type == Type::kF64;
  const Type bits = is_wide ? Type::kI64 : Type::kI32;
  const double infinity = is_wide ? 9218868437227405312.0 : 2139095040.0;
  const Expr mask =
      is_wide ? make("prim.max_value", tvm_type(bits), nullptr) : literal(bits, 2147483647.0);
  const Expr magnitude = make("prim.bitwise_and", reinterpret(x, bits), mask, nullptr);
  return operation("GT", magnitude, literal(bits, infinity));
}

Expr compare(Comparison kind, Type type, const Expr& a, const Expr& b) {
  if (type == Type::kBF16) return compare(kind, Type::kF32, a, b);
  static constexpr std::array<const char*, 6> kNames = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  const char* const name = kNames[static_cast<std::size_t>(kind)];
  if (type == Type::kBool) return operation(name, cast(a, Type::kU8), cast(b, Type::kU8));
  if (kind != Comparison::kNe || !lowering::is_float(type)) return operation(name, a, b);
  return with_operand({type, a},
                      [&](const Number& x) {
                        return with_operand({type, b}, [&](const Number& y) {
                          return number(Type::kBool,
                                        or_nan(or_nan(operation(name, x.e, y.e), x), y));
                        });
                      })
      .e;
}

Expr convert(const Expr& x, Type from, Type to) {
  // TVM's analysis of integers refuses casts from vectors of bool.
  if (from == Type::kBool) return select(x, literal(to, 1), literal(to, 0));
  if (to == Type::kBF16) return round_to(cast(x, Type::kF32), to);
  return cast(x, value_type(to) == value_type(from) ? value_type(from) : to);
}

Expr combine(Reduction kind, Type type, const Expr& a, const Expr& given) {
  switch (kind) {
    case Reduction::kSum:
      return operation("Add", a, given);
    case Reduction::kProduct:
      return operation("Mul", a, given);
    case Reduction::kAnd:
      return binary(Binary::kAnd, type, a, given);
    case Reduction::kOr:
      return binary(Binary::kOr, type, a, given);
    default:
      break;
  }
  if (kind == Reduction::kMaxNumber) return operation("Max", a, given);
  return binary(kind == Reduction::kMax ? Binary::kMaximum : Binary::kMinimum, type, a, given);
}

Expr combine_in_pairs(Reduction kind, Type type, Exprs parts) {
  while (parts.size() > 1) {
    const std::size_t half = parts.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
      parts[i] = combine(kind, type, parts[i], parts[half + i]);
    }
    parts.resize(half);
  }
  return parts[0];
}

Expr identity(Reduction kind, Type type) {
  const bool is_float = lowering::is_float(type);
  switch (kind) {
    case Reduction::kSum:
    case Reduction::kOr:
      return literal(type, 0);
    case Reduction::kProduct:
      return literal(type, 1);
    case Reduction::kAnd:
      return type == Type::kBool ? literal(type, 1) : literal(type, -1);
    case Reduction::kMax:
    case Reduction::kMaxNumber:
      if (is_float) return literal(type, -kInfinity);
      if (type == Type::kBool) return literal(type, 0);
      return make("prim.min_value", tvm_type(type), nullptr);
    case Reduction::kMin:
      if (is_float) return literal(type, kInfinity);
      if (type == Type::kBool) return literal(type, 1);
      return make("prim.max_value", tvm_type(type), nullptr);
  }
  throw LoweringError("an unknown reduction");
}

}  // namespace graphnet::tvm
