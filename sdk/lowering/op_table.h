// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lowering/call.h"

namespace graphnet::lowering {

/// The operators of graphs in normal form, one for each line of ops.def.
enum class Op : std::uint16_t {
#define GN_OP(symbol, name, function) symbol,
#include "lowering/ops.def"
#undef GN_OP
  kCount,
};
inline constexpr std::size_t kNumOps = static_cast<std::size_t>(Op::kCount);

/// A lowering: the node's results in order.
///
/// errors   LoweringError
using Handler = Tensors (*)(Call&);

/// An operator that a plugin refuses. All others are lowered by the shared decomposition.
/// sdk/conformance has cases for every operator, so an operator that is missing here fails there.
struct UnsupportedOp {
  Op op = Op::kCount;
  const char* reason = nullptr;  ///< what a user is told
};

/// "aten::add.Tensor".
std::string_view op_name(Op op);
/// The shared decomposition into primitives.
Handler decomposition_of(Op op);
/// Whether graphs keep the operator whole (ir::Composite).
bool is_composite(Op op);
/// kCount for a name that is not in ops.def.
Op find_op(std::string_view name);

}  // namespace graphnet::lowering
