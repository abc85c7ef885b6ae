// SPDX-License-Identifier: MIT
#include "lowering/stablehlo/legalize.h"

#include <algorithm>
#include <utility>

#include "lowering/builder.h"
#include "lowering/ir/passes/layout.h"

namespace graphnet::lowering::stablehlo {

namespace {

using ir::channels_last;
using ir::taps_first;

// Taps of a depthwise kernel up to which it is written out; larger ones would take long to compile.
constexpr std::int64_t kMostTaps = 64;

// Channels that a block of a grouped convolution should have, and how many blocks are compiled.
// XLA's grouped convolution takes 1.2 to 5 times as long as blocks of this width.
constexpr std::int64_t kBlockChannels = 32;
constexpr std::int64_t kMostBlocks = 16;

// Positions in a kernel, the last dimension running fastest.
std::vector<Shape> taps_of(const Tensor& kernel) {
  std::vector<Shape> taps = {{}};
  for (std::size_t i = 2; i < kernel.shape.size(); ++i) {
    std::vector<Shape> longer;
    for (const Shape& tap : taps) {
      for (std::int64_t k = 0; k < kernel.shape[i]; ++k) {
        longer.push_back(tap);
        longer.back().push_back(k);
      }
    }
    taps = std::move(longer);
  }
  return taps;
}

// XLA's library refuses kernels larger than the image (25 times slower without it) and is 2 to 3
// times slower than a matrix product where a patch has few elements; a kernel of one tap is a
// matrix product (1.1 to 1.4 times).
bool prefers_patches(const Tensor& x, const Tensor& kernel) {
  constexpr std::int64_t kFewElements = 32;
  const std::int64_t patch = num_elements(kernel.shape) / kernel.shape[0];
  if (patch == kernel.shape[1]) return true;
  if (patch <= kFewElements) return x.rank() == 4;
  for (std::size_t i = 2; i < kernel.shape.size(); ++i) {
    if (kernel.shape[i] > x.shape[i]) return true;
  }
  return false;
}

/// What XLA is given in place of a convolution or product that it is slow at.
class Legalizer final : public ir::LayoutEmitter {
 public:
  using LayoutEmitter::LayoutEmitter;

  Tensor convert(const Tensor& x, Type type) override;
  Tensor dot(const Tensor& a, const Tensor& b, const Contraction& contraction) override {
    return LayoutEmitter::dot(a, fast_right_operand(a, b, contraction), contraction);
  }
  Tensor convolution(const Tensor& x, const Tensor& kernel,
                     const ConvolutionAttributes& attributes) override;

 private:
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
};

Tensor Legalizer::convert(const Tensor& x, Type type) {
  if (is_complex(x.type) && !is_complex(type)) {
    throw LoweringError("conversion of a complex tensor to a real one");
  }
  return LayoutEmitter::convert(x, type);
}

// A weight [n, k] that several rows meet is read faster as [k, n]; a single row likes it as it is.
Tensor Legalizer::fast_right_operand(const Tensor& a, const Tensor& b,
                                     const Contraction& contraction) {
  const bool is_weight = rewrites() && stage(b) == ir::Stage::kBind && b.rank() == 2 &&
                         contraction.right_batch.empty() &&
                         contraction.right_contracting.size() == 1;
  if (!is_weight || num_elements(a.shape) == b.extent(contraction.right_contracting[0])) return b;
  return relayout(b, contraction.right_contracting[0] == 0 ? Shape{0, 1} : Shape{1, 0});
}

Tensor Legalizer::convolution(const Tensor& x, const Tensor& kernel,
                              const ConvolutionAttributes& attributes) {
  std::int64_t taps = 1;
  for (std::size_t i = 2; i < kernel.shape.size(); ++i) taps *= kernel.shape[i];
  const bool is_plain =
      std::all_of(attributes.input_dilation.begin(), attributes.input_dilation.end(),
                  [](std::int64_t dilation) { return dilation == 1; });
  const bool is_depthwise = attributes.groups > 1 && attributes.groups == x.shape[1] &&
                            kernel.shape[1] == 1 && is_plain && taps <= kMostTaps;
  if (rewrites() && is_depthwise) return depthwise_convolution(x, kernel, attributes);
  if (rewrites() && is_plain && attributes.groups > 1) {
    return grouped_convolution(x, kernel, attributes);
  }
  if (rewrites() && is_plain && prefers_patches(x, kernel)) {
    return patch_convolution(x, kernel, attributes);
  }
  return library_convolution(x, kernel, attributes);
}

// Every window's elements side by side, times the kernel as a matrix.
Tensor Legalizer::patch_convolution(const Tensor& x, const Tensor& kernel,
                                    const ConvolutionAttributes& attributes) {
  Builder b(*this);
  const Shape layout = channels_last(x.rank());
  const Tensor source = b.padded(relayout(x, layout), attributes);
  const Shape shape = convolved_shape(x, kernel, attributes);
  std::vector<Tensor> taps;
  for (const Shape& tap : taps_of(kernel)) {
    taps.push_back(tap_of(source, tap, shape, attributes));
  }
  const Tensor patches = taps.size() == 1 ? taps[0] : concatenate(taps, 1);
  // Memory holds taps and channels of a patch as the kernel's matrix has them: taps outside.
  const std::int64_t depth = num_elements(kernel.shape) / kernel.shape[0];
  const Tensor matrix =
      b.reshape(transpose(kernel, taps_first(kernel.rank())), {depth, kernel.shape[0]});
  const Tensor rows = transpose(patches, layout);
  const Tensor product = dot(rows, matrix, {{}, {}, {rows.rank() - 1}, {0}});
  return transpose(product, ir::channels_second(x.rank()));
}

// What the window's position `tap` meets, for all windows.
Tensor Legalizer::tap_of(const Tensor& source, const Shape& tap, const Shape& shape,
                         const ConvolutionAttributes& attributes) {
  Shape begin(source.shape.size(), 0);
  Shape end = source.shape;
  Shape step(source.shape.size(), 1);
  for (std::size_t i = 0; i < tap.size(); ++i) {
    begin[i + 2] = tap[i] * attributes.kernel_dilation[i];
    end[i + 2] = begin[i + 2] + (shape[i + 2] - 1) * attributes.stride[i] + 1;
    step[i + 2] = attributes.stride[i];
  }
  return slice(source, begin, end, step);
}

// Groups side by side as blocks, each one dense convolution with a kernel that is zero between
// groups: more products, but of the kind that XLA's library is fast at.
Tensor Legalizer::grouped_convolution(const Tensor& x, const Tensor& kernel,
                                      const ConvolutionAttributes& attributes) {
  const std::int64_t groups = attributes.groups;
  const std::int64_t in = kernel.shape[1];
  const std::int64_t out = kernel.shape[0] / groups;
  std::int64_t per_block = std::max<std::int64_t>(1, kBlockChannels / std::max(in, out));
  per_block = std::max(per_block, (groups + kMostBlocks - 1) / kMostBlocks);
  if (per_block > 1 && per_block * std::max(in, out) > 2 * kBlockChannels) {
    return library_convolution(x, kernel, attributes);
  }
  Builder b(*this);
  ConvolutionAttributes dense = attributes;
  dense.groups = 1;
  std::vector<Tensor> blocks;
  for (std::int64_t first = 0; first < groups; first += per_block) {
    const std::int64_t count = std::min(per_block, groups - first);
    const Tensor part = b.slice(kernel, 0, first * out, (first + count) * out);
    blocks.push_back(library_convolution(b.slice(x, 1, first * in, (first + count) * in),
                                         block_diagonal(part, count), dense));
  }
  return blocks.size() == 1 ? blocks[0] : concatenate(blocks, 1);
}

// [groups * out, in, spatial...] to [groups * out, groups * in, spatial...].
Tensor Legalizer::block_diagonal(const Tensor& kernel, std::int64_t groups) {
  if (groups == 1) return kernel;
  Builder b(*this);
  const std::int64_t out = kernel.shape[0] / groups;
  Shape split = {groups, out, 1, kernel.shape[1]};
  split.insert(split.end(), kernel.shape.begin() + 2, kernel.shape.end());
  Shape spread = split;
  spread[2] = groups;
  const Tensor filled =
      b.emit.broadcast(b.reshape(kernel, split), spread, counting(kernel.rank() + 2));
  const Tensor own =
      b.compare(Comparison::kEq, iota(Type::kI32, spread, 0), iota(Type::kI32, spread, 2));
  Shape merged = kernel.shape;
  merged[1] *= groups;
  return b.reshape(b.select(own, filled, b.full(kernel.type, spread, 0)), merged);
}

Tensor Legalizer::library_convolution(const Tensor& x, const Tensor& kernel,
                                      const ConvolutionAttributes& attributes) {
  if (!rewrites()) return convolution_in(x, kernel, attributes, {}, {});
  return convolution_in(x, kernel, attributes, channels_last(x.rank()), taps_first(x.rank()));
}

// XLA's depthwise convolution is 20 to 40 times slower than this sum of shifted products, which
// becomes one fused loop over channels-last memory.
Tensor Legalizer::depthwise_convolution(const Tensor& x, const Tensor& kernel,
                                        const ConvolutionAttributes& attributes) {
  const std::int64_t multiplier = kernel.shape[0] / x.shape[1];
  Builder b(*this);
  Tensor source = b.padded(relayout(x, channels_last(x.rank())), attributes);
  if (multiplier > 1) {
    // Channel c of the result reads channel c / multiplier.
    std::vector<std::int64_t> channels;
    for (std::int64_t c = 0; c < kernel.shape[0]; ++c) channels.push_back(c / multiplier);
    source = relayout(b.take(source, 1, channels), channels_last(x.rank()));
  }
  const Shape shape = convolved_shape(x, kernel, attributes);
  // Taps first, channels last: each tap is one run of memory.
  const Tensor weights = relayout(kernel, taps_first(kernel.rank()));
  std::optional<Tensor> sum;
  for (const Shape& tap : taps_of(kernel)) {
    Shape weight_begin(kernel.shape.size(), 0);
    Shape weight_end = kernel.shape;
    for (std::size_t i = 0; i < tap.size(); ++i) {
      weight_begin[i + 2] = tap[i];
      weight_end[i + 2] = tap[i] + 1;
    }
    const Tensor weight = b.reshape(
        slice(weights, weight_begin, weight_end, Shape(kernel.shape.size(), 1)), {kernel.shape[0]});
    const Tensor product = binary(Binary::kMultiply, tap_of(source, tap, shape, attributes),
                                  broadcast(weight, shape, {1}));
    sum = sum ? binary(Binary::kAdd, *sum, product) : product;
  }
  return *sum;
}

}  // namespace

ir::Built legalize(const ir::Graph& graph, bool rewrites) {
  Legalizer legalizer(rewrites);
  return ir::rewrite(graph, legalizer);
}

}  // namespace graphnet::lowering::stablehlo
