// SPDX-License-Identifier: MIT
#include "tvm_plugin/legalize.h"

#include <algorithm>
#include <utility>

#include "lowering/builder.h"
#include "lowering/ir/passes/layout.h"
#include "lowering/ir/passes/real_parts.h"
#include "tvm_plugin/attention_fusion.h"
#include "tvm_plugin/paired_product.h"
#include "tvm_plugin/vector_unit.h"

namespace graphnet::tvm {

namespace ir = lowering::ir;

namespace {

using ir::channels_last;
using ir::channels_second;
using ir::taps_first;
using lowering::Builder;
using lowering::ConvolutionAttributes;
using lowering::counting;
using lowering::extents_of;
using lowering::joined;
using lowering::LoweringError;
using lowering::num_elements;
using lowering::Reduction;
using lowering::Shape;
using lowering::Tensor;
using lowering::Type;

std::int64_t product(const Shape& shape, const Shape& dims) {
  return num_elements(extents_of(shape, dims));
}

Shape free_dims(std::int64_t rank, const Shape& batch, const Shape& contracting) {
  return lowering::without_dims(counting(rank), joined(batch, contracting));
}

// Fewer tiles than this cost more in reading a kernel that is four times as large than they save.
constexpr std::int64_t kFewestTiles = 8;
// Fewer channels than a vector has: the tiles cost more than the products.
constexpr std::int64_t kFewestChannels = 16;

/// Whether a convolution to [batch, out, height, width] is written as Winograd's.
bool takes_winograd(const Tensor& x, const Tensor& kernel, const ConvolutionAttributes& a,
                    const Shape& shape) {
  const Shape ones = {1, 1};
  const bool has_form = x.type == Type::kF32 && kernel.rank() == 4 && kernel.shape[2] == 3 &&
                        kernel.shape[3] == 3 && a.groups == 1 && a.stride == ones &&
                        a.input_dilation == ones && a.kernel_dilation == ones &&
                        std::min(a.low[0], a.low[1]) >= 0;
  if (!has_form || std::min(kernel.shape[0], kernel.shape[1]) < kFewestChannels) return false;
  return shape[0] * ir::num_winograd_tiles(shape[2]) * ir::num_winograd_tiles(shape[3]) >=
         kFewestTiles;
}

// Fewer multiplications are a microsecond of products of float32: estimated, not measured.
constexpr std::int64_t kFewestPairedProducts = 1 << 16;

// More would be multiplied by zeros most of the time.
constexpr std::int64_t kMostMergedColumns = 8;

/// How many groups of a convolution [co, ci / groups, spatial...] are computed as one: a vector
/// costs no more than the few columns of one group. A single column has nothing to gain.
std::int64_t groups_to_merge(const Tensor& kernel, std::int64_t groups, const VectorUnit& unit) {
  const std::int64_t columns = kernel.shape[0] / groups;
  const std::int64_t width = std::min(unit.lanes, kMostMergedColumns);
  const bool is_narrow = columns > 1 && columns < width && width % columns == 0;
  if (groups == 1 || !is_narrow || kernel.type != Type::kF32) return 1;
  return groups % (width / columns) == 0 ? width / columns : 1;
}

class Legalizer final : public ir::LayoutEmitter {
 public:
  Legalizer(bool rewrites, const Forms& forms) : LayoutEmitter(rewrites), forms_(forms) {}

  Tensor convert(const Tensor& x, Type type) override {
    const bool is_test = type == Type::kBool && x.type != type;
    return is_test ? compare(lowering::Comparison::kNe, x, splat(x.type, x.shape, 0))
                   : LayoutEmitter::convert(x, type);
  }
  void begin_node(std::string_view op, std::string_view where) override {
    is_softmax_ = is_softmax(op);
    LayoutEmitter::begin_node(op, where);
  }
  Tensor unary(lowering::Unary kind, const Tensor& x) override {
    const Tensor result = LayoutEmitter::unary(kind, x);
    const bool is_weight = is_softmax_ && kind == lowering::Unary::kExp && x.type == Type::kF32;
    return is_weight ? without_subnormals(x, result) : result;
  }

  // TVM would divide by extents of 0.
  Tensor pad(const Tensor& x, double value, const Shape& low, const Shape& high,
             const Shape& interior) override;
  Tensor reduce(Reduction kind, const Tensor& x, const Shape& dims) override {
    if (num_elements(x.shape) > 0) return LayoutEmitter::reduce(kind, x, dims);
    return splat(x.type, lowering::without_dims(x.shape, dims),
                 lowering::identity_of(kind, x.type));
  }
  Tensor reduce_window(Reduction kind, const Tensor& x, const lowering::Window& window) override;

  std::pair<Tensor, Tensor> reduce_index(bool largest, const Tensor& x, std::int64_t dim) override;
  Tensor scatter(const Tensor& x, const Tensor& starts, const Shape& dims, const Tensor& updates,
                 std::optional<Reduction> combine) override;
  Tensor dot(const Tensor& a, const Tensor& b, const lowering::Contraction& contraction) override;
  Tensor convolution(const Tensor& x, const Tensor& kernel,
                     const ConvolutionAttributes& attributes) override;

 private:
  Tensor without_subnormals(const Tensor& x, const Tensor& exponentials);
  Tensor product_of(const Tensor& left, const Tensor& right);
  Tensor panels(const Tensor& right, std::int64_t rows);
  Tensor panels_of_pairs(const Tensor& right);
  Tensor winograd_convolution(const Tensor& x, const Tensor& kernel,
                              const ConvolutionAttributes& attributes, const Shape& shape);
  Tensor pointwise_convolution(const Tensor& x, const Tensor& kernel);
  Tensor merge_groups(const Tensor& kernel, std::int64_t groups, std::int64_t merged);
  Tensor kernel_panels(const Tensor& kernel, std::int64_t groups);
  std::int64_t panel_width(std::int64_t columns) const;
  std::int64_t panel_width(std::int64_t out, std::int64_t groups) const;

  Forms forms_;
  bool is_softmax_ = false;
};

Tensor Legalizer::without_subnormals(const Tensor& x, const Tensor& exponentials) {
  Builder b(*this);
  return b.select(b.compare(lowering::Comparison::kLt, x, kLogSmallestNormal),
                  splat(x.type, x.shape, 0), exponentials);
}

// Columns that one register tile spans: two vectors, or what there is.
std::int64_t Legalizer::panel_width(std::int64_t columns) const {
  if (columns >= 2 * forms_.unit.lanes) return 2 * forms_.unit.lanes;
  return columns > forms_.unit.lanes / 2 ? forms_.unit.lanes : columns;
}

// A panel never spans two groups.
std::int64_t Legalizer::panel_width(std::int64_t out, std::int64_t groups) const {
  if (groups == 1) return panel_width(out);
  std::int64_t width = std::min(2 * forms_.unit.lanes, out / groups);
  if ((out / groups) % width != 0 && (out / groups) % forms_.unit.lanes == 0)
    width = forms_.unit.lanes;
  while ((out / groups) % width != 0) --width;
  return width;
}

Tensor Legalizer::pad(const Tensor& x, double value, const Shape& low, const Shape& high,
                      const Shape& interior) {
  if (num_elements(x.shape) > 0) return LayoutEmitter::pad(x, value, low, high, interior);
  Shape shape = x.shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    shape[i] += low[i] + high[i] + std::max<std::int64_t>(shape[i] - 1, 0) * interior[i];
  }
  return splat(x.type, shape, value);
}

Tensor Legalizer::reduce_window(Reduction kind, const Tensor& x, const lowering::Window& window) {
  if (num_elements(x.shape) > 0) return LayoutEmitter::reduce_window(kind, x, window);
  Shape shape;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    const std::int64_t in = x.shape[i] + window.low[i] + window.high[i];
    shape.push_back((in - window.dilation[i] * (window.size[i] - 1) - 1) / window.stride[i] + 1);
  }
  return splat(x.type, shape, lowering::identity_of(kind, x.type));
}

std::pair<Tensor, Tensor> Legalizer::reduce_index(bool largest, const Tensor& x, std::int64_t dim) {
  if (x.type != Type::kBF16) return LayoutEmitter::reduce_index(largest, x, dim);
  const auto [value, index] = LayoutEmitter::reduce_index(largest, convert(x, Type::kF32), dim);
  return {convert(value, x.type), index};
}

Tensor Legalizer::scatter(const Tensor& x, const Tensor& starts, const Shape& dims,
                          const Tensor& updates, std::optional<Reduction> combine) {
  if (!combine || !lowering::is_half(x.type)) {
    return LayoutEmitter::scatter(x, starts, dims, updates, combine);
  }
  const Tensor wide = LayoutEmitter::scatter(convert(x, Type::kF32), starts, dims,
                                             convert(updates, Type::kF32), combine);
  return convert(wide, x.type);
}

// [b, k, n] as [b, n / p, k / 2, p, 2], zeros beyond the depth and the columns.
Tensor Legalizer::panels_of_pairs(const Tensor& right) {
  Builder b(*this);
  const std::int64_t depth = round_up(right.extent(1), 2 * kPairsOfTile);
  const std::int64_t columns = round_up(right.extent(2), kPairedColumns);
  const Tensor whole =
      b.pad(right, 0, {0, 0, 0}, {0, depth - right.extent(1), columns - right.extent(2)});
  return transpose(
      b.reshape(whole, {right.extent(0), depth / 2, 2, columns / kPairedColumns, kPairedColumns}),
      {0, 3, 1, 4, 2});
}

// [b, k, n] as [b, n / p, k, p], columns beyond n being 0: a tile of the product reads its part of
// the right side from front to back.
Tensor Legalizer::panels(const Tensor& right, std::int64_t rows) {
  Builder b(*this);
  const std::int64_t columns = right.extent(2);
  // A single row has no reuse; more columns at once hide what each addition waits for.
  const std::int64_t most = 4 * forms_.unit.lanes;
  const std::int64_t width = rows < 4 && columns >= most ? most : panel_width(columns);
  const std::int64_t whole = round_up(columns, width);
  const Tensor wide = b.pad(right, 0, {0, 0, 0}, {0, 0, whole - columns});
  return transpose(b.reshape(wide, {right.extent(0), right.extent(1), whole / width, width}),
                   {0, 2, 1, 3});
}

Tensor Legalizer::dot(const Tensor& a, const Tensor& b, const lowering::Contraction& contraction) {
  Builder build(*this);
  const Shape rows = free_dims(a.rank(), contraction.left_batch, contraction.left_contracting);
  const Shape columns = free_dims(b.rank(), contraction.right_batch, contraction.right_contracting);
  const std::int64_t batch = product(a.shape, contraction.left_batch);
  const std::int64_t m = product(a.shape, rows);
  const std::int64_t n = product(b.shape, columns);
  const std::int64_t k = product(a.shape, contraction.left_contracting);
  const Shape shape =
      joined(joined(extents_of(a.shape, contraction.left_batch), extents_of(a.shape, rows)),
             extents_of(b.shape, columns));
  if (num_elements(shape) == 0 || k == 0) return splat(lowering::compute_type(a.type), shape, 0);
  const Tensor left = build.reshape(
      in_order(
          transpose(a, joined(joined(contraction.left_batch, rows), contraction.left_contracting))),
      {batch, m, k});
  const Tensor right = build.reshape(
      in_order(transpose(
          b, joined(joined(contraction.right_batch, contraction.right_contracting), columns))),
      {batch, k, n});
  return build.reshape(product_of(left, right), shape);
}

// [batch, rows, depth] times [batch, depth, columns].
Tensor Legalizer::product_of(const Tensor& left, const Tensor& right) {
  const std::int64_t rows = left.extent(1);
  const std::int64_t columns = right.extent(2);
  const bool has_panels = rewrites() && lowering::is_float(left.type) && columns > 1;
  if (!has_panels) return node(ir::Dot{{{0}, {0}, {2}, {1}}}, {left, right});
  if (forms_.has_pairs && left.type == Type::kBF16 &&
      num_elements(left.shape) * columns >= kFewestPairedProducts) {
    return node(ir::PairedDot{columns}, {left, panels_of_pairs(right)});
  }
  return node(ir::PackedDot{columns}, {left, panels(right, rows)});
}

Tensor Legalizer::convolution(const Tensor& x, const Tensor& kernel,
                              const ConvolutionAttributes& a) {
  const Shape shape = lowering::convolved_shape(x, kernel, a);
  if (num_elements(shape) == 0) return splat(x.type, shape, 0);
  const bool may_change = rewrites() && forms_.has_winograd && is_bound(kernel);
  if (may_change && takes_winograd(x, kernel, a, shape)) {
    return winograd_convolution(x, kernel, a, shape);
  }
  Builder b(*this);
  const Tensor source = b.padded(x, a);
  const Shape ones(a.stride.size(), 1);
  const bool is_pointwise =
      a.groups == 1 && num_elements(kernel.shape) == kernel.shape[0] * kernel.shape[1];
  if (is_pointwise) {
    Tensor read = source;
    for (std::size_t i = 0; i < a.stride.size(); ++i) {
      const auto dim = static_cast<std::int64_t>(i) + 2;
      read = b.slice(read, dim, 0, read.extent(dim), a.stride[i]);
    }
    return pointwise_convolution(read, kernel);
  }
  const Shape layout = channels_last(x.rank());
  const Shape back = channels_second(x.rank());
  if (a.groups > 1 && kernel.shape[1] == 1) {
    const Shape zeros(a.stride.size(), 0);
    const ir::Convolution operation = {
        {a.stride, zeros, zeros, ones, a.kernel_dilation, a.groups}, layout, taps_first(x.rank())};
    return transpose(
        node(operation, {transpose(source, layout), transpose(kernel, taps_first(x.rank()))}),
        back);
  }
  const std::int64_t merged =
      rewrites() && is_bound(kernel) ? groups_to_merge(kernel, a.groups, forms_.unit) : 1;
  const Tensor taps = merged == 1 ? kernel : merge_groups(kernel, a.groups, merged);
  const std::int64_t groups = a.groups / merged;
  const ir::PackedConvolution operation = {a.stride, a.kernel_dilation, groups, kernel.shape[0]};
  return transpose(node(operation, {transpose(source, layout), kernel_panels(taps, groups)}), back);
}

// [co, ci / groups, spatial...] as [co, merged * ci / groups, spatial...]: what a group's results
// do not read has taps of 0.
Tensor Legalizer::merge_groups(const Tensor& kernel, std::int64_t groups, std::int64_t merged) {
  Builder b(*this);
  const std::int64_t channels = kernel.shape[1];
  const Shape spatial(kernel.shape.begin() + 2, kernel.shape.end());
  const Tensor own = b.reshape(
      kernel, joined({groups / merged, merged, kernel.shape[0] / groups, channels}, spatial));
  std::vector<Tensor> blocks;
  for (std::int64_t i = 0; i < merged; ++i) {
    Shape low(own.shape.size(), 0);
    Shape high(own.shape.size(), 0);
    low[3] = i * channels;
    high[3] = (merged - 1 - i) * channels;
    blocks.push_back(b.pad(b.slice(own, 1, i, i + 1), 0, low, high));
  }
  return b.reshape(concatenate(blocks, 1), joined({kernel.shape[0], merged * channels}, spatial));
}

Tensor Legalizer::winograd_convolution(const Tensor& x, const Tensor& kernel,
                                       const ConvolutionAttributes& attributes,
                                       const Shape& shape) {
  const Shape layout = channels_last(x.rank());
  const std::int64_t out = kernel.shape[0];
  const ir::WinogradInput tiles = {
      attributes.low, {ir::num_winograd_tiles(shape[2]), ir::num_winograd_tiles(shape[3])}};
  const Tensor left = node(tiles, {transpose(x, layout)});
  const Tensor right = node(ir::WinogradKernel{panel_width(out)}, {kernel});
  const Tensor sums = node(ir::PackedDot{out}, {left, right});
  const ir::WinogradOutput image = {{shape[0], shape[2], shape[3]}};
  return transpose(node(image, {sums}), channels_second(x.rank()));
}

// One tap is a matrix product over all positions.
Tensor Legalizer::pointwise_convolution(const Tensor& x, const Tensor& kernel) {
  Builder b(*this);
  const Tensor rows = transpose(x, channels_last(x.rank()));
  const Tensor matrix = b.reshape(kernel, {kernel.shape[0], kernel.shape[1]});
  return transpose(dot(rows, matrix, {{}, {}, {x.rank() - 1}, {1}}), channels_second(x.rank()));
}

// [co, ci / groups, spatial...] as [co / p, spatial..., ci / groups, p].
Tensor Legalizer::kernel_panels(const Tensor& kernel, std::int64_t groups) {
  Builder b(*this);
  const std::int64_t out = kernel.shape[0];
  const std::int64_t width = panel_width(out, groups);
  const std::int64_t whole = round_up(out, width);
  Shape high(kernel.shape.size(), 0);
  high[0] = whole - out;
  const Tensor wide = b.pad(kernel, 0, Shape(high.size(), 0), high);
  Shape split = {whole / width, width};
  split.insert(split.end(), kernel.shape.begin() + 1, kernel.shape.end());
  Shape order = {0};
  for (std::int64_t i = 2; i < kernel.rank(); ++i) order.push_back(i + 1);
  order.insert(order.end(), {2, 1});
  return transpose(b.reshape(wide, split), order);
}

}  // namespace

bool is_softmax(std::string_view op) {
  return op.find("softmax") != op.npos || op.find("attention") != op.npos;
}

ir::Built legalize(const ir::Graph& graph, bool rewrites, const Forms& forms) {
  const ir::Built real = ir::with_real_parts(graph);
  if (!real.failures.empty()) return real;
  Legalizer legalizer(rewrites, forms);
  ir::Built built = ir::rewrite(real.graph, legalizer);
  if (rewrites && forms.has_attention && built.failures.empty()) {
    built.graph = fuse_attention(built.graph, forms.unit);
  }
  return built;
}

}  // namespace graphnet::tvm
