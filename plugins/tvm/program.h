// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lowering/emitter.h"

namespace graphnet::tvm {

using lowering::Shape;
using lowering::Type;

enum class NodeKind : std::uint8_t {
  kArgument,  ///< `index`: of the graph's inputs or weights, or of Program::constants
  kSplat,
  kIota,
  kConvert,
  kUnary,
  kBinary,
  kCompare,
  kSelect,
  kBroadcast,
  kReshape,
  kTranspose,
  kSlice,
  kPad,
  kConcatenate,
  kReverse,
  kGather,
  kReduce,
  kReduceWindow,
  kDot,
  kConvolution,
  kReduceIndex,  ///< two results: kResult nodes
  kScatter,
  kSort,    ///< two results
  kResult,  ///< result `index` of its operand
};

/// When a value is known: `kBind` values depend on weights and constants alone.
enum class Stage : std::uint8_t { kBind, kCall };

enum class ArgumentSource : std::uint8_t { kInput, kWeight, kConstant };

/// One primitive on dense row-major tensors. Which fields count is said by its kind:
///
///   kArgument      source, index             kSplat        value
///   kUnary ...     which: the enumerator     kIota         dim
///   kBroadcast     first: dims               kTranspose    first: permutation
///   kSlice         first, second, third: begin, end, step
///   kPad           first, second, third: low, high, interior; value
///   kConcatenate   dim                       kReverse      first: dims
///   kReduce        which, first: dims        kReduceIndex  which: 1 if largest, dim
///   kReduceWindow  which, window             kSort         which: 1 if descending, dim
///   kGather        operands x, starts; first: dims, dim: batch position
///   kScatter       operands x, starts, updates; first: dims, which: reduction, dim: 1 if combined
///   kDot           operands [b, m, k] and [b, k, n], or panels [b, n / p, k, p] with first: {n}
///   kConvolution   operands [n, spatial..., c] padded, and panels [co / p, spatial..., ci, p], or
///                  [spatial..., c] if depthwise; convolution, first: {co}
struct Node {
  NodeKind kind = NodeKind::kArgument;
  std::uint8_t which = 0;
  Type type = Type::kF32;
  Shape shape;
  std::vector<std::int32_t> operands;
  Shape first = {};
  Shape second = {};
  Shape third = {};
  std::int64_t dim = 0;
  double value = 0;
  lowering::Window window = {};
  lowering::ConvolutionAttributes convolution = {};
  ArgumentSource source = ArgumentSource::kInput;
  std::uint32_t index = 0;
  Stage stage = Stage::kBind;
  std::int32_t location = -1;  ///< index in Program::locations
};

/// Elements that are known while compiling; bytes as the type has them.
struct Constant {
  Type type = Type::kF32;
  Shape shape;
  std::string bytes;
};

/// A graph in primitives, operands before what reads them.
struct Program {
  std::vector<Node> nodes;
  std::vector<std::int32_t> outputs;
  std::vector<Constant> constants;
  std::vector<std::string> locations;  ///< "aten::add.Tensor model.py:12:5"

  const Node& at(std::int32_t id) const { return nodes[static_cast<std::size_t>(id)]; }
};

}  // namespace graphnet::tvm
