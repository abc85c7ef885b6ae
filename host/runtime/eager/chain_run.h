// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/dense_tensor.h"
#include "base/result.h"
#include "eager/engine.h"
#include "graph/program.h"

namespace graphnet::eager {

/// One program of a chain.
struct ChainLink {
  const graph::Program* program = nullptr;
  std::string name;  ///< for messages
};

/// Runs programs one after the other, each once. A parameter is the argument of its name, or what
/// the last program before it that returned a variable of that name returned (graph::item_name() if
/// the variable holds several): the tensor itself, with its strides and whatever shares its memory,
/// as if all were one program. Arguments that are written to are put back.
///
/// shapes   names: one per argument
/// order    the results of the last program, nested ones flattened
/// errors   kInput: a parameter that nothing gives, an element type without a name; as
///          Engine::run(), with the link's name
base::Result<std::vector<base::DenseTensor>> run_chain(
    const std::vector<ChainLink>& chain, const std::vector<std::string>& names,
    const std::vector<EngineArgument>& arguments);

}  // namespace graphnet::eager
