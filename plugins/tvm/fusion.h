// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "lowering/ir/graph.h"
#include "tvm_plugin/vector_unit.h"

namespace graphnet::tvm {

namespace ir = lowering::ir;
using lowering::Shape;
using lowering::Type;

/// What decides how a kernel's loops run.
enum class KernelKind : std::uint8_t {
  kSpatial,  ///< every element by itself
  kRows,     ///< reductions over the end of each row, and what is computed from them in that row
  kAnchor,   ///< one reduction, product or window, and what is computed from it element by element
  kPair,     ///< kReduceIndex: two results
  kExtern,   ///< a function of this plugin (extern_functions.h)
};

/// Values that become one function. Its result is `root`; values that only move elements are part
/// of every kernel that reads through them. Of a node with two results the first stands for both.
struct Kernel {
  KernelKind kind = KernelKind::kSpatial;
  ir::ValueId root = -1;
  ir::ValueId anchor = -1;              ///< kAnchor; may be the root itself
  bool is_bound = false;                ///< runs in bind, not in each call
  std::int64_t rows = 0;                ///< kRows
  std::vector<ir::ValueId> members;     ///< with the root, which comes first
  std::vector<ir::ValueId> reductions;  ///< kRows: those among the members
};

/// A graph's kernels in the order in which they run. A value is stored if it is a parameter or a
/// constant or the result of a kernel.
struct KernelPlan {
  std::vector<Kernel> bind;  ///< what depends on weights and constants alone
  std::vector<Kernel> call;
  std::vector<bool> is_stored;     ///< by value
  std::vector<Shape> storage;      ///< by value: shape of the buffer of a stored one, never 0-d
  std::vector<std::int32_t> uses;  ///< by value, views looked through
  VectorUnit unit = kAvx512;       ///< that register tiles are for
  int threads = 1;                 ///< that a call may use
};

/// Comes from the caller or from the graph itself: has a buffer before any kernel runs.
bool is_argument(const ir::Operation& operation);
/// Only moves elements or repeats them; never a kernel of its own unless somebody needs a buffer.
bool is_view(const ir::Operation& operation);
bool is_elementwise(const ir::Operation& operation);

/// Whether an element of `id`, if the kernel computes it where it is read, takes a function that
/// costs more than a load.
bool is_costly_within(const ir::Graph& graph, const Kernel& kernel, ir::ValueId id);

/// Puts every node that the outputs need into kernels.
///
/// graph     legalised (legalize.h), for the same unit
/// threads   that a call may use
KernelPlan plan_kernels(const ir::Graph& graph, const VectorUnit& unit = kAvx512, int threads = 1);

}  // namespace graphnet::tvm
