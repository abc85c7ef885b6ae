// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphnet/graph_view.h"

namespace graphnet::inductor {

/// An argument of forward(): an input of each call, or a weight.
struct Argument {
  bool is_weight = false;
  std::uint32_t position = 0;  ///< in the signature's list of that kind
};

/// A graph as the Python file that compile.py reads, and what compiled code of it is called with.
struct ModuleText {
  std::string source;
  std::string data;                 ///< elements of constants and known weights, one behind another
  std::vector<Argument> arguments;  ///< of forward(), in order
  std::vector<std::uint32_t> weights;  ///< attributes "w<position>" that bind gives
  /// Attributes "c<number>": elements that are known.
  struct Constant {
    std::int64_t value = 0;  ///< id in the graph's body; the attribute's number
    std::size_t offset = 0;  ///< in `data`
  };
  std::vector<Constant> constants;
};

/// Writes a module whose forward() calls one operator of torch.ops.aten a line, by the names of its
/// arguments. Inputs and weights that nothing reads are left out. A weight of one element that is
/// not known is an argument: Inductor would write an attribute's value into the code.
///
/// errors   Failure UNSUPPORTED: an element type that PyTorch's graphs do not have
///
/// weights_are_arguments   of all weights that are not known: for settings under which Inductor
/// packs
///                         attributes while it compiles
ModuleText module_text(const gn_graph_body& body, const std::string& sample,
                       bool weights_are_arguments = false);

}  // namespace graphnet::inductor
