// SPDX-License-Identifier: MIT
#include "tvm_plugin/array_steps.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "graphnet/failure.h"
#include "lowering/builder.h"
#include "lowering/ir/graph_emitter.h"
#include "lowering/ir/interpret.h"

namespace graphnet::tvm {
namespace array_steps_test {

using lowering::Builder;
using lowering::Tensor;
using lowering::Unary;

/// What is made of two weights, [4, 6, 3] and [6].
using Make = std::function<Tensor(Builder& b, const Tensor& x, const Tensor& row)>;

struct Prepared {
  explicit Prepared(const Make& make, Type type = Type::kF32) {
    ir::GraphEmitter emitter(true);
    Builder builder(emitter);
    const Tensor x = emitter.parameter(ir::ParameterSource::kWeight, 0, {type, {4, 6, 3}});
    const Tensor row = emitter.parameter(ir::ParameterSource::kWeight, 1, {type, {6}});
    graph = emitter.finish({make(builder, x, row)});
    plan = plan_kernels(graph);
    for (const Kernel& kernel : plan.bind) kernels.push_back(array_kernel(graph, plan, kernel));
  }

  /// The graph's output, every kernel run by its steps; `buffers` holds the weights.
  std::vector<float> run(std::map<ir::ValueId, std::vector<float>> buffers) const {
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      std::vector<const float*> inputs;
      for (const ir::ValueId id : kernels[i]->inputs) inputs.push_back(buffers.at(id).data());
      const ir::ValueId root = plan.bind[i].root;
      std::vector<float>& made = buffers[root];
      made.assign(static_cast<std::size_t>(lowering::num_elements(graph.type(root).shape)), -1);
      run_array_steps(kernels[i]->steps, inputs, made.data(),
                      static_cast<std::int64_t>(made.size()));
    }
    return buffers.at(graph.outputs[0]);
  }

  ir::Graph graph;
  KernelPlan plan;
  std::vector<std::optional<ArrayKernel>> kernels;
};

std::vector<float> numbers(std::size_t count, float first) {
  std::vector<float> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back(first + 0.25F * static_cast<float>(i));
  return made;
}

void expect_what_the_interpreter_gives(const Make& make) {
  const Prepared prepared(make);
  for (const auto& kernel : prepared.kernels) ASSERT_TRUE(kernel);
  const std::vector<float> weights[] = {numbers(72, 1), numbers(6, 3)};
  std::map<ir::ValueId, std::vector<float>> buffers;
  for (const ir::Node& node : prepared.graph.nodes) {
    const auto* parameter = std::get_if<ir::Parameter>(&node.operation);
    if (parameter != nullptr) buffers[node.results[0]] = weights[parameter->index];
  }
  ir::Arguments arguments;
  arguments.weights = {ir::read_array({Type::kF32, {4, 6, 3}}, weights[0].data()),
                       ir::read_array({Type::kF32, {6}}, weights[1].data())};
  const ir::Array expected = ir::interpret(prepared.graph, arguments)[0];
  std::vector<float> wanted(expected.elements.size());
  ir::write_array(expected, wanted.data());
  const std::vector<float> given = prepared.run(std::move(buffers));
  ASSERT_EQ(given.size(), wanted.size());
  // The plugin's rsqrt is rounded twice, as its kernels' is.
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_FLOAT_EQ(given[i], wanted[i]) << i;
}

TEST(ArraySteps, MovesElements) {
  expect_what_the_interpreter_gives([](Builder& b, const Tensor& x, const Tensor&) {
    return b.emit.transpose(x, {2, 0, 1});
  });
  expect_what_the_interpreter_gives([](Builder& b, const Tensor& x, const Tensor&) {
    return b.emit.transpose(b.reshape(x, {2, 2, 9, 2}), {0, 2, 1, 3});
  });
  expect_what_the_interpreter_gives([](Builder& b, const Tensor& x, const Tensor&) {
    return b.emit.slice(x, {1, 0, 1}, {4, 6, 3}, {2, 3, 1});
  });
  expect_what_the_interpreter_gives([](Builder& b, const Tensor& x, const Tensor&) {
    return b.emit.reverse(x, {0, 2});
  });
}

TEST(ArraySteps, PadsAndJoins) {
  expect_what_the_interpreter_gives([](Builder& b, const Tensor& x, const Tensor&) {
    return b.emit.pad(x, 0.5, {1, 0, 2}, {0, 3, 1}, {0, 0, 0});
  });
  expect_what_the_interpreter_gives([](Builder& b, const Tensor& x, const Tensor& row) {
    return b.emit.concatenate({x, b.expand(b.reshape(row, {6, 1}), {4, 6, 2}), x}, 2);
  });
}

TEST(ArraySteps, ComputesAsTheKernelsDo) {
  expect_what_the_interpreter_gives([](Builder& b, const Tensor& x, const Tensor& row) {
    const Tensor scale = b.unary(Unary::kRsqrt, b.add(row, 1e-3));
    return b.emit.transpose(b.multiply(x, b.reshape(scale, {6, 1})), {1, 2, 0});
  });
  expect_what_the_interpreter_gives([](Builder& b, const Tensor& x, const Tensor& row) {
    const Tensor root = b.unary(Unary::kSqrt, b.reshape(row, {6, 1}));
    return b.divide(b.unary(Unary::kAbs, b.subtract(b.unary(Unary::kNegate, x), root)), root);
  });
}

// exp is TVM's polynomial or the C library's: one of two kernels may not differ from the other.
TEST(ArraySteps, WhatTheyCannotSayStaysAKernel) {
  const auto is_kernel = [](const Make& make, Type type = Type::kF32) {
    return !Prepared(make, type).kernels.at(0);
  };
  EXPECT_TRUE(is_kernel(
      [](Builder& b, const Tensor& x, const Tensor&) { return b.unary(Unary::kExp, x); }));
  EXPECT_TRUE(is_kernel([](Builder& b, const Tensor& x, const Tensor&) {
    return b.reduce(lowering::Reduction::kSum, x, {1}, false);
  }));
  EXPECT_TRUE(is_kernel([](Builder& b, const Tensor& x, const Tensor&) {
    return b.emit.pad(x, 0, {0, 0, 0}, {0, 0, 0}, {0, 1, 0});
  }));
  EXPECT_TRUE(is_kernel([](Builder& b, const Tensor&, const Tensor& row) {
    return b.expand(row, {1 << 19, 6});
  })) << "too large";
  EXPECT_TRUE(is_kernel(
      [](Builder& b, const Tensor& x, const Tensor&) {
        return b.emit.transpose(x, {2, 0, 1});
      },
      Type::kBF16));
}

TEST(ArraySteps, StepsOfNobodyAreRefused) {
  float result[4] = {};
  EXPECT_THROW(run_array_steps({}, {}, result, 4), Failure);
  EXPECT_THROW(run_array_steps({0, 0, 4}, {}, result, 4), Failure) << "an input that is missing";
  EXPECT_THROW(run_array_steps({5, 0, 7}, {}, result, 4), Failure) << "an array that is missing";
  EXPECT_THROW(run_array_steps({1, 0, 3}, {}, result, 4), Failure) << "too few elements";
  EXPECT_THROW(run_array_steps({1, 0}, {}, result, 4), Failure) << "a number that is missing";
  EXPECT_THROW(run_array_steps({99}, {}, result, 4), Failure) << "no such step";
}

}  // namespace array_steps_test
}  // namespace graphnet::tvm
