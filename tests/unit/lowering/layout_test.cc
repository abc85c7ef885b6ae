// SPDX-License-Identifier: MIT
#include "lowering/ir/passes/layout.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "lowering/builder.h"
#include "lowering/ir/interpret.h"
#include "lowering/ir/text.h"
#include "lowering/ir/verify.h"
#include "support/counted_arrays.h"

namespace graphnet::lowering::ir {
namespace layout_test {

/// A target whose convolutions are channels-last.
class ChannelsLast final : public LayoutEmitter {
 public:
  using LayoutEmitter::LayoutEmitter;
  Tensor convolution(const Tensor& x, const Tensor& kernel,
                     const ConvolutionAttributes& attributes) override {
    return convolution_in(x, kernel, attributes, {0, 2, 3, 1}, {2, 3, 1, 0});
  }
};

Graph laid_out(const Graph& graph, bool rewrites = true) {
  ChannelsLast target(rewrites);
  Built moved = rewrite(graph, target);
  EXPECT_TRUE(moved.failures.empty()) << describe_failures(moved.failures);
  return std::move(moved.graph);
}

template <typename Kind>
std::size_t count(const Graph& graph) {
  std::size_t found = 0;
  for (const Node& node : graph.nodes) found += std::holds_alternative<Kind>(node.operation);
  return found;
}

constexpr ParameterSource kInput = ParameterSource::kInput;
const ConvolutionAttributes kSame = {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1};

/// A graph over inputs of these types, and what the pass makes of it: the same numbers.
Graph check(const std::vector<TensorType>& inputs,
            const std::function<std::vector<Tensor>(Builder&, const std::vector<Tensor>&)>& make) {
  GraphEmitter emitter(/*rewrites=*/true);
  Builder b(emitter);
  std::vector<Tensor> parameters;
  std::vector<Array> arrays;
  for (const TensorType& type : inputs) {
    arrays.push_back(tests::counted_array(type));
    parameters.push_back(
        emitter.parameter(kInput, static_cast<std::int64_t>(parameters.size()), type));
  }
  const Graph graph = emitter.finish(make(b, parameters));
  const Graph moved = laid_out(graph);
  verify(moved);
  EXPECT_EQ(to_text(parse(to_text(moved))), to_text(moved));
  const std::vector<Array> wanted = interpret(graph, {arrays});
  const std::vector<Array> found = interpret(moved, {arrays});
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(found[i].type, wanted[i].type);
    EXPECT_EQ(found[i].elements, wanted[i].elements) << to_text(moved);
  }
  return moved;
}

const TensorType kImage = {Type::kF32, {1, 4, 5, 6}};
const TensorType kKernel = {Type::kF32, {4, 4, 3, 3}};

TEST(Layout, StaysFromTheFirstConvolutionToTheLast) {
  const Graph graph = check({kImage, kKernel, {Type::kF32, {4}}}, [](Builder& b, const auto& in) {
    Tensor x = in[0];
    for (int i = 0; i < 3; ++i) {
      x = b.emit.convolution(x, in[1], kSame);
      x = b.add(x, b.emit.broadcast(in[2], x.shape, {1}));
      x = b.binary(Binary::kMaximum, x, 0);
    }
    return std::vector<Tensor>{b.add(x, in[0])};
  });
  // In, out, and the kernel; the residual shares the first.
  EXPECT_EQ(count<Transpose>(graph), 3U);
}

TEST(Layout, PassesThroughWhatMovesElements) {
  const Graph graph = check({kImage, kKernel}, [](Builder& b, const auto& in) {
    const Tensor x = b.emit.convolution(in[0], in[1], kSame);
    const Tensor cut = b.emit.slice(x, {0, 1, 0, 1}, {1, 4, 5, 6}, {1, 1, 2, 1});
    const Tensor wide = b.emit.pad(cut, 1, {0, 1, 0, 0}, {0, 0, 2, 0}, {0, 0, 1, 0});
    const Tensor turned = b.emit.reverse(wide, {1, 3});
    const Tensor joined = b.emit.concatenate({turned, wide}, 2);
    const Window window = {{1, 1, 2, 2}, {1, 1, 1, 2}, {1, 1, 1, 1}, {0, 0, 1, 0}, {0, 0, 0, 0}};
    const Tensor pooled = b.emit.reduce_window(Reduction::kMax, joined, window);
    return std::vector<Tensor>{pooled, b.emit.reduce(Reduction::kSum, joined, {2})};
  });
  // In, the kernel, and each output.
  EXPECT_EQ(count<Transpose>(graph), 4U);
}

TEST(Layout, ReshapesInPlaceWhereItAllows) {
  const auto reshaped = [](const Shape& shape) {
    return count<Transpose>(check({kImage, kKernel}, [&](Builder& b, const auto& in) {
      const Tensor x = b.reshape(b.emit.convolution(in[0], in[1], kSame), shape);
      return std::vector<Tensor>{b.emit.reduce(Reduction::kSum, x, counting(x.rank()))};
    }));
  };
  EXPECT_EQ(reshaped({1, 2, 2, 5, 6}), 2U);
  EXPECT_EQ(reshaped({1, 4, 30}), 2U);
  // Channels and rows are not neighbours in memory.
  EXPECT_EQ(reshaped({1, 20, 6}), 3U);
}

TEST(Layout, OfAProductIsThatOfItsOperands) {
  const TensorType matrix = {Type::kF32, {4, 7}};
  const Graph graph = check({kImage, kKernel, matrix}, [](Builder& b, const auto& in) {
    const Tensor x = b.emit.convolution(in[0], in[1], kSame);
    const Tensor product = b.emit.dot(x, in[2], {{}, {}, {1}, {0}});
    const Tensor batched = b.emit.dot(x, x, {{0, 3}, {0, 3}, {1}, {1}});
    return std::vector<Tensor>{product, batched};
  });
  EXPECT_EQ(count<Transpose>(graph), 2U);
}

TEST(Layout, EndsWhereDimensionsAreNeededInOrder) {
  check({kImage, kKernel, {Type::kI64, {2, 1}}}, [](Builder& b, const auto& in) {
    const Tensor x = b.emit.convolution(in[0], in[1], kSame);
    const auto sorted = b.emit.sort(x, 1, true);
    const auto largest = b.emit.reduce_index(true, x, 3);
    const Tensor chosen = b.select(b.compare(Comparison::kGt, x, sorted.first), x, sorted.first);
    return std::vector<Tensor>{sorted.second, largest.second, chosen,
                               b.emit.gather(x, in[2], {2}, 1)};
  });
}

TEST(Layout, IsLeftAsItIsWithoutRewrites) {
  GraphEmitter emitter(false);
  Builder b(emitter);
  const Tensor x = emitter.parameter(kInput, 0, kImage);
  const Tensor moved = b.unary(Unary::kExp, b.emit.transpose(x, {0, 2, 3, 1}));
  const Graph graph = emitter.finish({b.emit.transpose(moved, {0, 3, 1, 2})});
  EXPECT_EQ(count<Transpose>(laid_out(graph, /*rewrites=*/false)), 2U);
  EXPECT_EQ(count<Transpose>(laid_out(graph)), 0U);
}

}  // namespace layout_test
}  // namespace graphnet::lowering::ir
