// SPDX-License-Identifier: MIT
#include "lowering/decompose/operands.h"

namespace graphnet::lowering::decomposition {

namespace {

Type type_of_operand(Call& call, std::string_view name) {
  if (call.is_tensor(name)) return call.tensor(name).type;
  return call.is_float(name) ? Type::kF32 : Type::kI64;
}

bool is_scalar(Call& call, std::string_view name) {
  return !call.is_tensor(name) || call.tensor(name).rank() == 0;
}

}  // namespace

Tensor operand(Call& call, std::string_view name, Type type) {
  if (call.is_tensor(name)) return call.b.convert(call.tensor(name), type);
  if (!call.is_float(name)) {
    constexpr std::int64_t kLastExact = std::int64_t{1} << 53U;  // as a double
    const std::int64_t value = call.integer(name);
    if (value > kLastExact || value < -kLastExact) {
      return call.b.convert(call.b.emit.constant(Type::kI64, {}, &value), type);
    }
  }
  return call.b.full(type, {}, call.number(name));
}

Operands operands(Call& call, std::string_view left, std::string_view right) {
  const Type type = compute_type(call.result_type());
  return {operand(call, left, type), operand(call, right, type)};
}

Operands operands_as_promoted(Call& call, std::string_view left, std::string_view right) {
  const Type type = promote(type_of_operand(call, left), is_scalar(call, left),
                            type_of_operand(call, right), is_scalar(call, right));
  return {operand(call, left, type), operand(call, right, type)};
}

Tensor finish(Call& call, const Tensor& x) {
  return call.b.expand(call.b.convert(x, call.result_type()), call.result_shape());
}

}  // namespace graphnet::lowering::decomposition
