// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "tvm_plugin/ffi.h"
#include "tvm_plugin/fusion.h"
#include "tvm_plugin/program.h"

namespace graphnet::tvm {

/// A tensor among a kernel's results.
struct KernelResult {
  std::int32_t node = -1;
  Type type = Type::kF32;
  Shape shape;
};

/// The sizes that schedule rules tile by; blocks are named as below.
///
///   "out"            the result, if no other block is
///   "acc"            kAnchor: the reduction or product; its last dimensions are the tile
///   "lanes<i>"       kRows: sums of every kLanes-th element of a block of a row, [rows, blocks,
///                    kLanes]
///   "reduced<i>"     kRows: one value a row
///   "shared<i>"      kRows: costly elements that several blocks read
struct KernelShape {
  NodeKind anchor = NodeKind::kArgument;
  bool is_depthwise = false;
  bool has_panels = false;
  std::int64_t row_tile = 1;     ///< rows (positions) that one register tile spans
  std::int64_t num_spatial = 0;  ///< kAnchor: dimensions of "acc" before its reduction
};

/// A kernel as a function of TE, not scheduled.
struct KernelFunction {
  Ref function;                      ///< PrimFunc without a global symbol
  std::vector<std::int32_t> inputs;  ///< stored nodes, in the order of its parameters
  std::vector<KernelResult> results;
  KernelShape shape;
};

/// errors   LoweringError; ffi::Error where TVM refuses
KernelFunction write_kernel(const Program& program, const KernelPlan& plan, const Kernel& kernel);

}  // namespace graphnet::tvm
