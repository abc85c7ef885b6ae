// SPDX-License-Identifier: MIT
#include "lowering/op_table.h"

#include <array>
#include <unordered_map>

#include "lowering/decompose.h"

namespace graphnet::lowering {

namespace {

struct Entry {
  std::string_view name;
  Handler decomposition;
  bool is_composite;
};

constexpr std::array<Entry, kNumOps> kEntries = {{
#define GN_OP(symbol, name, function) {name, decomposition::function, false},
#define GN_COMPOSITE(symbol, name, function) {name, decomposition::function, true},
#include "lowering/ops.def"
#undef GN_OP
}};

}  // namespace

std::string_view op_name(Op op) {
  return kEntries[static_cast<std::size_t>(op)].name;
}

Handler decomposition_of(Op op) {
  return kEntries[static_cast<std::size_t>(op)].decomposition;
}

bool is_composite(Op op) {
  return kEntries[static_cast<std::size_t>(op)].is_composite;
}

Op find_op(std::string_view name) {
  static const auto* const by_name = [] {
    auto* map = new std::unordered_map<std::string_view, Op>;
    for (std::size_t i = 0; i < kNumOps; ++i) (*map)[kEntries[i].name] = static_cast<Op>(i);
    return map;
  }();
  const auto found = by_name->find(name);
  return found == by_name->end() ? Op::kCount : found->second;
}

}  // namespace graphnet::lowering
