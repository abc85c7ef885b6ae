// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "graph/graph.h"

namespace graphnet::graph {

/// A graph as text, one parameter, constant or node a line (`.gir`):
///
///     graph "torchvision/example"
///     %0: f32[1,3,8,8] = input "L_x_"
///     %1: f32[4,3,3,3] = weight "L_weight_"
///     %2: i64[2] = constant [0, -1]
///     %3: f32[1,4,6,6] = aten::relu(self=%0)  # model.py:12:5
///     %4: f32[4], _ = aten::max.dim(self=%1, dim=1, keepdim=false)
///     specialised %0
///     return %3, %4
///
/// Attributes are `none`, `true`, `-1`, `1.0` (a float has a point, an exponent or is inf or nan),
/// `"text"`, `f32` and `ints[1, 2]`, `floats[]`, `bools[true]`; lists of values `(%1, none)`.
/// `random "random0" [...]` is an input that the host draws. Elements of integers and bools are
/// decimal numbers, those of other types their bits (`0x3f800000`). Numbers are exact. Empty lines
/// and lines that begin with `#` mean nothing.
///
/// order    parse_graph(print_graph(g)) is g for every graph that keeps its rules (verify_graph.h)
///          and gives each of its values
std::string print_graph(const Graph& graph);

/// One line of print_graph for a node, without its position and the line's end.
std::string print_node(const Graph& graph, const Node& node);

/// "f32[1,64,56,56]".
std::string print_type(const Value& value);

/// `file` is named in messages only.
///
/// errors   kInput "<file>:<line>:<column>: expected ..., found ...". Whether operators exist is
///          not asked here.
base::Result<Graph> parse_graph(std::string_view text, const std::string& file);

}  // namespace graphnet::graph
