// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "lowering/emitter.h"
#include "tvm_plugin/ffi.h"

namespace graphnet::tvm {

using lowering::Type;

/// A scalar expression of TVM (PrimExpr).
using Expr = Ref;
using Exprs = std::vector<Expr>;

DLDataType tvm_type(Type type);

/// bfloat16, which TVM's lowering has no variables of, is 16-bit integers in memory and float32,
/// rounded, in expressions. Every other type is itself.
Type storage_type(Type type);
Type value_type(Type type);
/// An element as it is stored, as a value, and back; `round` is of values computed in float32.
Expr from_storage(const Expr& stored, Type type);
Expr to_storage(const Expr& value, Type type);
Expr round_to(const Expr& value, Type type);

// ---- leaves ----
/// 64-bit, as indices are.
Expr integer(std::int64_t value);
/// Of any type but complex.
Expr literal(Type type, double value);
Expr index_variable(const std::string& name);
/// The known value of an index expression; nothing else is asked of constants.
bool is_constant(const Expr& e, std::int64_t& value);

// ---- indices, folded where known ----
Expr add(const Expr& a, const Expr& b);
Expr subtract(const Expr& a, const Expr& b);
Expr multiply(const Expr& a, const Expr& b);
Expr floor_divide(const Expr& a, std::int64_t b);
Expr floor_remainder(const Expr& a, std::int64_t b);
Expr minimum(const Expr& a, const Expr& b);
Expr maximum(const Expr& a, const Expr& b);

// ---- values ----
/// "Add", "Mul", "LT", ...: TVM's name of the operation.
Expr operation(const char* name, const Expr& a, const Expr& b);
Expr intrinsic(const char* name, Type type, const Exprs& args);
/// The same of any type of TVM's.
Expr operator_call(const char* name, const Ref& type, const Exprs& args);
/// What calls of an intrinsic of LLVM's take first: its number.
Expr llvm_number(const char* name);
/// A function of the C library.
Expr library_call(const char* name, Type type, const Exprs& args);
Expr cast(const Expr& e, Type type);
Expr reinterpret(const Expr& e, Type type);
/// Evaluates both sides.
Expr select(const Expr& condition, const Expr& yes, const Expr& no);
/// Evaluates one side: what the other reads may not exist.
Expr choose(const Expr& condition, const Expr& yes, const Expr& no);
Expr logical_not(const Expr& e);
/// Loads an element of a TE tensor.
Expr load(const Ref& tensor, const Exprs& indices);

}  // namespace graphnet::tvm
