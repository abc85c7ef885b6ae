// SPDX-License-Identifier: MIT
#include "tvm_plugin/expression.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace graphnet::tvm {

namespace {

constexpr DLDataType kIndex = {kDLInt, 64, 1};

Expr folded(const char* name, const Expr& a, const Expr& b) {
  return make(std::string("prim._Op") + name, a, b, nullptr);
}

float rounded_to_bf16(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  if (std::isnan(value)) return value;
  bits = (bits + ((bits >> 16) & 1) + 0x7fff) & 0xffff0000;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

}  // namespace

DLDataType tvm_type(Type type) {
  return lowering::to_dl_type(type);
}

Type storage_type(Type type) {
  return type == Type::kBF16 ? Type::kI16 : type;
}

Type value_type(Type type) {
  return type == Type::kBF16 ? Type::kF32 : type;
}

Expr from_storage(const Expr& stored, Type type) {
  if (type != Type::kBF16) return stored;
  const Expr wide = cast(stored, Type::kI32);
  return reinterpret(make("prim.left_shift", wide, literal(Type::kI32, 16), nullptr), Type::kF32);
}

Expr to_storage(const Expr& value, Type type) {
  if (type != Type::kBF16) return value;
  const Expr bits = reinterpret(value, Type::kI32);
  return cast(make("prim.right_shift", bits, literal(Type::kI32, 16), nullptr), Type::kI16);
}

// To the nearest, ties to even. A NaN stays one if its upper 16 bits are not all ones, which those
// that processors make are not.
Expr round_to(const Expr& value, Type type) {
  if (type != Type::kBF16) return value;
  const Expr variable =
      make("ir.Var", String("r"), make("ir.PrimType", tvm_type(Type::kF32)), nullptr);
  const Expr bits = reinterpret(variable, Type::kI32);
  const auto masked = [](const Expr& e, double mask) {
    return make("prim.bitwise_and", e, literal(Type::kI32, mask), nullptr);
  };
  const Expr shifted = make("prim.right_shift", bits, literal(Type::kI32, 16), nullptr);
  const Expr up =
      operation("Add", bits, operation("Add", masked(shifted, 1), literal(Type::kI32, 32767)));
  return make("prim.Let", variable, value, reinterpret(masked(up, -65536), Type::kF32), nullptr);
}

Expr integer(std::int64_t value) {
  return make("ir.IntImm", kIndex, value, nullptr);
}

Expr literal(Type type, double value) {
  if (type == Type::kBool)
    return make("ir.IntImm", tvm_type(type), std::int64_t{value != 0}, nullptr);
  if (lowering::is_integer(type)) {
    // A double is no int64 at its upper end.
    const bool is_above = value >= 9223372036854775808.0;
    const auto whole =
        is_above ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(value);
    return make("ir.IntImm", tvm_type(type), whole, nullptr);
  }
  if (type == Type::kF16) return cast(literal(Type::kF32, value), type);
  if (type == Type::kBF16) return literal(Type::kF32, rounded_to_bf16(static_cast<float>(value)));
  if (type == Type::kF32) {
    // Beyond the type's range TVM refuses; eager rounds.
    const float rounded = static_cast<float>(value);
    if (!std::isfinite(rounded)) {
      const double bits =
          std::isnan(rounded) ? 2143289344.0 : (rounded > 0 ? 2139095040.0 : -8388608.0);
      return reinterpret(literal(Type::kI32, bits), type);
    }
    return make("ir.FloatImm", tvm_type(type), static_cast<double>(rounded), nullptr);
  }
  return make("ir.FloatImm", tvm_type(type), value, nullptr);
}

Expr index_variable(const std::string& name) {
  return make("ir.Var", String(name), make("ir.PrimType", kIndex), nullptr);
}

bool is_constant(const Expr& e, std::int64_t& value) {
  if (!is(e, "ir.IntImm")) return false;
  value = field(e, "value").cast<std::int64_t>();
  return true;
}

Expr add(const Expr& a, const Expr& b) {
  return folded("Add", a, b);
}
Expr subtract(const Expr& a, const Expr& b) {
  return folded("Sub", a, b);
}
Expr multiply(const Expr& a, const Expr& b) {
  return folded("Mul", a, b);
}
Expr floor_divide(const Expr& a, std::int64_t b) {
  return b == 1 ? a : folded("FloorDiv", a, integer(b));
}
Expr floor_remainder(const Expr& a, std::int64_t b) {
  return b == 1 ? integer(0) : folded("FloorMod", a, integer(b));
}
Expr minimum(const Expr& a, const Expr& b) {
  return folded("Min", a, b);
}
Expr maximum(const Expr& a, const Expr& b) {
  return folded("Max", a, b);
}

Expr operation(const char* name, const Expr& a, const Expr& b) {
  return folded(name, a, b);
}

Expr operator_call(const char* name, const Ref& type, const Exprs& args) {
  return make("ir.Call", type, make("ir.GetOp", String(name)), to_array(args), nullptr,
              Array<Ref>{}, nullptr);
}

Expr llvm_number(const char* name) {
  const auto id = call("target.llvm_lookup_intrinsic_id", String(name)).cast<std::int64_t>();
  return make("ir.IntImm", DLDataType{kDLUInt, 32, 1}, id, nullptr);
}

Expr intrinsic(const char* name, Type type, const Exprs& args) {
  return operator_call(name, make("ir.PrimType", tvm_type(type)), args);
}

Expr library_call(const char* name, Type type, const Exprs& args) {
  Exprs all = {make("ir.StringImm", String(name), nullptr)};
  all.insert(all.end(), args.begin(), args.end());
  return intrinsic("tirx.call_pure_extern", type, all);
}

Expr cast(const Expr& e, Type type) {
  return make("prim._cast", tvm_type(type), e, nullptr);
}

Expr reinterpret(const Expr& e, Type type) {
  return intrinsic("tirx.reinterpret", type, {e});
}

Expr select(const Expr& condition, const Expr& yes, const Expr& no) {
  return make("prim.Select", condition, yes, no, nullptr);
}

Expr choose(const Expr& condition, const Expr& yes, const Expr& no) {
  return make("prim._OpIfThenElse", condition, yes, no, nullptr);
}

Expr logical_not(const Expr& e) {
  return make("prim.Not", e, nullptr);
}

Expr load(const Ref& tensor, const Exprs& indices) {
  return make("te.TensorLoad", tensor, to_array(indices));
}

}  // namespace graphnet::tvm
