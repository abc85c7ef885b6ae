// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graphnet/abi.h"
#include "lowering/emitter.h"
#include "lowering/stablehlo/program.h"

namespace graphnet::lowering::stablehlo {

struct EmitterOptions {
  /// Channels-last convolutions, depthwise convolutions as shifted multiply-adds, batch norms
  /// folded into convolutions, everything that depends on weights alone moved to the bind module.
  /// Without: the graph as it is, weights as arguments of main.
  bool rewrites = true;
  /// Results may be written to memory that the caller lends as an argument.
  bool lends_results = true;
  /// Products and convolutions of floats ask for HIGHEST precision; else for DEFAULT, with which
  /// XLA may take TF32 on a GPU.
  bool full_precision = true;
};

/// Builds StableHLO text.
///
/// Operations are a graph of text lines. finish() writes only the lines that outputs need; equal
/// lines exist once. Each belongs to a stage: known now, known in bind (weights), or known per
/// call; finish() moves the second kind to a module of its own.
///
/// A transposition is not an operation but a layout: `Tensor::layout` lists the logical dimensions
/// in the order in which memory holds them (empty: as they are). Element-wise operations, windows,
/// reductions and products work on whatever layout their operands have; transposes are written
/// where two layouts meet or an operation needs dimensions in order. A network of convolutions thus
/// stays channels-last from its first convolution to its last.
///
/// errors   LoweringError for what StableHLO cannot express
class Emitter final : public lowering::Emitter {
 public:
  explicit Emitter(EmitterOptions options) : options_(options) {}

  /// An argument of main, kInput or kWeight; without elements: a constant.
  Tensor argument(ArgumentSource source, std::uint32_t index, Type type, const Shape& shape);
  /// The modules that compute these outputs. `name` becomes the module's.
  LoweredProgram finish(const std::vector<Tensor>& outputs, const std::string& name);

  void begin_node(std::string_view op, std::string_view where) override;
  Tensor constant(Type type, const Shape& shape, const void* data) override;
  Tensor splat(Type type, const Shape& shape, double value) override;
  Tensor iota(Type type, const Shape& shape, std::int64_t dim) override;
  Tensor convert(const Tensor& x, Type type) override;
  Tensor unary(Unary kind, const Tensor& x) override;
  Tensor binary(Binary kind, const Tensor& a, const Tensor& b) override;
  Tensor compare(Comparison kind, const Tensor& a, const Tensor& b) override;
  Tensor select(const Tensor& condition, const Tensor& yes, const Tensor& no) override;
  Tensor broadcast(const Tensor& x, const Shape& shape, const Shape& dims) override;
  Tensor reshape(const Tensor& x, const Shape& shape) override;
  Tensor transpose(const Tensor& x, const Shape& permutation) override;
  Tensor slice(const Tensor& x, const Shape& begin, const Shape& end, const Shape& step) override;
  Tensor pad(const Tensor& x, double value, const Shape& low, const Shape& high,
             const Shape& interior) override;
  Tensor concatenate(const std::vector<Tensor>& parts, std::int64_t dim) override;
  Tensor reverse(const Tensor& x, const Shape& dims) override;
  Tensor reduce(Reduction kind, const Tensor& x, const Shape& dims) override;
  std::pair<Tensor, Tensor> reduce_index(bool largest, const Tensor& x, std::int64_t dim) override;
  Tensor reduce_window(Reduction kind, const Tensor& x, const Window& window) override;
  Tensor dot(const Tensor& a, const Tensor& b, const Contraction& contraction) override;
  Tensor convolution(const Tensor& x, const Tensor& kernel,
                     const ConvolutionAttributes& attributes) override;
  Tensor gather(const Tensor& x, const Tensor& starts, const Shape& dims,
                std::int64_t batch_position) override;
  Tensor scatter(const Tensor& x, const Tensor& starts, const Shape& dims, const Tensor& updates,
                 std::optional<Reduction> combine) override;
  std::pair<Tensor, Tensor> sort(const Tensor& x, std::int64_t dim, bool descending) override;
  Tensor fourier(Fourier kind, const Tensor& x, const Shape& lengths) override;
  bool rewrites() const override { return options_.rewrites; }
  bool is_bound(const Tensor& x) const override;

 private:
  friend class ModuleWriter;

  enum class Stage : std::uint8_t { kKnown, kBind, kCall };

  /// One line: "%id = text : types". Shapes are of the memory, not logical.
  struct Line {
    std::string text;
    std::vector<std::int32_t> operands;
    Type type = Type::kF32;
    Shape shape;
    Stage stage = Stage::kKnown;
    bool is_argument = false;
    ModuleArgument argument = {};
    bool is_cheap = false;  ///< computed again per call rather than kept from bind
    std::string one_value;  ///< of a constant whose elements are equal: how it is written
    std::size_t num_results = 1;
    std::int32_t where = -1;  ///< index in locations_
  };
  /// How a line that is a broadcast can be written in another layout.
  struct BroadcastLine {
    Tensor operand;
    Shape dims;  ///< of the operand's memory, in the result's logical dimensions
  };

  /// Adds a line, or finds the equal one. The result is in memory order: no layout.
  Tensor add(std::string text, const std::vector<Tensor>& operands, Type type, Shape shape,
             bool is_cheap = false);
  /// A constant of equal elements.
  Tensor add_splat(const std::string& value, Type type, const Shape& shape);
  /// Result `index` of a line with several results, which `text` makes.
  Tensor add_part(const std::string& text, const std::vector<Tensor>& operands,
                  std::size_t num_results, std::size_t index, Type type, Shape shape);
  const Line& line(const Tensor& x) const { return lines_[static_cast<std::size_t>(x.id)]; }
  Stage stage(const Tensor& x) const { return line(x).stage; }
  static std::string name(const Tensor& x) { return "%" + std::to_string(x.id); }
  std::string memory_type(const Tensor& x) const;
  const char* precision() const { return options_.full_precision ? "HIGHEST" : "DEFAULT"; }

  // Layouts; emitter_layout.cc.
  Tensor relayout(const Tensor& x, const Shape& layout);
  Tensor in_order(const Tensor& x) { return relayout(x, {}); }
  Shape shared_layout(const std::vector<Tensor>& operands) const;
  std::vector<Tensor> aligned(const std::vector<Tensor>& operands);

  // Products; emitter_products.cc.
  Tensor fast_right_operand(const Tensor& a, const Tensor& b, const Contraction& contraction);
  Tensor library_convolution(const Tensor& x, const Tensor& kernel,
                             const ConvolutionAttributes& attributes);
  Tensor grouped_convolution(const Tensor& x, const Tensor& kernel,
                             const ConvolutionAttributes& attributes);
  Tensor patch_convolution(const Tensor& x, const Tensor& kernel,
                           const ConvolutionAttributes& attributes);
  Tensor tap_of(const Tensor& source, const Shape& tap, const Shape& shape,
                const ConvolutionAttributes& attributes);
  Tensor block_diagonal(const Tensor& kernel, std::int64_t groups);
  Tensor depthwise_convolution(const Tensor& x, const Tensor& kernel,
                               const ConvolutionAttributes& attributes);

  Tensor start_value(Reduction kind, Type type);

  EmitterOptions options_;
  std::vector<Line> lines_;
  std::vector<std::string> locations_;
  std::unordered_map<std::string, std::int32_t> by_text_;
  std::unordered_map<std::int32_t, BroadcastLine> broadcasts_;
};

/// Logical dimension i of a tensor is dimension positions[i] of its memory.
Shape memory_positions(const Tensor& x);
/// Per-dimension numbers of the logical tensor in memory order.
Shape to_memory(const Tensor& x, const Shape& logical);
/// The inverse, for a tensor of the layout of x.
Shape to_logical(const Tensor& x, const Shape& memory);

}  // namespace graphnet::lowering::stablehlo
