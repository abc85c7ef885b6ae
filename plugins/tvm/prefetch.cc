// SPDX-License-Identifier: MIT
#include "tvm_plugin/prefetch.h"

#include <optional>

#include "tvm_plugin/expression.h"
#include "tvm_plugin/vector_unit.h"

namespace graphnet::tvm {

namespace {

constexpr std::int64_t kLineBytes = 64;
// Smaller right sides are near after their first use, and asking costs some percent of a product.
constexpr std::int64_t kLargeBytes = 128 << 10;

/// What a factor reads: elements may be stored in another type than they are multiplied in.
std::optional<Ref> load_of(const Ref& factor) {
  if (is(factor, "ir.TensorLoad")) return factor;
  if (is(factor, "prim.Cast")) return load_of(child(factor, "value"));
  if (is(factor, "prim.LShift")) return load_of(child(factor, "a"));
  if (!is(factor, "ir.Call")) return std::nullopt;
  const auto arguments = field(factor, "args").cast<Array<Ref>>();
  return arguments.empty() ? std::nullopt : load_of(arguments[0]);
}

/// The load of the right side in acc = acc + left * right.
std::optional<Ref> right_load(const Ref& store) {
  if (!is(store, "tirx.BufferStore")) return std::nullopt;
  const Ref sum = child(store, "value");
  if (!is(sum, "prim.Add")) return std::nullopt;
  const Ref product = child(sum, "b");
  return is(product, "prim.Mul") ? load_of(child(product, "b")) : std::nullopt;
}

struct RightSide {
  std::int64_t bytes;  ///< in all
  std::int64_t row_bytes;
  std::int64_t element_bytes;
};

RightSide right_side_of(const Ref& load) {
  const auto type = field(child(load, "ty"), "dtype").cast<DLDataType>();
  RightSide right = {type.bits / 8, 0, type.bits / 8};
  for (const Ref& each : field(child(child(load, "source"), "ty"), "shape").cast<Array<Ref>>()) {
    std::int64_t extent = 0;
    is_constant(each, extent);  // else it stays 0: not known to be large
    right.bytes *= extent;
    right.row_bytes = extent * right.element_bytes;
  }
  return right;
}

/// An index of a block in the variables of the loops around it; nothing if it is no plain variable.
std::optional<Ref> outside(const Ref& index, const Ref& realize) {
  if (is(index, "ir.IntImm")) return index;
  const auto variables = field(child(realize, "block"), "iter_vars").cast<Array<Ref>>();
  const auto values = field(realize, "iter_values").cast<Array<Ref>>();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (child(variables[static_cast<std::int64_t>(i)], "var").same_as(index))
      return values[static_cast<std::int64_t>(i)];
  }
  return std::nullopt;
}

/// Where a panel's row begins that is read `steps` later. Behind the last one is the next panel,
/// and behind that whatever the address means: prefetching never faults.
std::optional<Exprs> row_ahead(const Ref& load, const Ref& realize, std::int64_t steps) {
  Exprs indices;
  for (const Ref& index : field(load, "indices").cast<Array<Ref>>()) {
    const std::optional<Ref> found = outside(index, realize);
    if (!found) return std::nullopt;
    indices.push_back(*found);
  }
  if (indices.size() < 2) return std::nullopt;
  Expr& depth = indices[indices.size() - 2];
  depth = add(depth, integer(steps));
  indices.back() = integer(0);
  return indices;
}

/// TVM's own intrinsic for this never ends when it is lowered.
Ref prefetch_of(const Ref& load, const Exprs& indices) {
  constexpr DLDataType kNothing = {kDLOpaqueHandle, 0, 0};
  const auto number = [](int value) { return literal(Type::kI32, value); };
  const Ref element = with_field(load, "indices", to_array(indices));
  const Ref pointer = make("ir.PointerType", field(load, "ty"), String(""));
  const Expr address = operator_call("tirx.address_of", pointer, {element});
  // To read, into all caches, data.
  const Exprs arguments = {llvm_number("llvm.prefetch"), address, number(0), number(3), number(1)};
  const Ref nothing = make("ir.PrimType", kNothing);
  return make("tirx.Evaluate", operator_call("tirx.call_llvm_intrin", nothing, arguments), nullptr);
}

}  // namespace

void prefetch_right_side(const Ref& schedule, const Ref& step) {
  const Ref loop = call("s_tir.schedule.ScheduleGet", schedule, step).cast<Ref>();
  Ref realize = child(loop, "body");
  while (is(realize, "tirx.For")) realize = child(realize, "body");
  if (!is(realize, "s_tir.SBlockRealize")) return;
  const std::optional<Ref> load = right_load(child(child(realize, "block"), "body"));
  if (!load) return;
  const RightSide right = right_side_of(*load);
  if (right.bytes < kLargeBytes) return;
  const std::optional<Exprs> ahead = row_ahead(*load, realize, kPrefetchedAhead / right.row_bytes);
  if (!ahead) return;
  Array<Ref> statements;
  for (std::int64_t at = 0; at < right.row_bytes; at += kLineBytes) {
    Exprs line = *ahead;
    line.back() = integer(at / right.element_bytes);
    statements.push_back(prefetch_of(*load, line));
  }
  statements.push_back(field(loop, "body").cast<Ref>());
  const Ref body = make("tirx.SeqStmt", statements, nullptr);
  call("s_tir.schedule.ScheduleStateReplace", call("s_tir.schedule.ScheduleGetState", schedule),
       call("s_tir.schedule.ScheduleGetSRef", schedule, step), with_field(loop, "body", body),
       Map<Ref, Ref>{});
}

}  // namespace graphnet::tvm
