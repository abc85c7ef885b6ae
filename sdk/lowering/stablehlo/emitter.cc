// SPDX-License-Identifier: MIT
#include "lowering/stablehlo/emitter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "lowering/stablehlo/syntax.h"

namespace graphnet::lowering::stablehlo {

namespace {

struct UnaryName {
  Unary kind;
  const char* text;
};
constexpr std::array<UnaryName, 19> kUnaryNames = {{
    {Unary::kAbs, "stablehlo.abs"},
    {Unary::kNegate, "stablehlo.negate"},
    {Unary::kSign, "stablehlo.sign"},
    {Unary::kFloor, "stablehlo.floor"},
    {Unary::kCeil, "stablehlo.ceil"},
    {Unary::kExp, "stablehlo.exponential"},
    {Unary::kExpm1, "stablehlo.exponential_minus_one"},
    {Unary::kLog, "stablehlo.log"},
    {Unary::kLog1p, "stablehlo.log_plus_one"},
    {Unary::kSqrt, "stablehlo.sqrt"},
    {Unary::kRsqrt, "stablehlo.rsqrt"},
    {Unary::kSin, "stablehlo.sine"},
    {Unary::kCos, "stablehlo.cosine"},
    {Unary::kTanh, "stablehlo.tanh"},
    {Unary::kLogistic, "stablehlo.logistic"},
    {Unary::kErf, "chlo.erf"},
    {Unary::kNot, "stablehlo.not"},
    {Unary::kReal, "stablehlo.real"},
    {Unary::kImag, "stablehlo.imag"},
}};

constexpr std::array<const char*, 12> kBinaryNames = {
    "add",     "subtract", "multiply", "divide", "remainder", "power",
    "maximum", "minimum",  "and",      "or",     "xor",       "complex"};

constexpr std::array<const char*, 6> kComparisonNames = {"EQ", "NE", "LT", "LE", "GT", "GE"};

Type result_type(Unary kind, Type type) {
  if (kind != Unary::kReal && kind != Unary::kImag) return type;
  return type == Type::kC128 ? Type::kF64 : Type::kF32;
}

Type result_type(Binary kind, Type type) {
  if (kind != Binary::kComplex) return type;
  return type == Type::kF64 ? Type::kC128 : Type::kC64;
}

const char* comparison_type(Type type) {
  if (is_float(type)) return "FLOAT";
  return type == Type::kBool || type == Type::kU8 ? "UNSIGNED" : "SIGNED";
}

// The result of an element-wise operation on tensors of one layout.
Tensor like(Tensor result, const Tensor& operand) {
  result.shape = operand.shape;
  result.layout = operand.layout;
  return result;
}

}  // namespace

void Emitter::begin_node(std::string_view op, std::string_view where) {
  std::string location(op);
  if (!where.empty()) location += " " + std::string(where);
  // What would end the string of a location early, if a file name holds it.
  location.erase(std::remove_if(location.begin(), location.end(),
                                [](char c) { return c == '"' || c == '\\' || c == '\n'; }),
                 location.end());
  locations_.push_back(std::move(location));
}

// The shape is a copy: callers pass that of a line, which moves when lines are added.
Tensor Emitter::add(std::string text, const std::vector<Tensor>& operands, Type type, Shape shape,
                    bool is_cheap) {
  const auto found = by_text_.find(text);
  if (found != by_text_.end()) return {found->second, type, shape};
  Line line;
  line.type = type;
  line.shape = shape;
  line.is_cheap = is_cheap;
  line.where = static_cast<std::int32_t>(locations_.size()) - 1;
  for (const Tensor& operand : operands) {
    line.operands.push_back(operand.id);
    line.stage = std::max(line.stage, stage(operand));
  }
  const auto id = static_cast<std::int32_t>(lines_.size());
  by_text_.emplace(text, id);
  line.text = std::move(text);
  lines_.push_back(std::move(line));
  return {id, type, shape};
}

std::string Emitter::memory_type(const Tensor& x) const {
  return type_text(x.type, line(x).shape);
}

bool Emitter::is_bound(const Tensor& x) const {
  return stage(x) != Stage::kCall;
}

Tensor Emitter::argument(ArgumentSource source, std::uint32_t index, Type type,
                         const Shape& shape) {
  if (num_elements(shape) == 0) return splat(type, shape, 0);
  Line line;
  line.type = type;
  line.shape = shape;
  line.is_argument = true;
  line.argument = {source, index, {to_dl_type(type), shape}};
  line.stage = source == ArgumentSource::kWeight ? Stage::kBind : Stage::kCall;
  lines_.push_back(std::move(line));
  return {static_cast<std::int32_t>(lines_.size()) - 1, type, shape};
}

Tensor Emitter::constant(Type type, const Shape& shape, const void* data) {
  const std::int64_t count = num_elements(shape);
  if (count == 0) return splat(type, shape, 0);
  if (type == Type::kBool) {
    // MLIR has packed hexadecimal i1 in more than one way.
    return convert(constant(Type::kU8, shape, data), Type::kBool);
  }
  return add(
      "stablehlo.constant dense<" + dense_text(type, count, data) + "> : " + type_text(type, shape),
      {}, type, shape, true);
}

Tensor Emitter::splat(Type type, const Shape& shape, double value) {
  if (num_elements(shape) == 0) {
    return add_splat("dense<>", type, shape);
  }
  if (is_half(type)) return convert(splat(Type::kF32, shape, value), type);
  if (is_complex(type)) {
    const Type part = type == Type::kC128 ? Type::kF64 : Type::kF32;
    return binary(Binary::kComplex, splat(part, shape, value), splat(part, shape, 0));
  }
  return add_splat("dense<" + literal(type, value) + ">", type, shape);
}

Tensor Emitter::add_splat(const std::string& value, Type type, const Shape& shape) {
  const Tensor splat =
      add("stablehlo.constant " + value + " : " + type_text(type, shape), {}, type, shape, true);
  lines_[static_cast<std::size_t>(splat.id)].one_value = value;
  return splat;
}

Tensor Emitter::iota(Type type, const Shape& shape, std::int64_t dim) {
  if (num_elements(shape) == 0) return splat(type, shape, 0);
  if (type == Type::kBool) return convert(iota(Type::kI32, shape, dim), type);
  return add("stablehlo.iota dim = " + std::to_string(dim) + " : " + type_text(type, shape), {},
             type, shape, true);
}

Tensor Emitter::convert(const Tensor& x, Type type) {
  if (x.type == type) return x;
  if (type == Type::kBool) return compare(Comparison::kNe, x, splat(x.type, x.shape, 0));
  if (is_complex(x.type) && !is_complex(type)) {
    throw LoweringError("conversion of a complex tensor to a real one");
  }
  if (is_complex(type) && !is_complex(x.type)) {
    const Type part = type == Type::kC128 ? Type::kF64 : Type::kF32;
    return binary(Binary::kComplex, convert(x, part), splat(part, x.shape, 0));
  }
  const std::string text = "stablehlo.convert " + name(x) + " : (" + memory_type(x) + ") -> " +
                           type_text(type, line(x).shape);
  return like(add(text, {x}, type, line(x).shape), x);
}

Tensor Emitter::unary(Unary kind, const Tensor& x) {
  const auto found = std::find_if(kUnaryNames.begin(), kUnaryNames.end(),
                                  [kind](const UnaryName& each) { return each.kind == kind; });
  const Type type = result_type(kind, x.type);
  std::string types = memory_type(x);
  if (kind == Unary::kErf) types += " -> " + types;
  if (type != x.type) types = "(" + types + ") -> " + type_text(type, line(x).shape);
  return like(
      add(std::string(found->text) + " " + name(x) + " : " + types, {x}, type, line(x).shape), x);
}

Tensor Emitter::binary(Binary kind, const Tensor& a, const Tensor& b) {
  const std::vector<Tensor> operands = aligned({a, b});
  const Type type = result_type(kind, a.type);
  std::string text = std::string("stablehlo.") + kBinaryNames[static_cast<std::size_t>(kind)] +
                     " " + name(operands[0]) + ", " + name(operands[1]) + " : ";
  text += type_text(type, line(operands[0]).shape);
  return like(add(text, operands, type, line(operands[0]).shape), operands[0]);
}

Tensor Emitter::compare(Comparison kind, const Tensor& a, const Tensor& b) {
  const std::vector<Tensor> operands = aligned({a, b});
  const Shape shape = line(operands[0]).shape;
  const std::string operand = memory_type(operands[0]);
  const std::string text =
      std::string("stablehlo.compare ") + kComparisonNames[static_cast<std::size_t>(kind)] + ", " +
      name(operands[0]) + ", " + name(operands[1]) + ", " + comparison_type(a.type) + " : (" +
      operand + ", " + operand + ") -> " + type_text(Type::kBool, shape);
  return like(add(text, operands, Type::kBool, shape), operands[0]);
}

Tensor Emitter::select(const Tensor& condition, const Tensor& yes, const Tensor& no) {
  const std::vector<Tensor> operands = aligned({condition, yes, no});
  const std::string text = "stablehlo.select " + name(operands[0]) + ", " + name(operands[1]) +
                           ", " + name(operands[2]) + " : " + memory_type(operands[0]) + ", " +
                           memory_type(operands[1]);
  return like(add(text, operands, yes.type, line(operands[0]).shape), operands[0]);
}

}  // namespace graphnet::lowering::stablehlo
