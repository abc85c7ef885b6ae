// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <vector>

namespace graphnet::eager {

/// An operator call with its constants settled, through the dispatcher's unboxed entry: the same
/// call as callBoxed() on a stack, without packing arguments and unpacking them again.
///
/// order    tensors: the operator's tensor arguments in schema order, those that are constants
///          (None) left out; borrowed for the call
/// errors   throws what libtorch throws
using TypedCall = std::function<at::Tensor(const at::Tensor* const* tensors)>;

/// What make_typed_call() knows of an argument: a tensor that comes with each call, or a constant.
struct TypedOperand {
  bool is_tensor = false;
  const c10::IValue* constant = nullptr;
};

/// The typed call of an operator, or an empty function if its signature is none of the listed ones
/// (those of the most frequent calls) or it writes to an argument.
TypedCall make_typed_call(const c10::OperatorHandle& handle,
                          const std::vector<TypedOperand>& operands);

}  // namespace graphnet::eager
