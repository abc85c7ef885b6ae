// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/call.h"

namespace graphnet::lowering::decomposition {

struct Operands {
  Tensor left;
  Tensor right;
};

/// A tensor or number argument as a tensor of this type.
Tensor operand(Call& call, std::string_view name, Type type);
/// Two arguments, tensors or numbers, in the type in which the result is computed.
Operands operands(Call& call, std::string_view left, std::string_view right);
/// Two arguments in the type that ATen promotes them to.
Operands operands_as_promoted(Call& call, std::string_view left, std::string_view right);
/// Converts to the result's element type and expands to its shape.
Tensor finish(Call& call, const Tensor& x);

}  // namespace graphnet::lowering::decomposition
