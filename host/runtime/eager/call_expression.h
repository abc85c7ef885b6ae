// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <functional>
#include <string>

#include "eager/overload.h"
#include "graph/program.h"

namespace graphnet::eager {

/// Whether Python's binding takes the tensor as the number that it was made from.
bool is_written_as_number(const std::string& aten_name, const at::Tensor& tensor);

/// torch.ops.aten.<name>.<overload>.
std::string spelling_of(const Overload& overload);

/// Gives the variable that stands for a tensor.
using NameTensor = std::function<graph::VariableId(const at::Tensor&)>;

/// torch.ops.aten.<name>.<overload>(...) with these arguments, in schema order; what has its
/// default is left out where it can be.
///
/// errors   TraceError: an argument that no program can spell
graph::Expression call_expression(const Overload& overload, const c10::Stack& arguments,
                                  const NameTensor& name);

/// torch.tensor(...) of a tensor's elements.
///
/// errors   TraceError: it has more than 4,096 elements, or a type that no program can spell
graph::Expression literal_expression(const at::Tensor& tensor);

}  // namespace graphnet::eager
