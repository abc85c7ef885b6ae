// SPDX-License-Identifier: MIT
#include "xla/stored_program.h"

#include "unit/xla/pjrt_fixture.h"
#include "xla/program_report.h"

namespace graphnet::xla {
namespace stored_program_test {

class StoredProgramTest : public PjrtTest {
 protected:
  /// w is halved in bind; out = x * w/2 into lent memory, and x + b.
  LoweredProgram program() const {
    LoweredProgram program = program_of(
        module_of("(%x: tensor<4xf32>, %w: tensor<4xf32>, %b: tensor<f32>, %out: tensor<4xf32> "
                  "{tf.aliasing_output = 0 : i32}) -> (tensor<4xf32>, tensor<4xf32>) {\n"
                  "    %0 = stablehlo.multiply %x, %w : tensor<4xf32>\n"
                  "    %1 = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> "
                  "tensor<4xf32>\n"
                  "    %2 = stablehlo.add %x, %1 : tensor<4xf32>\n"
                  "    return %0, %2 : tensor<4xf32>, tensor<4xf32>\n  }",
                  {input(0, f32_type({4})), bound(0, f32_type({4})), weight(1, f32_type({})),
                   result_memory(0, f32_type({4}))},
                  {f32_type({4}), f32_type({4})}));
    program.result_outputs = {1, 0};
    program.bind = module_of(
        "(%w: tensor<4xf32>) -> tensor<4xf32> {\n"
        "    %half = stablehlo.constant dense<0.5> : tensor<4xf32>\n"
        "    %0 = stablehlo.multiply %w, %half : tensor<4xf32>\n    return %0 : tensor<4xf32>\n  }",
        {weight(0, f32_type({4}))}, {f32_type({4})});
    return program;
  }
};
GN_INSTANTIATE_PJRT(StoredProgramTest);

TEST_P(StoredProgramTest, RoundTrip) {
  const auto compiled = compile(program());
  const auto loaded = load_program(client_, store_program(*compiled));
  ASSERT_EQ(loaded->overrides().size(), compiled->overrides().size());
  EXPECT_EQ(loaded->overrides()[0].name, compiled->overrides()[0].name);
  EXPECT_EQ(loaded->overrides()[0].value, compiled->overrides()[0].value);
  HostTensor w = f32({4}, {2, 4, 6, 8});
  HostTensor b = f32({}, {100});
  HostTensor x = f32({4}, {1, 2, 3, 4});
  for (ProgramExecutable* executable : {compiled.get(), loaded.get()}) {
    HostTensor sum = f32({4}, std::vector<float>(4));
    HostTensor product = f32({4}, std::vector<float>(4));
    EXPECT_EQ(bind(*executable, {&w, &b}).kept_bytes, 4 * sizeof(float));
    run(*executable, {&x}, {&sum, &product});
    EXPECT_EQ(product.values<float>(), (std::vector<float>{1, 4, 9, 16}));
    EXPECT_EQ(sum.values<float>(), (std::vector<float>{101, 102, 103, 104}));
  }
}

TEST_P(StoredProgramTest, RefusesWhatIsDamaged) {
  const std::string bytes = store_program(*compile(program()));
  const auto refusal = [&](const std::string& damaged) {
    const Failure failure = failure_of([&] { load_program(client_, damaged); });
    EXPECT_EQ(failure.code(), GN_STATUS_INVALID_ARGUMENT);
    return std::string(failure.what());
  };
  EXPECT_TRUE(mentions(refusal(""), {"version"}));
  EXPECT_TRUE(mentions(refusal("no such thing"), {"version"}));
  for (const std::size_t size : {std::size_t{30}, bytes.size() / 2, bytes.size() - 1}) {
    EXPECT_TRUE(mentions(refusal(bytes.substr(0, size)), {"damaged"}));
  }
  std::string flipped = bytes;
  flipped[bytes.size() / 2] ^= 1;
  EXPECT_TRUE(mentions(refusal(flipped), {"damaged"}));
}

TEST(StoredProgram, RefusesThatOfAnotherPjrtFile) {
  for (const bool is_pinned : {true, false}) {
    if (pjrt_file(is_pinned).empty()) GTEST_SKIP() << why_skipped(is_pinned);
  }
  const TensorType type = f32_type({2});
  Module main =
      module_of("(%a: tensor<2xf32>) -> tensor<2xf32> {\n    return %a : tensor<2xf32>\n  }",
                {input(0, type)}, {type});
  const auto compiled = ProgramExecutable::compile(shared_client(true), program_of(std::move(main)),
                                                   default_overrides());
  const std::string bytes = store_program(*compiled);
  const Failure failure = failure_of([&] { load_program(shared_client(false), bytes); });
  EXPECT_EQ(failure.code(), GN_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(failure.what(), "was made by another PJRT file")) << failure.what();
}

TEST_P(StoredProgramTest, ReportNamesLibraryAndOperations) {
  const auto executable = compile(program());
  const std::string text = report_client(*client_) + report_program(*executable);
  for (const char* key : {"pjrt_file: /", "\npjrt_sha256: ", "\npjrt_api: 0.",
                          "\nxla_version: ", "\nstablehlo: 1.", " (oldest 0.9.0)\n",
                          "\noverrides: xla_cpu_enable_fast_min_max=False", "\nmain_operations: ",
                          "\nmain_instructions: ", "\nmain_fingerprint: ", "\nbind_operations: "}) {
    EXPECT_TRUE(contains("\n" + text, key)) << key << "\n" << text;
  }
  const OptimizedProgram optimized = read_optimized_program(executable->main().optimized_program());
  std::size_t num_operations = 0;
  for (const auto& [operation, count] : optimized.operations) num_operations += count;
  EXPECT_GE(num_operations, 1u) << text;
  EXPECT_GT(optimized.num_instructions, num_operations);
  EXPECT_GE(optimized.num_computations, 2u) << "at least one fusion";
}

}  // namespace stored_program_test
}  // namespace graphnet::xla
