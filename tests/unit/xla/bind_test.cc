// SPDX-License-Identifier: MIT
#include "unit/xla/pjrt_fixture.h"

namespace graphnet::xla {
namespace bind_test {

class BindTest : public PjrtTest {};
GN_INSTANTIATE_PJRT(BindTest);

/// x W^T + b with W transposed once, in bind; b is used by main itself.
LoweredProgram linear_program() {
  LoweredProgram program = program_of(module_of(
      "(%x: tensor<2x3xf32>, %w: tensor<3x2xf32>, %b: tensor<2xf32>) -> tensor<2x2xf32> {\n"
      "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, "
      "tensor<3x2xf32>) -> tensor<2x2xf32>\n"
      "    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>\n"
      "    %2 = stablehlo.add %0, %1 : tensor<2x2xf32>\n    return %2 : tensor<2x2xf32>\n  }",
      {input(0, f32_type({2, 3})), bound(0, f32_type({3, 2})), weight(1, f32_type({2}))},
      {f32_type({2, 2})}));
  program.bind = module_of(
      "(%w: tensor<2x3xf32>) -> tensor<3x2xf32> {\n"
      "    %0 = stablehlo.transpose %w, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>\n"
      "    return %0 : tensor<3x2xf32>\n  }",
      {weight(0, f32_type({2, 3}))}, {f32_type({3, 2})});
  return program;
}

const std::vector<float> kLinear = {1 + 4 + 9 + 10, 4 + 10 + 18 + 20, 10, 20};

void expect_linear(ProgramExecutable& executable) {
  HostTensor x = f32({2, 3}, {1, 2, 3, 0, 0, 0});
  HostTensor out = f32({2, 2}, std::vector<float>(4));
  run(executable, {&x}, {&out});
  EXPECT_EQ(out.values<float>(), kLinear);
}

TEST_P(BindTest, ComputesOnWeightsOnceAndReadsOthersInPlace) {
  const auto executable = compile(linear_program());
  HostTensor w = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  HostTensor b = f32({2}, {10, 20});
  const gn_bind_args answer = bind(*executable, {&w, &b});
  EXPECT_EQ(answer.copied, 0u);
  EXPECT_EQ(answer.kept_bytes, 6 * sizeof(float));
  w.set(std::vector<float>(6, -1));  // only bind may read it
  expect_linear(*executable);
}

TEST_P(BindTest, BindsAnew) {
  const auto executable = compile(linear_program());
  HostTensor zeros = f32({2, 3}, std::vector<float>(6));
  HostTensor w = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  HostTensor b = f32({2}, {10, 20});
  bind(*executable, {&zeros, &b});
  bind(*executable, {&w, &b});
  expect_linear(*executable);
}

TEST_P(BindTest, RefusesRunAfterAFailedBind) {
  const auto executable = compile(linear_program());
  HostTensor w = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  HostTensor b = f32({2}, {10, 20});
  HostTensor x = f32({2, 3}, std::vector<float>(6));
  HostTensor out = f32({2, 2}, std::vector<float>(4));
  bind(*executable, {&w, &b});
  run(*executable, {&x}, {&out});
  failure_of([&] { bind(*executable, {&w}); });
  const Failure failure = failure_of([&] { run(*executable, {&x}, {&out}, false); });
  EXPECT_TRUE(mentions(failure.what(), {"without", "bind"}));
  bind(*executable, {&w, &b});
  expect_linear(*executable);
}

TEST_P(BindTest, RefusesRunBeforeBind) {
  const auto executable = compile(linear_program());
  HostTensor x = f32({2, 3}, std::vector<float>(6));
  HostTensor out = f32({2, 2}, std::vector<float>(4));
  const Failure failure = failure_of([&] { run(*executable, {&x}, {&out}); });
  EXPECT_EQ(failure.code(), GN_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(mentions(failure.what(), {"without", "bind"}));
}

TEST_P(BindTest, RefusesOtherWeights) {
  const auto executable = compile(linear_program());
  HostTensor w = f32({3, 2}, std::vector<float>(6));
  HostTensor b = f32({2}, {10, 20});
  Failure failure = failure_of([&] { bind(*executable, {&w, &b}); });
  EXPECT_STREQ(failure.what(), "weight 0 is float32[3, 2], compiled was float32[2, 3]");
  failure = failure_of([&] { bind(*executable, {}); });
  EXPECT_STREQ(failure.what(), "weight 0 is missing: there are 0");
  HostTensor x = f32({2, 3}, std::vector<float>(6));
  HostTensor out = f32({2, 2}, std::vector<float>(4));
  failure_of([&] { run(*executable, {&x}, {&out}); });
}

/// Four terabytes: more than any machine that runs this has.
TEST_P(BindTest, OutOfMemoryIsItsOwnCode) {
  const TensorType huge = f32_type({1000, 1000, 1000, 1000});
  LoweredProgram program =
      program_of(module_of("(%h: tensor<1000x1000x1000x1000xf32>) -> tensor<f32> {\n"
                           "    %0 = stablehlo.slice %h [0:1, 0:1, 0:1, 0:1] : "
                           "(tensor<1000x1000x1000x1000xf32>) -> tensor<1x1x1x1xf32>\n"
                           "    %1 = stablehlo.reshape %0 : (tensor<1x1x1x1xf32>) -> tensor<f32>\n"
                           "    return %1 : tensor<f32>\n  }",
                           {bound(0, huge)}, {f32_type({})}));
  program.bind = module_of(
      "(%w: tensor<f32>) -> tensor<1000x1000x1000x1000xf32> {\n"
      "    %0 = stablehlo.broadcast_in_dim %w, dims = [] : (tensor<f32>) -> "
      "tensor<1000x1000x1000x1000xf32>\n"
      "    return %0 : tensor<1000x1000x1000x1000xf32>\n  }",
      {weight(0, f32_type({}))}, {huge});
  const auto executable = compile(std::move(program));
  HostTensor w = f32({}, {1});
  const Failure failure = failure_of([&] { bind(*executable, {&w}); });
  EXPECT_EQ(failure.code(), GN_STATUS_OUT_OF_MEMORY) << failure.what();
  EXPECT_TRUE(contains(failure.what(), "4000000000000")) << failure.what();
  HostTensor out = f32({}, {0});
  failure_of([&] { run(*executable, {}, {&out}); });
}

TEST_P(BindTest, RefusesInconsistentPrograms) {
  const auto expect = [&](LoweredProgram program, const char* message) {
    const Failure failure = failure_of([&] { compile(std::move(program)); });
    EXPECT_EQ(failure.code(), GN_STATUS_INTERNAL);
    EXPECT_TRUE(mentions(failure.what(), {"inconsistent", message}));
  };
  LoweredProgram program = linear_program();
  program.result_outputs = {};
  expect(program, "1 results for 0 outputs");
  program = linear_program();
  program.main.arguments[1].index = 1;
  expect(program, "bound value 1 that does not exist");
  program = linear_program();
  program.main.arguments[1].type = f32_type({2, 3});
  expect(program, "bound value 0 is float32[3, 2], its argument float32[2, 3]");
  program = linear_program();
  program.bind->arguments[0].source = ArgumentSource::kInput;
  expect(program, "bind takes more than weights");
  program = linear_program();
  program.main.arguments.push_back(result_memory(0, f32_type({2, 2})));
  program.main.arguments.push_back(result_memory(0, f32_type({2, 2})));
  expect(program, "memory twice for one result");
}

}  // namespace bind_test
}  // namespace graphnet::xla
