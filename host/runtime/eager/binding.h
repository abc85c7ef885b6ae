// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "eager/overload.h"
#include "eager/tape.h"
#include "eager/value.h"

namespace graphnet::eager {

/// Arguments of a call as written: receiver first for methods.
struct CallArguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;
};

/// A call with its overload chosen and every schema argument filled.
struct BoundCall {
  const Overload* overload = nullptr;
  std::vector<Operand> operands;    ///< in schema order
  std::vector<at::Tensor> tensors;  ///< of the operands' slots, in order, lists flattened
};

/// Chooses the overload that Python's argument parser would and converts the arguments.
///
/// Conversions in order of cost: exact; int to float; one int for int[N]; varargs into int[];
/// 0-d tensor to int or Scalar; number to 0-d "wrapped" tensor (add, mul, ... only).
///
/// errors   TraceError kUnsupported naming the operator and what was given if no overload accepts
/// it source   torch/csrc/utils/python_arg_parser.cpp
///
/// `named`: the overload that the program names, "aten::add.Tensor"; it is chosen if it can be.
BoundCall bind_call(const std::string& aten_name, const CallArguments& arguments,
                    const std::string& named = {});

/// The int of an int, bool or 0-d integral tensor, as Python's __index__ gives it.
std::int64_t to_integer(const Value& value);
/// Ints of a tuple or list (or of one int).
std::vector<std::int64_t> to_integers(const Value& value);

}  // namespace graphnet::eager
