// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lowering/primitives.h"
#include "lowering/shared_bytes.h"

namespace graphnet::lowering::ir {

/// Position in Graph::values.
using ValueId = std::int32_t;

/// Element type and static shape of a value.
struct TensorType {
  Type type = Type::kF32;
  Shape shape;

  std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
  std::int64_t extent(std::int64_t dim) const { return shape[static_cast<std::size_t>(dim)]; }
  bool operator==(const TensorType& other) const {
    return type == other.type && shape == other.shape;
  }
  bool operator!=(const TensorType& other) const { return !(*this == other); }
};

// ---- operations ----
//
// One struct a primitive, with its attributes by name. Operands and what each computes are those of
// the function of the same name in lowering/emitter.h. `attributes` lists them once, for the text
// form, for the parser, and for telling equal nodes (ir/operation.h). Operators that a target may
// have as a whole are one more: Composite.

enum class ParameterSource : std::uint8_t {
  kInput,
  kWeight,
  kBound,  ///< what the bind graph computed; see passes/stage.h
};

/// Input or weight `index` of the graph's signature, or output `index` of the bind graph.
struct Parameter {
  ParameterSource source = ParameterSource::kInput;
  std::int64_t index = 0;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("index", self.index);
  }
};

/// Elements that are known now: dense row-major, as the type has them.
struct Constant {
  SharedBytes bytes;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("bytes", self.bytes);
  }
};

struct Splat {
  double value = 0;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("value", self.value);
  }
};

struct Iota {
  std::int64_t dim = 0;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("dim", self.dim);
  }
};

/// The kind is part of the name in the text form: "exp", "add", "eq".
template <typename Kind>
struct Elementwise {
  Kind kind = {};
  template <typename Self, typename Visit>
  static void attributes(Self&, Visit) {}
};
using UnaryOperation = Elementwise<Unary>;
using BinaryOperation = Elementwise<Binary>;
using CompareOperation = Elementwise<Comparison>;

/// An operation that its operands and its result's type say all of.
template <int kTag>
struct Plain {
  template <typename Self, typename Visit>
  static void attributes(Self&, Visit) {}
};
using Convert = Plain<0>;
using Select = Plain<1>;  ///< condition, yes, no
using Reshape = Plain<2>;

struct Broadcast {
  Shape dims;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("dims", self.dims);
  }
};

struct Transpose {
  Shape permutation;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("permutation", self.permutation);
  }
};

struct Slice {
  Shape begin;
  Shape end;
  Shape step;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("begin", self.begin);
    visit("end", self.end);
    visit("step", self.step);
  }
};

struct Pad {
  double value = 0;
  Shape low;
  Shape high;
  Shape interior;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("value", self.value);
    visit("low", self.low);
    visit("high", self.high);
    visit("interior", self.interior);
  }
};

struct Concatenate {
  std::int64_t dim = 0;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("dim", self.dim);
  }
};

struct Reverse {
  Shape dims;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("dims", self.dims);
  }
};

struct Reduce {
  Reduction kind = Reduction::kSum;
  Shape dims;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("kind", self.kind);
    visit("dims", self.dims);
  }
};

/// Two results: values, indices (int64).
struct ReduceIndex {
  bool largest = true;
  std::int64_t dim = 0;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("largest", self.largest);
    visit("dim", self.dim);
  }
};

struct ReduceWindow {
  Reduction kind = Reduction::kSum;
  Window window;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("kind", self.kind);
    visit("size", self.window.size);
    visit("stride", self.window.stride);
    visit("dilation", self.window.dilation);
    visit("low", self.window.low);
    visit("high", self.window.high);
  }
};

struct Dot {
  Contraction contraction;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("left_batch", self.contraction.left_batch);
    visit("right_batch", self.contraction.right_batch);
    visit("left_contracting", self.contraction.left_contracting);
    visit("right_contracting", self.contraction.right_contracting);
  }
};

/// Memory of x and of the result holds logical dimension layout[i] at position i, that of the
/// kernel kernel_layout[i]; empty: in order. Layouts come from passes/layout.h.
struct Convolution {
  ConvolutionAttributes window;
  Shape layout = {};
  Shape kernel_layout = {};
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("stride", self.window.stride);
    visit("low", self.window.low);
    visit("high", self.window.high);
    visit("input_dilation", self.window.input_dilation);
    visit("kernel_dilation", self.window.kernel_dilation);
    visit("groups", self.window.groups);
    visit("layout", self.layout);
    visit("kernel_layout", self.kernel_layout);
  }
};

/// A product whose right operand is packed: [batch, m, depth] times [batch, panels, depth, lanes],
/// columns side by side in panels; the result is [batch, m, columns], what panels hold more is cut.
struct PackedDot {
  std::int64_t columns = 0;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("columns", self.columns);
  }
};

/// A product whose right operand is packed in panels, two steps of the depth side by side: [batch,
/// m, depth] times [batch, panels, pairs, lanes, 2], of float32 sums. Pairs beyond the depth hold
/// zeros; the result is [batch, m, columns], what panels hold more is cut.
struct PairedDot {
  std::int64_t columns = 0;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("columns", self.columns);
  }
};

/// A channels-last convolution of what is padded already, with a packed kernel: [batch, spatial...,
/// in] with [panels, taps..., in / groups, lanes], output channels side by side in panels. The
/// result is [batch, spatial..., out]; a panel does not span two groups, what panels hold more is
/// cut.
struct PackedConvolution {
  Shape stride;
  Shape kernel_dilation;
  std::int64_t groups = 1;
  std::int64_t out = 0;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("stride", self.stride);
    visit("kernel_dilation", self.kernel_dilation);
    visit("groups", self.groups);
    visit("out", self.out);
  }
};

// Winograd's F(4 x 4, 3 x 3) (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks",
// 2015): a convolution of 3 x 3 taps is 36 products, with a quarter of the multiplications. A tile
// is 4 x 4 neighbouring results; tiles are counted by batch, from top to bottom, from left to
// right. The convolution is WinogradOutput(PackedDot(WinogradInput(x), WinogradKernel(kernel))).

inline constexpr std::int64_t kWinogradTile = 4;     ///< results along each dimension
inline constexpr std::int64_t kWinogradReach = 6;    ///< inputs along each dimension
inline constexpr std::int64_t kWinogradPoints = 36;  ///< products
// The polynomials are evaluated at 0, at these four, and at infinity. With 1 and 2, as in the
// paper, rounding errors are twice as large or more. The factors of inputs and results, which are
// products of these, have no error in float32.
inline constexpr double kWinogradNear = 0.75;  ///< and its negative
inline constexpr double kWinogradFar = 1.5;    ///< and its negative
/// Tiles along a dimension of a result.
inline std::int64_t num_winograd_tiles(std::int64_t extent) {
  return (extent + kWinogradTile - 1) / kWinogradTile;
}

/// Operand x [batch, height, width, channels], the result is [36, tiles, channels]. Before the
/// image are `low` rows and columns of zeros, behind it as many as the tiles reach.
struct WinogradInput {
  Shape low;
  Shape tiles;  ///< from top to bottom, from left to right
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("low", self.low);
    visit("tiles", self.tiles);
  }
};

/// Operand [out, in, 3, 3], the result is [36, panels, in, lanes], as PackedDot takes it.
struct WinogradKernel {
  std::int64_t lanes = 0;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("lanes", self.lanes);
  }
};

/// Operand [36, tiles, channels], the result is [extents..., channels]; what tiles hold more is
/// cut.
struct WinogradOutput {
  Shape extents;  ///< batch, height, width
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("extents", self.extents);
  }
};

/// What happens to scores between the product and the softmax, or to weights behind it. A step
/// takes one operand of the rank batch + 2; each extent is that of the scores or 1.
enum class AttentionStep : std::uint8_t {
  kMultiply,
  kAdd,
  kSubtract,
  kMaximum,
  kKeep,     ///< `fill` where the condition does not hold
  kReplace,  ///< `fill` where the condition holds
  kDrop,     ///< of weights, so it comes last: 0 where the condition holds
};

/// softmax(steps(queries keys)) values, without the matrix of scores in memory. Operands: queries
/// [b, rows, depth], keys in panels [b, panels, depth, lanes] and values in panels [b, panels,
/// keys, lanes] as PackedDot takes them, then one a step. b is the product of `batch`; the result
/// is [b, rows, columns].
struct Attention {
  Shape batch;
  std::int64_t columns = 0;
  Shape steps = {};      ///< of AttentionStep
  double fill = 0;       ///< of the steps that put it somewhere
  bool is_safe = false;  ///< a row of minus infinities gives 0, not NaN
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("batch", self.batch);
    visit("columns", self.columns);
    visit("steps", self.steps);
    visit("fill", self.fill);
    visit("is_safe", self.is_safe);
  }
};

/// Operands x, starts.
struct Gather {
  Shape dims;
  std::int64_t batch_position = 0;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("dims", self.dims);
    visit("batch_position", self.batch_position);
  }
};

/// Operands x, starts, updates; without `combine` updates replace.
struct Scatter {
  Shape dims;
  std::optional<Reduction> combine;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("dims", self.dims);
    visit("combine", self.combine);
  }
};

/// Two results: values, indices (int64).
struct Sort {
  std::int64_t dim = 0;
  bool descending = false;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("dim", self.dim);
    visit("descending", self.descending);
  }
};

struct FourierTransform {
  Fourier kind = Fourier::kForward;
  Shape lengths;
  template <typename Self, typename Visit>
  static void attributes(Self& self, Visit visit) {
    visit("kind", self.kind);
    visit("lengths", self.lengths);
  }
};

struct Graph;

/// A tensor argument of an operator.
struct Operand {
  std::int32_t position = -1;  ///< in Node::operands; negative: None
  bool operator==(const Operand& other) const { return position == other.position; }
};

/// An argument of an operator. A list of bools is one of 0 and 1; monostate is None.
struct Argument {
  std::string name;  ///< as in the schema
  std::variant<std::monostate, Operand, std::vector<Operand>, bool, std::int64_t, double, Shape,
               std::vector<double>, std::string, Type>
      value;
};

/// An operator of the sample kept whole, for targets that have it. A target that takes it reads the
/// arguments (ir/composite.h); for every other the body stands in its place (ir/replay.h).
///
/// shapes   operands: the tensors among the arguments, each once
struct Composite {
  std::string op;                       ///< "aten::softmax.int"
  std::vector<Argument> arguments;      ///< in the order of the schema
  std::vector<TensorType> results;      ///< bool[0] for one that nobody reads
  std::shared_ptr<const Graph> body{};  ///< in primitives, input i is operand i; null: it has none
  std::string why_not{};                ///< of an operator without a body: one sentence
  template <typename Self, typename Visit>
  static void attributes(Self&, Visit) {}
};

using Operation =
    std::variant<Parameter, Constant, Splat, Iota, Convert, UnaryOperation, BinaryOperation,
                 CompareOperation, Select, Broadcast, Reshape, Transpose, Slice, Pad, Concatenate,
                 Reverse, Reduce, ReduceIndex, ReduceWindow, Dot, Convolution, PackedDot, PairedDot,
                 PackedConvolution, WinogradInput, WinogradKernel, WinogradOutput, Attention,
                 Gather, Scatter, Sort, FourierTransform, Composite>;

// ---- the graph ----

/// The operator of the sample that a node comes from.
struct Origin {
  std::string op;     ///< "aten::add.Tensor"
  std::string where;  ///< "model.py:12:5"; may be empty
};

struct Node {
  Operation operation;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::int32_t origin = -1;  ///< index in Graph::origins; negative: none
};

/// When a value is known: now, once the weights are (bind), or per call.
enum class Stage : std::uint8_t { kKnown, kBind, kCall };

/// One value; assigned by one node.
struct Value {
  TensorType type;
  std::int32_t node = -1;  ///< index in Graph::nodes
};

/// A graph in primitives and composites: functional, static shapes. Compilers read this and nothing
/// else of a sample.
///
/// order    of nodes: a value is defined before it is read
struct Graph {
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> outputs;  ///< in the order of the signature
  std::vector<Origin> origins;

  const Value& value(ValueId id) const { return values[static_cast<std::size_t>(id)]; }
  const TensorType& type(ValueId id) const { return value(id).type; }
  /// The node that the value is a result of.
  const Node& maker(ValueId id) const { return nodes[static_cast<std::size_t>(value(id).node)]; }
};

}  // namespace graphnet::lowering::ir
