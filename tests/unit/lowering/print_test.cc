// SPDX-License-Identifier: MIT
#include "lowering/stablehlo/print.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "lowering/builder.h"
#include "lowering/ir/graph_emitter.h"
#include "lowering/stablehlo/legalize.h"

namespace graphnet::lowering::stablehlo {
namespace print_test {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

/// A graph with the leaves that most tests need.
class PrintTest : public ::testing::Test {
 protected:
  Tensor input(const Shape& shape, Type type = Type::kF32) {
    return emitter_.parameter(ir::ParameterSource::kInput, num_inputs_++, {type, shape});
  }
  Tensor weight(const Shape& shape) {
    return emitter_.parameter(ir::ParameterSource::kWeight, num_weights_++, {Type::kF32, shape});
  }
  LoweredProgram finish(const std::vector<Tensor>& outputs, const PrintOptions& options = {}) {
    ir::GraphEmitter emitter = emitter_;
    ir::Built legalized = legalize(emitter.finish(outputs), options.rewrites);
    EXPECT_TRUE(legalized.failures.empty()) << describe_failures(legalized.failures);
    return print(std::move(legalized.graph), options, "m");
  }

  ir::GraphEmitter emitter_{/*rewrites=*/true};
  Builder b_{emitter_};
  std::int64_t num_inputs_ = 0;
  std::int64_t num_weights_ = 0;
};

ConvolutionAttributes plain_convolution() {
  return {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1};
}

TEST_F(PrintTest, WritesAModule) {
  const Tensor x = input({2, 3});
  emitter_.begin_node("aten::relu", "model.py:4:5");
  const LoweredProgram program = finish({b_.binary(Binary::kMaximum, x, 0)});
  EXPECT_EQ(program.main.text,
            "module @m {\n"
            "  func.func public @main(%0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {\n"
            "    %1 = stablehlo.constant dense<0x00000000> : tensor<2x3xf32> loc(\"aten::relu "
            "model.py:4:5\")\n"
            "    %2 = stablehlo.maximum %0, %1 : tensor<2x3xf32> loc(\"aten::relu model.py:4:5\")\n"
            "    return %2 : tensor<2x3xf32>\n"
            "  }\n"
            "}\n");
  EXPECT_FALSE(program.bind);
  ASSERT_EQ(program.main.results.size(), 1U);
  EXPECT_EQ(program.main.results[0].shape, (Shape{2, 3}));
}

TEST_F(PrintTest, WritesEqualLinesOnceAndDeadOnesNever) {
  const Tensor x = input({4});
  const Tensor twice = b_.add(b_.unary(Unary::kExp, x), b_.unary(Unary::kExp, x));
  b_.unary(Unary::kLog, x);
  const std::string text = finish({twice}).main.text;
  EXPECT_EQ(count(text, "stablehlo.exponential"), 1U);
  EXPECT_EQ(count(text, "stablehlo.log"), 0U);
}

TEST_F(PrintTest, MovesWhatDependsOnWeightsAloneToBind) {
  const Tensor scale = b_.unary(Unary::kRsqrt, b_.add(weight({8}), 1e-5));
  const LoweredProgram program = finish({b_.multiply(input({2, 8}), scale)});
  ASSERT_TRUE(program.bind);
  EXPECT_EQ(count(program.bind->text, "stablehlo.rsqrt"), 1U);
  EXPECT_EQ(count(program.main.text, "stablehlo.rsqrt"), 0U);
  // The broadcast is cheaper to make than to read.
  EXPECT_EQ(program.bind->results.at(0).shape, (Shape{8}));
  EXPECT_EQ(program.main.arguments.at(0).source, ArgumentSource::kBound);
  EXPECT_EQ(program.bind->arguments.at(0).source, ArgumentSource::kWeight);
}

TEST_F(PrintTest, KeepsWeightsInMainWithoutRewrites) {
  PrintOptions options;
  options.rewrites = false;
  const LoweredProgram program =
      finish({b_.multiply(input({8}), b_.unary(Unary::kExp, weight({8})))}, options);
  EXPECT_FALSE(program.bind);
  EXPECT_EQ(count(program.main.text, "stablehlo.exponential"), 1U);
}

TEST_F(PrintTest, KeepsAChainOfConvolutionsChannelsLast) {
  Tensor x = input({1, 16, 14, 14});
  const Tensor start = x;
  for (int i = 0; i < 3; ++i) {
    x = emitter_.convolution(x, weight({16, 16, 3, 3}), plain_convolution());
    x = b_.add(x, emitter_.broadcast(weight({16}), x.shape, {1}));
    x = b_.binary(Binary::kMaximum, x, 0);
  }
  x = b_.add(x, start);
  const LoweredProgram program = finish({x});
  // Once in (shared with the residual) and once out; the kernels are turned in bind.
  EXPECT_EQ(count(program.main.text, "stablehlo.transpose"), 2U);
  ASSERT_TRUE(program.bind);
  EXPECT_EQ(count(program.bind->text, "stablehlo.transpose"), 3U);
  EXPECT_EQ(program.main.results[0].shape, (Shape{1, 16, 14, 14}));
}

TEST_F(PrintTest, WritesDepthwiseConvolutionsAsShiftedProducts) {
  ConvolutionAttributes attributes = plain_convolution();
  attributes.groups = 32;
  const Tensor x = emitter_.convolution(input({1, 32, 8, 8}), weight({32, 1, 3, 3}), attributes);
  const std::string text = finish({x}).main.text;
  EXPECT_EQ(count(text, "stablehlo.convolution"), 0U);
  EXPECT_EQ(count(text, "stablehlo.multiply"), 9U);
}

TEST_F(PrintTest, WritesAKernelOfOneTapAsAMatrixProduct) {
  ConvolutionAttributes attributes = plain_convolution();
  attributes.low = attributes.high = {0, 0};
  attributes.stride = {2, 2};
  const Tensor x = emitter_.convolution(input({1, 64, 8, 8}), weight({32, 64, 1, 1}), attributes);
  EXPECT_EQ(x.shape, (Shape{1, 32, 4, 4}));
  const std::string text = finish({x}).main.text;
  EXPECT_EQ(count(text, "stablehlo.convolution"), 0U);
  EXPECT_EQ(count(text, "stablehlo.dot_general"), 1U);
}

TEST_F(PrintTest, MakesBlocksOfGroups) {
  ConvolutionAttributes attributes = plain_convolution();
  attributes.groups = 8;  // of 8 channels: 4 groups fill a block
  const Tensor x = emitter_.convolution(input({1, 64, 8, 8}), weight({64, 8, 3, 3}), attributes);
  const std::string text = finish({x}).main.text;
  EXPECT_EQ(count(text, "stablehlo.convolution"), 2U);
  EXPECT_EQ(count(text, "feature_group_count = 1 "), 2U);
}

TEST_F(PrintTest, SelectsInMaximaThatKeepNaN) {
  const Tensor x = input({4, 4});
  EXPECT_EQ(count(finish({emitter_.reduce(Reduction::kMax, x, {1})}).main.text, "stablehlo.select"),
            1U);
  EXPECT_EQ(count(finish({emitter_.reduce(Reduction::kMaxNumber, x, {1})}).main.text,
                  "applies stablehlo.maximum"),
            1U);
}

// MLIR forbids a name inside a region that exists outside it: those of lines and arguments.
TEST_F(PrintTest, NamesNothingInARegionLikeSomethingOutside) {
  const Tensor x = input({128, 128});
  const auto sorted = emitter_.sort(x, 1, true);
  const auto largest = emitter_.reduce_index(true, x, 1);
  const std::string text = finish({sorted.first, sorted.second, largest.second}).main.text;
  ASSERT_GT(count(text, "tf.aliasing_output"), 0U);
  std::size_t num_regions = 0;
  for (std::size_t at = text.find("({"); at != std::string::npos; at = text.find("({", at + 1)) {
    ++num_regions;
    const std::size_t end = text.find("})", at);
    const std::string outside = text.substr(0, at) + text.substr(end);
    for (std::size_t name = text.find('%', at); name < end; name = text.find('%', name + 1)) {
      const std::size_t stop = text.find_first_of(" ,:)", name);
      const std::string word = text.substr(name, stop - name);
      // Another region may use the name again; a definition at the start of a line may not.
      EXPECT_EQ(count(outside, "    " + word + " ="), 0U) << word;
      EXPECT_EQ(count(outside.substr(0, outside.find(") -> (")), word + ":"), 0U) << word;
    }
  }
  EXPECT_EQ(num_regions, 2U);
}

TEST_F(PrintTest, TakesTensorsWithoutElementsOutOfBothSignatures) {
  const Tensor empty = input({0, 3});
  const Tensor x = input({3});
  const LoweredProgram program = finish({empty, b_.add(x, 1)});
  EXPECT_EQ(program.main.arguments.size(), 1U);
  EXPECT_EQ(program.result_outputs, (std::vector<std::uint32_t>{1}));
}

// Where a view of the caller's memory cannot be given away.
TEST_F(PrintTest, LendsNothingIfToldSo) {
  PrintOptions options;
  options.lends_results = false;
  const LoweredProgram program = finish({b_.add(input({64, 64}), 1)}, options);
  EXPECT_EQ(program.main.arguments.size(), 1U);
  EXPECT_EQ(count(program.main.text, "tf.aliasing_output"), 0U);
}

TEST_F(PrintTest, ProductsHaveFullPrecisionUnlessToldOtherwise) {
  const std::vector<Tensor> products = {
      emitter_.convolution(input({1, 16, 8, 8}), input({16, 16, 3, 3}), plain_convolution()),
      emitter_.dot(input({4, 5}), input({5, 6}), {{}, {}, {1}, {0}})};
  PrintOptions options;
  const std::string full = finish(products, options).main.text;
  EXPECT_EQ(count(full, "precision = [HIGHEST, HIGHEST]"), 1U) << full;
  EXPECT_EQ(count(full, "#stablehlo<precision HIGHEST>"), 2U);
  EXPECT_EQ(count(full, "DEFAULT"), 0U);
  options.full_precision = false;
  const std::string relaxed = finish(products, options).main.text;
  EXPECT_EQ(count(relaxed, "precision = [DEFAULT, DEFAULT]"), 1U) << relaxed;
  EXPECT_EQ(count(relaxed, "#stablehlo<precision DEFAULT>"), 2U);
  EXPECT_EQ(count(relaxed, "HIGHEST"), 0U);
}

TEST_F(PrintTest, ConvertsWhatStableHloHasNoLiteralsOf) {
  const std::int8_t bits[] = {1, 0};
  const std::string text =
      finish({b_.add(input({2}, Type::kF16), 0.5), b_.convert(input({2}, Type::kI32), Type::kBool),
              emitter_.constant(Type::kBool, {2}, bits), b_.convert(input({2}), Type::kC64)})
          .main.text;
  EXPECT_EQ(count(text, "dense<0x3F000000> : tensor<2xf32>"), 1U) << text;
  EXPECT_EQ(count(text, "stablehlo.convert %h"), 1U) << text;
  EXPECT_EQ(count(text, "stablehlo.compare NE"), 2U) << text;
  EXPECT_EQ(count(text, "dense<\"0x0100\"> : tensor<2xui8>"), 1U) << text;
  EXPECT_EQ(count(text, "stablehlo.complex"), 1U) << text;
}

TEST_F(PrintTest, NamesTheOperatorThatStableHloCannotExpress) {
  emitter_.begin_node("aten::_to_copy", "model.py:9:5");
  const Tensor real = emitter_.convert(input({2}, Type::kC64), Type::kF32);
  const ir::Built legalized = legalize(emitter_.finish({real}), /*rewrites=*/true);
  ASSERT_EQ(legalized.failures.size(), 1U);
  EXPECT_EQ(legalized.failures[0].op, "aten::_to_copy");
  EXPECT_EQ(legalized.failures[0].where, "model.py:9:5");
}

TEST_F(PrintTest, LendsMemoryToLargeResultsOnly) {
  const LoweredProgram program = finish({b_.add(input({16}), 1), b_.add(input({64, 64}), 1)});
  ASSERT_EQ(program.main.arguments.size(), 3U);
  EXPECT_EQ(program.main.arguments.back().source, ArgumentSource::kResultMemory);
  EXPECT_EQ(program.main.arguments.back().index, 1U);
  EXPECT_EQ(count(program.main.text, "tf.aliasing_output = 1 : i32"), 1U);
  EXPECT_EQ(count(program.main.text, "tf.aliasing_output = 0"), 0U);
}

TEST_F(PrintTest, WritesLiteralsExactly) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string text =
      finish({b_.add(input({1}), 0.1), b_.add(input({1}, Type::kF64), 0.1),
              b_.add(input({1}), -infinity), b_.add(input({1}, Type::kI64), 9223372036854775807.0)})
          .main.text;
  EXPECT_EQ(count(text, "dense<0x3DCCCCCD> : tensor<1xf32>"), 1U);
  EXPECT_EQ(count(text, "dense<0x3FB999999999999A> : tensor<1xf64>"), 1U);
  EXPECT_EQ(count(text, "dense<0xFF800000> : tensor<1xf32>"), 1U);
  EXPECT_EQ(count(text, "dense<9223372036854775807> : tensor<1xi64>"), 1U);
}

}  // namespace print_test
}  // namespace graphnet::lowering::stablehlo
