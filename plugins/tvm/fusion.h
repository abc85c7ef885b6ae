// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "tvm_plugin/program.h"

namespace graphnet::tvm {

/// What decides how a kernel's loops run.
enum class KernelKind : std::uint8_t {
  kSpatial,  ///< every element by itself
  kRows,     ///< reductions over the end of each row, and what is computed from them in that row
  kAnchor,   ///< one reduction, product or window, and what is computed from it element by element
  kPair,     ///< kReduceIndex: two results
  kExtern,   ///< kScatter, kSort: a function of this plugin
};

/// Nodes that become one function. Its result is that of `root`; nodes that only move elements are
/// part of every kernel that reads through them.
struct Kernel {
  KernelKind kind = KernelKind::kSpatial;
  std::int32_t root = -1;
  std::int32_t anchor = -1;              ///< kAnchor; may be the root itself
  std::int64_t rows = 0;                 ///< kRows
  std::vector<std::int32_t> members;     ///< with the root, which comes first
  std::vector<std::int32_t> reductions;  ///< kRows: those among the members
};

/// A program's kernels in the order in which they run. A value is stored if it is an argument or
/// the root of a kernel.
struct KernelPlan {
  std::vector<Kernel> bind;
  std::vector<Kernel> call;
  std::vector<bool> is_stored;     ///< by node
  std::vector<Shape> storage;      ///< by node: shape of the buffer of a stored one, never 0-d
  std::vector<std::int32_t> uses;  ///< by node, views looked through
};

/// Only moves elements or repeats them; never a kernel of its own unless somebody needs a buffer.
bool is_view(NodeKind kind);
bool is_elementwise(NodeKind kind);

/// Puts every node that the outputs need into kernels.
KernelPlan plan_kernels(const Program& program);

}  // namespace graphnet::tvm
