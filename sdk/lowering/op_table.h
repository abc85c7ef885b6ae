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

/// What a plugin does with an operator.
enum class How : std::uint8_t {
  kNative,       ///< the plugin's own handler
  kDecompose,    ///< the shared decomposition into primitives
  kUnsupported,  ///< for the reason given, an id of the plugin's gaps.yaml
};

struct OpRow {
  Op op = Op::kCount;
  How how = How::kUnsupported;
  Handler handler = nullptr;     ///< kNative
  const char* reason = nullptr;  ///< kUnsupported
};

constexpr OpRow native(Op op, Handler handler) {
  return {op, How::kNative, handler, nullptr};
}
constexpr OpRow decompose(Op op) {
  return {op, How::kDecompose, nullptr, nullptr};
}
constexpr OpRow unsupported(Op op, const char* reason) {
  return {op, How::kUnsupported, nullptr, reason};
}

/// Rows in the order of ops.def.
using OpTable = std::array<OpRow, kNumOps>;

/// True if row i is of operator i for all i: nothing missing, nothing twice. For a static_assert
/// beside each table.
constexpr bool is_complete(const OpTable& table) {
  for (std::size_t i = 0; i < kNumOps; ++i) {
    if (table[i].op != static_cast<Op>(i)) return false;
  }
  return true;
}

/// "aten::add.Tensor".
std::string_view op_name(Op op);
/// The shared decomposition into primitives.
Handler decomposition_of(Op op);
/// kCount for a name that is not in ops.def.
Op find_op(std::string_view name);

}  // namespace graphnet::lowering
