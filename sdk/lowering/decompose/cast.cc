// SPDX-License-Identifier: MIT
//
// Copies, casts and views of the bytes.
#include "lowering/decompose.h"
#include "lowering/decompose/operands.h"

namespace graphnet::lowering::decomposition {

Tensors identity(Call& call) {
  return {call.tensor("self")};
}

Tensors identity_input(Call& call) {
  if (call.flag("train") && call.number("p") != 0) throw LoweringError("dropout in training");
  return {call.tensor("input")};
}

Tensors cast(Call& call) {
  return {call.b.convert(call.tensor("self"), call.result_type())};
}

Tensors copy(Call& call) {
  return {finish(call, call.tensor("src"))};
}

Tensors real(Call& call) {
  const Tensor x = call.tensor("self");
  return {is_complex(x.type) ? call.b.unary(Unary::kReal, x) : x};
}

Tensors view_as_real(Call& call) {
  Builder& b = call.b;
  const Tensor x = call.tensor("self");
  Shape part = x.shape;
  part.push_back(1);
  const Tensor real_part = b.reshape(b.unary(Unary::kReal, x), part);
  const Tensor imaginary = b.reshape(b.unary(Unary::kImag, x), part);
  return {b.emit.concatenate({real_part, imaginary}, x.rank())};
}

}  // namespace graphnet::lowering::decomposition
