// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include "lowering/decompose.h"
#include "lowering/decompose/operands.h"

namespace graphnet::lowering::decomposition {

namespace {

Tensors apply(Call& call, Unary kind) {
  const Tensor x = call.tensor("self");
  const Type type = compute_type(call.result_type());
  return {finish(call, call.b.unary(kind, call.b.convert(x, type)))};
}

Tensors apply(Call& call, Binary kind) {
  const Operands each = operands(call, "self", "other");
  return {finish(call, call.b.binary(kind, each.left, each.right))};
}

Tensors compare(Call& call, Comparison kind) {
  const Operands each = operands_as_promoted(call, "self", "other");
  return {call.b.compare(kind, each.left, each.right)};
}

// alpha belongs to the second operand of ATen's add and sub, to the first of rsub.
Tensor scaled(Call& call, const Tensor& x) {
  const double alpha = call.number("alpha", 1);
  return alpha == 1 ? x : call.b.multiply(x, alpha);
}

Tensors logical(Call& call, Binary kind) {
  Builder& b = call.b;
  return {b.binary(kind, b.convert(call.tensor("self"), Type::kBool),
                   b.convert(call.tensor("other"), Type::kBool))};
}

// Quotient rounded down; floats as c10::div_floor_floating, which differs from floor(a / b) where
// the quotient rounds up to an integer.
Tensor divide_down(Builder& b, const Tensor& left, const Tensor& right) {
  const Tensor rest = b.binary(Binary::kRemainder, left, right);
  const Tensor wrong_sign = b.binary(Binary::kXor, b.compare(Comparison::kLt, rest, 0),
                                     b.compare(Comparison::kLt, right, 0));
  const Tensor adjust = b.binary(Binary::kAnd, b.compare(Comparison::kNe, rest, 0), wrong_sign);
  if (!is_float(left.type)) {
    const Tensor quotient = b.divide(left, right);
    return b.select(adjust, b.add(quotient, -1), quotient);
  }
  Tensor quotient = b.divide(b.subtract(left, rest), right);
  quotient = b.select(adjust, b.add(quotient, -1), quotient);
  const Tensor down = b.unary(Unary::kFloor, quotient);
  const Tensor rounded =
      b.select(b.compare(Comparison::kGt, b.subtract(quotient, down), 0.5), b.add(down, 1), down);
  const Tensor by_zero = b.compare(Comparison::kEq, right, 0);
  return b.select(by_zero, b.divide(left, right), rounded);
}

Tensor raise(Builder& b, const Tensor& x, double exponent) {
  if (exponent == 0) return b.full(x.type, x.shape, 1);
  if (exponent == 1) return x;
  if (exponent == 2) return b.multiply(x, x);
  if (exponent == 3) return b.multiply(b.multiply(x, x), x);
  if (!is_float(x.type)) return b.binary(Binary::kPower, x, exponent);
  if (exponent == 0.5) return b.unary(Unary::kSqrt, x);
  if (exponent == -0.5) return b.unary(Unary::kRsqrt, x);
  if (exponent == -1) return b.divide(b.full(x.type, x.shape, 1), x);
  if (exponent == -2) return b.divide(b.full(x.type, x.shape, 1), b.multiply(x, x));
  return b.binary(Binary::kPower, x, exponent);
}

}  // namespace

Tensors abs(Call& call) {
  return apply(call, Unary::kAbs);
}
Tensors ceil(Call& call) {
  return is_float(call.result_type()) ? apply(call, Unary::kCeil) : Tensors{call.tensor("self")};
}
Tensors cos(Call& call) {
  return apply(call, Unary::kCos);
}
Tensors erf(Call& call) {
  return apply(call, Unary::kErf);
}
Tensors exp(Call& call) {
  return apply(call, Unary::kExp);
}
Tensors expm1(Call& call) {
  return apply(call, Unary::kExpm1);
}
Tensors floor(Call& call) {
  return is_float(call.result_type()) ? apply(call, Unary::kFloor) : Tensors{call.tensor("self")};
}
Tensors log(Call& call) {
  return apply(call, Unary::kLog);
}
Tensors neg(Call& call) {
  return apply(call, Unary::kNegate);
}
Tensors rsqrt(Call& call) {
  return apply(call, Unary::kRsqrt);
}
Tensors sin(Call& call) {
  return apply(call, Unary::kSin);
}
Tensors sqrt(Call& call) {
  return apply(call, Unary::kSqrt);
}
Tensors tanh(Call& call) {
  return apply(call, Unary::kTanh);
}

Tensors sign(Call& call) {
  const Tensor x = call.tensor("self");
  const Tensor sign = call.b.unary(Unary::kSign, x);
  if (!is_float(x.type)) return {sign};
  const Tensor is_nan = call.b.compare(Comparison::kNe, x, x);
  return {call.b.select(is_nan, call.b.full(x.type, x.shape, 0), sign)};
}

Tensors square(Call& call) {
  const Tensor x = call.b.convert(call.tensor("self"), compute_type(call.result_type()));
  return {finish(call, call.b.multiply(x, x))};
}

Tensors reciprocal(Call& call) {
  const Tensor x = call.b.convert(call.tensor("self"), compute_type(call.result_type()));
  return {finish(call, call.b.divide(call.b.full(x.type, x.shape, 1), x))};
}

Tensors add(Call& call) {
  const Operands each = operands(call, "self", "other");
  return {finish(call, call.b.add(each.left, scaled(call, each.right)))};
}

Tensors sub(Call& call) {
  const Operands each = operands(call, "self", "other");
  return {finish(call, call.b.subtract(each.left, scaled(call, each.right)))};
}

Tensors rsub(Call& call) {
  const Operands each = operands(call, "self", "other");
  return {finish(call, call.b.subtract(each.right, scaled(call, each.left)))};
}

Tensors mul(Call& call) {
  if (call.result_type() == Type::kBool) return logical(call, Binary::kAnd);
  return apply(call, Binary::kMultiply);
}

Tensors div(Call& call) {
  return apply(call, Binary::kDivide);
}

Tensors div_mode(Call& call) {
  const std::string mode = call.text("rounding_mode");
  if (mode.empty()) return div(call);
  const Operands each = operands(call, "self", "other");
  if (mode == "floor") return {finish(call, divide_down(call.b, each.left, each.right))};
  const Tensor quotient = call.b.divide(each.left, each.right);
  return {finish(call, lowering::is_float(quotient.type) ? call.b.truncate(quotient) : quotient)};
}

Tensors floor_divide(Call& call) {
  const Operands each = operands(call, "self", "other");
  return {finish(call, divide_down(call.b, each.left, each.right))};
}

// The sign of Python's %: that of the divisor.
Tensors remainder(Call& call) {
  Builder& b = call.b;
  const Operands each = operands(call, "self", "other");
  const Tensor rest = b.binary(Binary::kRemainder, each.left, each.right);
  const Tensor wrong_sign = b.binary(Binary::kXor, b.compare(Comparison::kLt, rest, 0),
                                     b.compare(Comparison::kLt, each.right, 0));
  const Tensor adjust = b.binary(Binary::kAnd, b.compare(Comparison::kNe, rest, 0), wrong_sign);
  return {finish(call, b.select(adjust, b.add(rest, each.right), rest))};
}

Tensors pow(Call& call) {
  const Operands each = operands(call, "self", "exponent");
  return {finish(call, call.b.binary(Binary::kPower, each.left, each.right))};
}

Tensors pow_scalar(Call& call) {
  const Tensor x = call.b.convert(call.tensor("self"), compute_type(call.result_type()));
  return {finish(call, raise(call.b, x, call.number("exponent")))};
}

Tensors addcmul(Call& call) {
  Builder& b = call.b;
  const Type type = compute_type(call.result_type());
  const auto operand = [&](const char* name) { return b.convert(call.tensor(name), type); };
  Tensor product = b.multiply(operand("tensor1"), operand("tensor2"));
  const double value = call.number("value", 1);
  if (value != 1) product = b.multiply(product, value);
  return {finish(call, b.add(operand("self"), product))};
}

Tensors bitwise_and(Call& call) {
  return apply(call, Binary::kAnd);
}
Tensors bitwise_or(Call& call) {
  return apply(call, Binary::kOr);
}
Tensors bitwise_not(Call& call) {
  return {call.b.unary(Unary::kNot, call.tensor("self"))};
}
Tensors logical_and(Call& call) {
  return logical(call, Binary::kAnd);
}
Tensors logical_or(Call& call) {
  return logical(call, Binary::kOr);
}
Tensors logical_not(Call& call) {
  return {call.b.unary(Unary::kNot, call.b.convert(call.tensor("self"), Type::kBool))};
}

Tensors eq(Call& call) {
  return compare(call, Comparison::kEq);
}
Tensors ne(Call& call) {
  return compare(call, Comparison::kNe);
}
Tensors lt(Call& call) {
  return compare(call, Comparison::kLt);
}
Tensors le(Call& call) {
  return compare(call, Comparison::kLe);
}
Tensors gt(Call& call) {
  return compare(call, Comparison::kGt);
}
Tensors ge(Call& call) {
  return compare(call, Comparison::kGe);
}

Tensors maximum(Call& call) {
  return apply(call, Binary::kMaximum);
}
Tensors minimum(Call& call) {
  return apply(call, Binary::kMinimum);
}

Tensors clamp(Call& call) {
  Builder& b = call.b;
  Tensor x = b.convert(call.tensor("self"), call.result_type());
  if (call.has("min")) x = b.binary(Binary::kMaximum, x, call.number("min"));
  if (call.has("max")) x = b.binary(Binary::kMinimum, x, call.number("max"));
  return {x};
}

Tensors masked_fill(Call& call) {
  Builder& b = call.b;
  const Tensor x = call.tensor("self");
  const Tensor value = operand(call, "value", call.result_type());
  const Tensor filled = b.select(call.tensor("mask"), value, x);
  return {b.expand(filled, call.result_shape())};
}

Tensors where(Call& call) {
  Builder& b = call.b;
  const Type type = call.result_type();
  const Tensor condition = b.convert(call.tensor("condition"), Type::kBool);
  return {b.expand(b.select(condition, operand(call, "self", type), operand(call, "other", type)),
                   call.result_shape())};
}

Tensors logit(Call& call) {
  Builder& b = call.b;
  Tensor x = b.convert(call.tensor("self"), call.result_type());
  // In the type of the result, as ATen: in half precision 1 - 1e-6 is 1, whose logit is infinite.
  if (call.has("eps")) x = b.clamp(x, call.number("eps"), 1 - call.number("eps"));
  x = b.convert(x, compute_type(x.type));
  const Tensor odds = b.divide(x, b.subtract(b.full(x.type, x.shape, 1), x));
  return {finish(call, b.unary(Unary::kLog, odds))};
}

}  // namespace graphnet::lowering::decomposition
