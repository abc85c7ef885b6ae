// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lowering/call.h"

namespace graphnet::lowering {

/// The operators that graphs in normal form hold, one for each line of ops.def.
enum class Op : std::uint16_t {
#define GN_OP(symbol, name, decomposition) symbol,
#include "lowering/ops.def"
#undef GN_OP
  kCount,
};
inline constexpr std::size_t kNumOps = static_cast<std::size_t>(Op::kCount);

/// A lowering: the node's results in order.
///
/// errors   LoweringError
using Handler = Tensors (*)(Call&);

/// What a plugin does with an operator: exactly one of three words.
struct OpRow {
  Op op = Op::kCount;
  Handler handler = nullptr;     ///< null: unsupported
  bool is_native = false;        ///< the plugin's own handler instead of the shared decomposition
  const char* reason = nullptr;  ///< why unsupported; an id of the plugin's gaps.yaml
};

/// Rows in the order of ops.def.
using OpTable = std::array<OpRow, kNumOps>;

/// "aten::add.Tensor".
std::string_view op_name(Op op);
/// The shared decomposition into primitives.
Handler decomposition_of(Op op);
/// kCount for a name that is not in ops.def.
Op find_op(std::string_view name);

/// Every operator by its decomposition: what a plugin's table starts from.
OpTable decompose_all();

/// True if row i is of operator i for all i: nothing missing, nothing twice.
constexpr bool is_complete(const OpTable& table) {
  for (std::size_t i = 0; i < kNumOps; ++i) {
    if (table[i].op != static_cast<Op>(i)) return false;
  }
  return true;
}

}  // namespace graphnet::lowering
