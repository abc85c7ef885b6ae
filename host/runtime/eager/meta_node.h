// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include "eager/overload.h"
#include "graph/graph.h"

namespace graphnet::eager {

/// A dense tensor without data like a value of a graph.
at::Tensor meta_tensor(const graph::Value& value);

/// The arguments of a node as a call takes them, with tensors on the Meta device.
///
/// errors   TraceError kInternal if the node has not the arguments of the overload's schema
c10::Stack meta_arguments(const graph::Graph& graph, const graph::Node& node,
                          const Overload& overload);

}  // namespace graphnet::eager
