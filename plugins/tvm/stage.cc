// SPDX-License-Identifier: MIT
#include "tvm_plugin/stage.h"

#include "tvm_plugin/arithmetic.h"

namespace graphnet::tvm {

using lowering::Reduction;
using lowering::Shape;

namespace {

// As TVM numbers kinds of loops.
constexpr int kDataParallel = 0;
constexpr int kReduced = 2;

// Whatever order pairs meet in.
Expr left_wins(bool largest, Type type, const Expr& a, const Expr& i, const Expr& b,
               const Expr& j) {
  const auto both = [](const Expr& x, const Expr& y) { return operation("And", x, y); };
  const auto either = [](const Expr& x, const Expr& y) { return operation("Or", x, y); };
  const Expr is_first = operation("LT", i, j);
  const lowering::Comparison order =
      largest ? lowering::Comparison::kGt : lowering::Comparison::kLt;
  const Expr wins = either(compare(order, type, a, b),
                           both(compare(lowering::Comparison::kEq, type, a, b), is_first));
  if (!lowering::is_float(type)) return wins;
  const Expr beats_nan = either(logical_not(is_nan(type, b)), is_first);
  return either(wins, both(is_nan(type, a), beats_nan));
}

}  // namespace

Expr Axes::add(const std::string& name, std::int64_t extent, int kind) {
  const Expr variable = index_variable(name);
  const Ref range = make("ir.Range", integer(0), integer(extent), nullptr);
  iterators.push_back(make("tirx.IterVar", range, variable, kind, String(""), nullptr));
  variables.push_back(variable);
  return variable;
}

Axes loops_over(const Shape& shape) {
  Axes axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    axes.add("i" + std::to_string(i), shape[i], kDataParallel);
  }
  return axes;
}

Axes reductions_over(const Shape& shape) {
  Axes axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    axes.add("k" + std::to_string(i), shape[i], kReduced);
  }
  return axes;
}

Ref compute(const std::string& name, const Axes& axes, const Expr& body) {
  const Ref op =
      make("te.ComputeOp", String(name), String(""), nullptr, axes.iterators, Array<Ref>{body});
  return make("te.OpGetOutput", op, 0);
}

Expr reduced(Reduction kind, Type given, const Expr& element, const Axes& over) {
  const Type type = value_type(given);
  const Ref prim = make("ir.PrimType", tvm_type(type));
  const Expr a = make("ir.Var", String("a"), prim, nullptr);
  const Expr b = make("ir.Var", String("b"), prim, nullptr);
  const Ref reducer =
      make("te.CommReducer", Array<Ref>{a}, Array<Ref>{b}, Array<Ref>{combine(kind, type, a, b)},
           Array<Ref>{identity(kind, type)}, nullptr);
  return make("te.Reduce", reducer, Array<Ref>{element}, over.iterators, literal(Type::kBool, 1), 0,
              Array<Ref>{}, nullptr);
}

Ref index_reducer(bool largest, Type type) {
  const auto variable = [](const char* name, Type of) {
    return make("ir.Var", String(name), make("ir.PrimType", tvm_type(of)), nullptr);
  };
  const Expr a = variable("a", type);
  const Expr i = variable("i", Type::kI64);
  const Expr b = variable("b", type);
  const Expr j = variable("j", Type::kI64);
  // What b stands for is evaluated once in each result.
  const auto chosen = [&](bool value) {
    const Expr t = variable("t", type);
    const Expr wins = left_wins(largest, type, a, i, t, j);
    return make("prim.Let", t, b, value ? select(wins, a, t) : select(wins, i, j), nullptr);
  };
  const Reduction kind = largest ? Reduction::kMax : Reduction::kMin;
  return make(
      "te.CommReducer", Array<Ref>{a, i}, Array<Ref>{b, j}, Array<Ref>{chosen(true), chosen(false)},
      Array<Ref>{identity(kind, type), make("prim.max_value", tvm_type(Type::kI64), nullptr)},
      nullptr);
}

std::int64_t tile_of(std::int64_t extent, std::int64_t most) {
  if (extent <= most) return extent;
  std::int64_t best = most;
  std::int64_t least = extent;
  for (std::int64_t tile = most; tile * 2 > most; --tile) {
    const std::int64_t wasted = (tile - extent % tile) % tile;
    if (wasted < least) {
      least = wasted;
      best = tile;
    }
  }
  return best;
}

}  // namespace graphnet::tvm
