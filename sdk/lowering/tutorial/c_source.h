// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "lowering/failures.h"
#include "lowering/ir/built.h"

namespace graphnet::tutorial {

/// A graph as one C function, or all operators that it cannot be written for.
///
///   void run(const void* const* inputs, const void* const* weights, const void* const* constants,
///            void* const* outputs, char* memory)
struct CSource {
  std::string text;                    ///< empty if there are failures
  std::vector<std::string> constants;  ///< bytes, in the order of the argument
  std::size_t memory_bytes = 0;        ///< for what nodes compute
  std::vector<lowering::Failure> failures;
};

/// The graph with the operators whole that this compiler has as a whole, all others in primitives;
/// or all operators that neither it nor the decompositions know.
lowering::ir::Built legalize(const lowering::ir::Graph& graph);

/// Each node becomes a loop nest over the elements of its result. Nothing is fused or tiled.
CSource write_c(const lowering::ir::Graph& graph);

}  // namespace graphnet::tutorial
