// SPDX-License-Identifier: MIT
#include "lowering/ir/passes/real_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <variant>

#include "lowering/builder.h"
#include "lowering/ir/graph_emitter.h"
#include "lowering/ir/interpret.h"
#include "lowering/ir/text.h"
#include "lowering/ir/verify.h"

namespace graphnet::lowering::ir {
namespace real_parts_test {

class RealPartsTest : public ::testing::Test {
 protected:
  Tensor input(std::int64_t index, const Shape& shape) {
    Array array = {{Type::kF32, shape}, {}};
    for (std::int64_t i = 0; i < num_elements(shape); ++i) {
      array.elements.emplace_back(static_cast<long double>((i * 37 + index * 11) % 23) / 8 - 1);
    }
    arguments_.inputs.push_back(std::move(array));
    return emit_.parameter(ParameterSource::kInput, index, {Type::kF32, shape});
  }
  Tensor complex(const Tensor& real, const Tensor& imag) {
    return emit_.binary(Binary::kComplex, real, imag);
  }
  Tensor real(const Tensor& x) { return emit_.unary(Unary::kReal, x); }
  Tensor imag(const Tensor& x) { return emit_.unary(Unary::kImag, x); }

  /// Both graphs compute the same, and one of them has no complex value.
  void expect_same(const std::vector<Tensor>& outputs, const std::string& about) {
    const Graph graph = emit_.finish(outputs);
    const Built made = with_real_parts(graph);
    ASSERT_TRUE(made.failures.empty()) << about << ": " << made.failures[0].reason;
    verify(made.graph);
    for (const Value& value : made.graph.values) EXPECT_FALSE(is_complex(value.type.type)) << about;
    const auto wanted = interpret(graph, arguments_);
    const auto found = interpret(made.graph, arguments_);
    ASSERT_EQ(wanted.size(), found.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(wanted[i].type, found[i].type) << about;
      for (std::size_t k = 0; k < wanted[i].elements.size(); ++k) {
        ASSERT_NEAR(static_cast<double>(wanted[i].elements[k].real()),
                    static_cast<double>(found[i].elements[k].real()), 2e-4)
            << about << ", output " << i << ", element " << k;
      }
    }
  }
  std::string failure(const std::vector<Tensor>& outputs) {
    const Built made = with_real_parts(emit_.finish(outputs));
    return made.failures.empty() ? "none" : made.failures[0].reason;
  }

  GraphEmitter emit_{/*rewrites=*/true};
  Builder b_{emit_};
  Arguments arguments_;
};

TEST_F(RealPartsTest, AGraphOfRealNumbersStaysAsItIs) {
  const Tensor x = input(0, {3});
  const Graph graph = emit_.finish({b_.add(x, x)});
  EXPECT_EQ(to_text(with_real_parts(graph).graph), to_text(graph));
}

// A compiler may have them as a whole.
TEST_F(RealPartsTest, CompositesWithoutComplexValuesStay) {
  const auto abs = [&](const Tensor& x, bool is_by_transform) {
    GraphEmitter inside(true);
    const Tensor given = inside.parameter(ParameterSource::kInput, 0, {x.type, x.shape});
    const Tensor half = inside.fourier(Fourier::kRealForward, given, {x.shape[0]});
    const Tensor same = inside.fourier(Fourier::kRealInverse, half, x.shape);
    Composite each;
    each.op = is_by_transform ? "aten::abs_of_transform" : "aten::abs";
    each.arguments = {{"self", Operand{0}}};
    each.results = {{x.type, x.shape}};
    each.body = std::make_shared<const Graph>(
        inside.finish({inside.unary(Unary::kAbs, is_by_transform ? same : given)}));
    return emit_.add(each, {x})[0];
  };
  const Tensor x = input(0, {4});
  const Tensor sum = b_.add(abs(x, false), abs(x, true));
  const Built made =
      with_real_parts(emit_.finish({emit_.fourier(Fourier::kRealInverse, complex(sum, sum), {6})}));
  ASSERT_TRUE(made.failures.empty()) << made.failures[0].reason;
  EXPECT_EQ(std::count_if(
                made.graph.nodes.begin(), made.graph.nodes.end(),
                [](const Node& node) { return std::holds_alternative<Composite>(node.operation); }),
            1);
}

// Short ones, primes, two factors, a factor that is taken apart itself, a prime factor above 128.
TEST_F(RealPartsTest, TransformsAreThoseOfTheInterpreter) {
  for (const std::int64_t length : {1, 2, 5, 12, 131, 144, 262, 429}) {
    emit_ = GraphEmitter(true);
    arguments_ = {};
    const Tensor a = input(0, {2, length});
    const Tensor b = input(1, {2, length});
    const Tensor z = complex(a, b);
    const Tensor forward = emit_.fourier(Fourier::kForward, z, {length});
    const Tensor back = emit_.fourier(Fourier::kInverse, z, {length});
    const Tensor half = emit_.fourier(Fourier::kRealForward, a, {length});
    const Tensor whole = emit_.fourier(Fourier::kRealInverse, half, {length});
    const Tensor alone = emit_.fourier(Fourier::kForward, b_.convert(a, Type::kC64), {length});
    expect_same({real(forward), imag(forward), real(back), imag(back), real(half), imag(half),
                 whole, real(alone), imag(alone)},
                "length " + std::to_string(length));
  }
}

TEST_F(RealPartsTest, OperationsWorkOnBothParts) {
  const Tensor a = input(0, {2, 4});
  const Tensor b = input(1, {2, 4});
  const Tensor z = complex(a, b);
  const Tensor product = emit_.binary(Binary::kMultiply, z, complex(b, a));
  const Tensor sum = emit_.binary(Binary::kSubtract, product, emit_.unary(Unary::kNegate, z));
  const Tensor turned = emit_.unary(Unary::kExp, z);
  const Tensor moved = emit_.reverse(
      b_.pad(emit_.transpose(emit_.concatenate({sum, turned}, 1), {1, 0}), 3, {0, 1}, {1, 0}), {0});
  const Tensor total = emit_.reduce(Reduction::kSum, b_.slice(moved, 0, 1, 7), {1});
  const Tensor constant = emit_.splat(Type::kC64, {2, 4}, 2);
  const float known[] = {1, -2, 0.5F, 4};
  const Tensor read = emit_.constant(Type::kC64, {2}, known);
  const Tensor equal = emit_.compare(Comparison::kEq, z, constant);
  const Tensor chosen = emit_.select(equal, z, constant);
  expect_same({real(moved), imag(moved), real(total), imag(total), real(chosen), imag(chosen),
               real(read), imag(read)},
              "operations");
}

TEST_F(RealPartsTest, InputsAndOutputsHaveTheirPartsInALastDimension) {
  const Tensor z = emit_.parameter(ParameterSource::kInput, 0, {Type::kC64, {2, 3}});
  const Graph graph = with_real_parts(emit_.finish({emit_.unary(Unary::kNegate, z)})).graph;
  ASSERT_EQ(graph.outputs.size(), 1U);
  EXPECT_EQ(graph.type(graph.outputs[0]).shape, (Shape{2, 3, 2}));
  arguments_.inputs.push_back({{Type::kF32, {2, 3, 2}}, {}});
  for (int i = 0; i < 12; ++i) arguments_.inputs[0].elements.emplace_back(i);
  const auto found = interpret(graph, arguments_)[0].elements;
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(static_cast<double>(found[static_cast<std::size_t>(i)].real()), -i);
  }
}

TEST_F(RealPartsTest, WhatItDoesNotKnowIsAFailure) {
  const Tensor a = input(0, {4});
  const Tensor z = complex(a, a);
  EXPECT_NE(failure({real(emit_.binary(Binary::kDivide, z, z))}).find("operation"),
            std::string::npos);
  const Tensor long_one = input(2, {4099});
  const Tensor long_transform = emit_.fourier(Fourier::kRealForward, long_one, {4099});
  EXPECT_NE(failure({real(long_transform)}).find("4099"), std::string::npos);
}

}  // namespace real_parts_test
}  // namespace graphnet::lowering::ir
