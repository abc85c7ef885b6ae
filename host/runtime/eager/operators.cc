// SPDX-License-Identifier: MIT
// Python's operators on tensors and on host numbers, as torch's Tensor class defines them.
#include <array>
#include <cmath>
#include <utility>

#include "eager/trace_error.h"
#include "eager/tracer.h"

namespace graphnet::eager {

namespace {

struct OperatorRow {
  const char* symbol;
  const char* tensor_first;  // tensor <op> anything
  const char* in_place;      // target <op>= anything; null: no in-place form
};

constexpr std::array<OperatorRow, 10> kBinary = {{
    {"+", "aten::add", "aten::add_"},
    {"-", "aten::sub", "aten::sub_"},
    {"*", "aten::mul", "aten::mul_"},
    {"/", "aten::div", "aten::div_"},
    {"//", "aten::floor_divide", "aten::floor_divide_"},
    {"%", "aten::remainder", "aten::remainder_"},
    {"**", "aten::pow", "aten::pow_"},
    {"@", "aten::matmul", nullptr},
    {"&", "aten::__and__", "aten::__iand__"},
    {"|", "aten::__or__", "aten::__ior__"},
}};

struct CompareRow {
  const char* symbol;
  const char* tensor_first;
  const char* number_first;  // number <op> tensor, mirrored
};

constexpr std::array<CompareRow, 6> kCompare = {{
    {">", "aten::gt", "aten::lt"},
    {"<", "aten::lt", "aten::gt"},
    {">=", "aten::ge", "aten::le"},
    {"<=", "aten::le", "aten::ge"},
    {"==", "aten::eq", "aten::eq"},
    {"!=", "aten::ne", "aten::ne"},
}};

const OperatorRow& find_binary(const std::string& symbol) {
  for (const OperatorRow& row : kBinary) {
    if (symbol == row.symbol) return row;
  }
  fail_unsupported("operator " + symbol);
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::int64_t integer_power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (std::int64_t i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(result, base, &result)) fail_input("integer power overflows");
  }
  return result;
}

Value integer_arithmetic(const std::string& symbol, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflow = false;
  if (symbol == "+") {
    overflow = __builtin_add_overflow(a, b, &result);
  } else if (symbol == "-") {
    overflow = __builtin_sub_overflow(a, b, &result);
  } else if (symbol == "*") {
    overflow = __builtin_mul_overflow(a, b, &result);
  } else if (symbol == "&") {
    result = a & b;
  } else if (symbol == "|") {
    result = a | b;
  } else if (symbol == "**" && b >= 0) {
    result = integer_power(a, b);
  } else {
    if (b == 0) fail_input("integer division by zero");
    if (symbol == "/") return Value::from_float(static_cast<double>(a) / static_cast<double>(b));
    if (symbol == "//") return Value::from_integer(floor_divide(a, b));
    if (symbol == "%") return Value::from_integer(a - floor_divide(a, b) * b);
    fail_unsupported("operator " + symbol + " on integers");
  }
  if (overflow) fail_input("integer overflow in " + symbol);
  return Value::from_integer(result);
}

Value float_arithmetic(const std::string& symbol, double a, double b) {
  if (symbol == "+") return Value::from_float(a + b);
  if (symbol == "-") return Value::from_float(a - b);
  if (symbol == "*") return Value::from_float(a * b);
  if (symbol == "**") return Value::from_float(std::pow(a, b));
  if (b == 0) fail_input("float division by zero");
  if (symbol == "/") return Value::from_float(a / b);
  if (symbol == "//") return Value::from_float(std::floor(a / b));
  if (symbol == "%") return Value::from_float(a - b * std::floor(a / b));
  fail_unsupported("operator " + symbol + " on floats");
}

Value number_arithmetic(const std::string& symbol, const Value& left, const Value& right) {
  if (!left.is_number() || !right.is_number()) {
    fail_unsupported(left.describe() + " " + symbol + " " + right.describe());
  }
  if (left.is_integer() && right.is_integer()) {
    return integer_arithmetic(symbol, left.integer, right.integer);
  }
  return float_arithmetic(symbol, left.as_double(), right.as_double());
}

template <typename T>
bool compare_as(const std::string& symbol, T a, T b) {
  if (symbol == ">") return a > b;
  if (symbol == "<") return a < b;
  if (symbol == ">=") return a >= b;
  if (symbol == "<=") return a <= b;
  if (symbol == "==") return a == b;
  return a != b;
}

// [None] * n, with n an int or a 0-d tensor: Python's list repetition.
Value repeat_list(const Value& list, std::int64_t times) {
  constexpr std::int64_t kMostItems = 1 << 20;
  const auto length = static_cast<std::int64_t>(list.items.size());
  if (times > 0 && length > kMostItems / times) fail_input("list repetition is too long");
  std::vector<Value> items;
  for (std::int64_t i = 0; i < times; ++i) {
    items.insert(items.end(), list.items.begin(), list.items.end());
  }
  return Value::list(std::move(items));
}

}  // namespace

Value Tracer::binary(const std::string& symbol, const Value& left, const Value& right) {
  if (left.is_sequence() && symbol == "*") return repeat_list(left, to_integer(right));
  if (left.is_sequence() && right.is_sequence() && symbol == "+") {
    std::vector<Value> items = left.items;
    items.insert(items.end(), right.items.begin(), right.items.end());
    return left.kind == Value::Kind::kTuple ? Value::tuple(std::move(items))
                                            : Value::list(std::move(items));
  }
  if (left.is_tensor()) return call_with(find_binary(symbol).tensor_first, left, right);
  if (!right.is_tensor()) return number_arithmetic(symbol, left, right);
  // number <op> tensor: the reflected methods of torch.Tensor.
  if (symbol == "+" || symbol == "*" || symbol == "&" || symbol == "|") {
    return call_with(find_binary(symbol).tensor_first, right, left);
  }
  if (symbol == "-") return call_with("aten::rsub", right, left);
  if (symbol == "/") {
    return call_with("aten::mul", call_with("aten::reciprocal", right), left);
  }
  return call_with(find_binary(symbol).tensor_first, left, right);
}

Value Tracer::augmented(const std::string& symbol, const Value& target, const Value& value) {
  const OperatorRow& row = find_binary(symbol);
  if (!target.is_tensor() || row.in_place == nullptr) return binary(symbol, target, value);
  return call_with(row.in_place, target, value);
}

Value Tracer::compare(const std::string& symbol, const Value& left, const Value& right) {
  for (const CompareRow& row : kCompare) {
    if (symbol != row.symbol) continue;
    if (left.is_tensor()) return call_with(row.tensor_first, left, right);
    if (right.is_tensor()) return call_with(row.number_first, right, left);
    if (!left.is_number() || !right.is_number()) break;
    if (left.is_integer() && right.is_integer()) {
      return Value::boolean(compare_as(symbol, left.integer, right.integer));
    }
    return Value::boolean(compare_as(symbol, left.as_double(), right.as_double()));
  }
  fail_unsupported(left.describe() + " " + symbol + " " + right.describe());
}

Value Tracer::unary(const std::string& symbol, const Value& operand) {
  if (operand.is_tensor()) {
    return call_with(symbol == "-" ? "aten::neg" : "aten::bitwise_not", operand);
  }
  if (operand.kind == Value::Kind::kFloat && symbol == "-")
    return Value::from_float(-operand.number);
  if (!operand.is_integer()) fail_unsupported(symbol + " of " + operand.describe());
  if (symbol == "~") return Value::from_integer(~operand.integer);
  return integer_arithmetic("-", 0, operand.integer);
}

}  // namespace graphnet::eager
