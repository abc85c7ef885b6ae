// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tvm_plugin/ffi.h"
#include "tvm_plugin/fusion.h"

namespace graphnet::tvm {

/// A tensor among a kernel's results.
struct KernelResult {
  ir::ValueId value = -1;
  Type type = Type::kF32;
  Shape shape;
};

/// What a block of a kernel's function computes. Those of a kRows kernel, which may have several
/// reductions, are numbered.
enum class BlockRole : std::uint8_t {
  kOut,     ///< the result, if no other block is
  kAcc,     ///< kAnchor, kPair: the reduction or product; its last dimensions are the tile
  kShared,  ///< kRows: costly elements that several blocks read, [rows, columns]
  /// kRows: [rows, blocks, lanes], reductions of every lanes-th element of a block of the row
  kPartial,
  kReduced,  ///< kRows: one value a row, of all its columns or of several blocks of kPartial
  kRest,     ///< kRows: one value a row, of the columns that kPartial leaves
  kJoined,   ///< kRows: one value a row, of kReduced or the lanes of kPartial, and of kRest
};

/// "acc"; numbered: "lanes0". The schedule finds a block by this name.
std::string block_name(BlockRole role, int number = 0);
/// The role in a name of block_name(); kOut for any other name.
BlockRole role_of(const std::string& name);

/// What an anchor is: which schedule rule fits.
enum class AnchorKind : std::uint8_t { kNone, kProduct, kConvolution, kDepthwise, kReduction };

/// The sizes that schedule rules tile by.
struct KernelShape {
  AnchorKind anchor = AnchorKind::kNone;
  bool has_panels = false;
  std::int64_t row_tile = 1;     ///< rows (positions) that one register tile spans
  std::int64_t lanes = 0;        ///< kDepthwise: channels of a tile
  std::int64_t num_spatial = 0;  ///< kAnchor: dimensions of kAcc before its reduction
  bool moves_columns = false;    ///< itself a transposition: what lies side by side did not before
};

/// A kernel as a function of TE, not scheduled.
struct KernelFunction {
  Ref function;                     ///< PrimFunc without a global symbol
  std::vector<ir::ValueId> inputs;  ///< stored values, in the order of its parameters
  std::vector<KernelResult> results;
  KernelShape shape;
};

/// errors   LoweringError; ffi::Error where TVM refuses
KernelFunction write_kernel(const ir::Graph& graph, const KernelPlan& plan, const Kernel& kernel);

}  // namespace graphnet::tvm
