// SPDX-License-Identifier: MIT
#include "xla/program_executable.h"

#include <cmath>
#include <limits>

#include "unit/xla/pjrt_fixture.h"

namespace graphnet::xla {
namespace program_executable_test {

class ProgramExecutableTest : public PjrtTest {};
GN_INSTANTIATE_PJRT(ProgramExecutableTest);

LoweredProgram add_program() {
  return program_of(module_of(
      "(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
      "    %0 = stablehlo.add %a, %b : tensor<2x3xf32>\n    return %0 : tensor<2x3xf32>\n  }",
      {input(0, f32_type({2, 3})), input(1, f32_type({2, 3}))}, {f32_type({2, 3})}));
}

TEST_P(ProgramExecutableTest, Adds) {
  const auto executable = compile(add_program());
  HostTensor a = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  HostTensor b = f32({2, 3}, {10, 20, 30, 40, 50, 60});
  HostTensor out = f32({2, 3}, std::vector<float>(6));
  run(*executable, {&a, &b}, {&out});
  EXPECT_EQ(out.values<float>(), (std::vector<float>{11, 22, 33, 44, 55, 66}));
}

TEST_P(ProgramExecutableTest, ReadsInputsAnewInEveryCall) {
  const auto executable = compile(add_program());
  HostTensor a = f32({2, 3}, std::vector<float>(6, 1));
  HostTensor b = f32({2, 3}, std::vector<float>(6, 2));
  HostTensor out = f32({2, 3}, std::vector<float>(6));
  run(*executable, {&a, &b}, {&out});
  EXPECT_EQ(out.values<float>(), std::vector<float>(6, 3));
  a.set(std::vector<float>(6, 5));
  run(*executable, {&a, &b}, {&out}, false);
  EXPECT_EQ(out.values<float>(), std::vector<float>(6, 7));
}

TEST_P(ProgramExecutableTest, TakesOverNewPointersAtRebindOnly) {
  const auto executable = compile(add_program());
  HostTensor a = f32({2, 3}, std::vector<float>(6, 1));
  HostTensor b = f32({2, 3}, std::vector<float>(6, 2));
  HostTensor other = f32({2, 3}, std::vector<float>(6, 100));
  HostTensor out = f32({2, 3}, std::vector<float>(6));
  HostTensor other_out = f32({2, 3}, std::vector<float>(6));
  run(*executable, {&a, &b}, {&out});
  run(*executable, {&other, &b}, {&other_out}, false);
  EXPECT_EQ(other_out.values<float>(), std::vector<float>(6, 0));
  run(*executable, {&other, &b}, {&other_out});
  EXPECT_EQ(other_out.values<float>(), std::vector<float>(6, 102));
  EXPECT_EQ(out.values<float>(), std::vector<float>(6, 3));
}

TEST_P(ProgramExecutableTest, HonoursByteOffset) {
  const auto executable = compile(add_program());
  HostTensor a = f32({2, 3}, {1, 2, 3, 4, 5, 6}, 64);
  a.tensor().data = a.data() - 64;
  a.tensor().byte_offset = 64;
  HostTensor out = f32({2, 3}, std::vector<float>(6), 128);
  out.tensor().data = out.data() - 128;
  out.tensor().byte_offset = 128;
  run(*executable, {&a, &a}, {&out});
  EXPECT_EQ(out.values<float>(), (std::vector<float>{2, 4, 6, 8, 10, 12}));
}

template <typename T>
struct TypeCase {
  const char* name;
  DLDataType dtype;
  std::vector<T> a, b, sum;
};

/// a + b with element type `mlir`, in shape [3].
LoweredProgram typed_add(const std::string& mlir, DLDataType dtype, const std::string& op = "add") {
  const std::string tensor = "tensor<3x" + mlir + ">";
  const TensorType type = {dtype, {3}};
  return program_of(module_of("(%a: " + tensor + ", %b: " + tensor + ") -> " + tensor +
                                  " {\n    %0 = stablehlo." + op + " %a, %b : " + tensor +
                                  "\n    return %0 : " + tensor + "\n  }",
                              {input(0, type), input(1, type)}, {type}));
}

template <typename T>
void expect_sum(ProgramExecutable& executable, DLDataType dtype, const std::vector<T>& a,
                const std::vector<T>& b, const std::vector<T>& sum) {
  HostTensor x(dtype, {3}, a);
  HostTensor y(dtype, {3}, b);
  HostTensor out(dtype, {3}, std::vector<T>(3));
  run(executable, {&x, &y}, {&out});
  EXPECT_EQ(out.values<T>(), sum);
}

TEST_P(ProgramExecutableTest, EveryElementType) {
  const auto add = [&](const char* mlir, DLDataType dtype, auto a, auto b, auto sum) {
    SCOPED_TRACE(mlir);
    expect_sum(*compile(typed_add(mlir, dtype)), dtype, a, b, sum);
  };
  using I8 = std::vector<std::int8_t>;
  using U8 = std::vector<std::uint8_t>;
  using I16 = std::vector<std::int16_t>;
  using U16 = std::vector<std::uint16_t>;  // the bits of 16-bit floats
  using I32 = std::vector<std::int32_t>;
  using I64 = std::vector<std::int64_t>;
  using F64 = std::vector<double>;
  add("i8", {kDLInt, 8, 1}, I8{1, -2, 127}, I8{1, 1, 1}, I8{2, -1, -128});
  add("ui8", {kDLUInt, 8, 1}, U8{1, 2, 255}, U8{1, 1, 1}, U8{2, 3, 0});
  add("i16", {kDLInt, 16, 1}, I16{1, -2, 300}, I16{1, 1, 1}, I16{2, -1, 301});
  add("i32", {kDLInt, 32, 1}, I32{1, -2, 70000}, I32{1, 1, 1}, I32{2, -1, 70001});
  add("i64", {kDLInt, 64, 1}, I64{1, -2, 1LL << 40}, I64{1, 1, 1}, I64{2, -1, (1LL << 40) + 1});
  add("f64", {kDLFloat, 64, 1}, F64{1, 2, 1e300}, F64{1, 1e-15, 1e300}, F64{2, 2 + 1e-15, 2e300});
  // 1.0, 2.0, -0.5 plus 1.0
  add("f16", {kDLFloat, 16, 1}, U16{0x3C00, 0x4000, 0xB800}, U16{0x3C00, 0x3C00, 0x3C00},
      U16{0x4000, 0x4200, 0x3800});
  add("bf16", {kDLBfloat, 16, 1}, U16{0x3F80, 0x4000, 0xBF00}, U16{0x3F80, 0x3F80, 0x3F80},
      U16{0x4000, 0x4040, 0x3F00});
  SCOPED_TRACE("i1");
  const DLDataType boolean = {kDLBool, 8, 1};
  expect_sum<std::uint8_t>(*compile(typed_add("i1", boolean, "xor")), boolean, {0, 1, 1}, {1, 1, 0},
                           {1, 0, 1});
  SCOPED_TRACE("complex");
  const DLDataType complex = {kDLComplex, 64, 1};
  HostTensor x(complex, {3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  HostTensor out(complex, {3}, std::vector<float>(6));
  run(*compile(typed_add("complex<f32>", complex)), {&x, &x}, {&out});
  EXPECT_EQ(out.values<float>(), (std::vector<float>{2, 4, 6, 8, 10, 12}));
}

/// Scalar in, two results out in another order than the graph's outputs; one is the input itself.
TEST_P(ProgramExecutableTest, RankZeroAndSeveralResults) {
  LoweredProgram program = program_of(
      module_of("(%s: tensor<f32>, %v: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>) {\n"
                "    %0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> "
                "tensor<2xf32>\n"
                "    %1 = stablehlo.multiply %0, %v : tensor<2xf32>\n"
                "    return %1, %s : tensor<2xf32>, tensor<f32>\n  }",
                {input(1, f32_type({})), input(0, f32_type({2}))}, {f32_type({2}), f32_type({})}));
  program.result_outputs = {2, 0};
  const auto executable = compile(std::move(program));
  HostTensor v = f32({2}, {3, 4});
  HostTensor s = f32({}, {10});
  HostTensor first = f32({}, {0});
  HostTensor untouched = f32({1}, {-1});
  HostTensor third = f32({2}, {0, 0});
  run(*executable, {&v, &s}, {&first, &untouched, &third});
  EXPECT_EQ(first.values<float>(), std::vector<float>{10});
  EXPECT_EQ(third.values<float>(), (std::vector<float>{30, 40}));
  EXPECT_EQ(untouched.values<float>(), std::vector<float>{-1});
}

/// Everything that a graph computes may have no elements: then nothing is left.
TEST_P(ProgramExecutableTest, NoResults) {
  const auto executable = compile(program_of(
      module_of("(%a: tensor<2xf32>) {\n    return\n  }", {input(0, f32_type({2}))}, {})));
  HostTensor a = f32({2}, {1, 2});
  run(*executable, {&a}, {});
}

/// exp of the input into memory that the caller lends.
LoweredProgram lent_program(std::int64_t size) {
  const std::string tensor = "tensor<" + std::to_string(size) + "xf32>";
  const TensorType type = f32_type({size});
  return program_of(module_of("(%a: " + tensor + ", %out: " + tensor +
                                  " {tf.aliasing_output = 0 : i32}) -> " + tensor +
                                  " {\n    %0 = stablehlo.exponential %a : " + tensor +
                                  "\n    return %0 : " + tensor + "\n  }",
                              {input(0, type), result_memory(0, type)}, {type}));
}

TEST_P(ProgramExecutableTest, WritesLentMemoryInEveryCall) {
  const auto executable = compile(lent_program(1024));
  HostTensor a = f32({1024}, std::vector<float>(1024, 0));
  HostTensor out = f32({1024}, std::vector<float>(1024, -1));
  run(*executable, {&a}, {&out});
  EXPECT_EQ(out.values<float>(), std::vector<float>(1024, 1));
  for (int i = 0; i < 3; ++i) {
    out.set(std::vector<float>(1024, -1));
    run(*executable, {&a}, {&out}, false);
    EXPECT_EQ(out.values<float>(), std::vector<float>(1024, 1));
  }
  // Memory that XLA cannot write to in place still gets the result.
  HostTensor crooked = f32({1024}, std::vector<float>(1024, -1), 4);
  run(*executable, {&a}, {&crooked});
  EXPECT_EQ(crooked.values<float>(), std::vector<float>(1024, 1));
  HostTensor again = f32({1024}, std::vector<float>(1024, -1));
  run(*executable, {&a}, {&again});
  EXPECT_EQ(again.values<float>(), std::vector<float>(1024, 1));
}

/// The result's buffer is the host's memory: nothing is copied.
TEST_P(ProgramExecutableTest, LentMemoryIsTheResult) {
  LoweredProgram program = lent_program(1024);
  std::vector<CompileOverride> overrides = default_overrides();
  const CompiledModule module = CompiledModule::compile(*client_, program.main, overrides);
  HostTensor a = f32({1024}, std::vector<float>(1024, 0));
  HostTensor out = f32({1024}, std::vector<float>(1024, -1));
  const OwnedBuffer in_buffer =
      client_->make_buffer(a.type(), a.data(), pjrt::HostBufferSemantics::kImmutableZeroCopy);
  const OwnedBuffer out_buffer =
      client_->make_buffer(out.type(), out.data(), pjrt::HostBufferSemantics::kMutableZeroCopy);
  EXPECT_EQ(client_->data(in_buffer.get()), a.data());
  ModuleCall call(*client_, module.executable(), 2, 1);
  call.set_argument(0, in_buffer.get());
  call.set_argument(1, out_buffer.get());
  call.execute();
  EXPECT_EQ(client_->data(call.result(0)), out.data());
  EXPECT_EQ(out.values<float>(), std::vector<float>(1024, 1));
}

TEST_P(ProgramExecutableTest, PropagatesNotANumber) {
  const auto executable = compile(program_of(module_of(
      "(%a: tensor<256x1024xf32>) -> tensor<256xf32> {\n"
      "    %init = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
      "    %0 = \"stablehlo.reduce\"(%a, %init) ({ ^bb0(%p: tensor<f32>, %q: tensor<f32>): %s = "
      "stablehlo.compare GT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1> %t = "
      "stablehlo.compare NE, %p, %p, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1> %u = "
      "stablehlo.or %s, %t : tensor<i1> %v = stablehlo.select %u, %p, %q : tensor<i1>, tensor<f32> "
      "stablehlo.return %v : tensor<f32> }) {dimensions = array<i64: 1>} "
      ": (tensor<256x1024xf32>, tensor<f32>) -> tensor<256xf32>\n"
      "    return %0 : tensor<256xf32>\n  }",
      {input(0, f32_type({256, 1024}))}, {f32_type({256})})));
  std::vector<float> values(256 * 1024, 1);
  for (int row = 0; row < 256; row += 2) {
    values[row * 1024 + (row * 37) % 1024] = std::numeric_limits<float>::quiet_NaN();
  }
  HostTensor a = f32({256, 1024}, values);
  HostTensor out = f32({256}, std::vector<float>(256));
  run(*executable, {&a}, {&out});
  const std::vector<float> maxima = out.values<float>();
  for (int row = 0; row < 256; ++row) EXPECT_EQ(std::isnan(maxima[row]), row % 2 == 0) << row;
}

TEST_P(ProgramExecutableTest, RefusesTensorsOfOtherTypes) {
  const auto executable = compile(add_program());
  HostTensor a = f32({2, 3}, std::vector<float>(6));
  HostTensor out = f32({2, 3}, std::vector<float>(6));
  // All have the size in bytes that XLA would accept.
  HostTensor transposed = f32({3, 2}, std::vector<float>(6));
  HostTensor integers(DLDataType{kDLInt, 32, 1}, {2, 3}, std::vector<std::int32_t>(6));
  Failure failure = failure_of([&] { run(*executable, {&a, &transposed}, {&out}); });
  EXPECT_EQ(failure.code(), GN_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(failure.what(), "input 1 is float32[3, 2], compiled was float32[2, 3]");
  failure = failure_of([&] { run(*executable, {&integers, &a}, {&out}); });
  EXPECT_STREQ(failure.what(), "input 0 is int32[2, 3], compiled was float32[2, 3]");
  failure = failure_of([&] { run(*executable, {&a, &a}, {&transposed}); });
  EXPECT_STREQ(failure.what(), "output 0 is float32[3, 2], compiled was float32[2, 3]");
  failure = failure_of([&] { run(*executable, {&a}, {&out}); });
  EXPECT_STREQ(failure.what(), "input 1 is missing: there are 1");
  std::int64_t strides[] = {1, 2};
  a.tensor().strides = strides;
  failure = failure_of([&] { run(*executable, {&a, &a}, {&out}); });
  EXPECT_STREQ(failure.what(), "input 0 is not dense row-major");
  std::int64_t dense[] = {3, 1};
  a.tensor().strides = dense;
  run(*executable, {&a, &a}, {&out});
}

TEST_P(ProgramExecutableTest, RefusesAProgramThatIsNotWhatItsSignatureSays) {
  LoweredProgram program = add_program();
  program.main.results = {f32_type({3, 2})};
  Failure failure = failure_of([&] { compile(program); });
  EXPECT_EQ(failure.code(), GN_STATUS_INTERNAL);
  EXPECT_TRUE(mentions(failure.what(), {"signature", "result 0", "float32[3, 2]"}));
  program.main.results = {f32_type({2, 3}), f32_type({2, 3})};
  program.result_outputs = {0, 1};
  failure = failure_of([&] { compile(program); });
  EXPECT_TRUE(mentions(failure.what(), {"signature", "1 results", "2"}));
}

TEST_P(ProgramExecutableTest, CompileErrorShowsTheLine) {
  LoweredProgram program = add_program();
  program.main.text.replace(program.main.text.find("stablehlo.add"), 13, "stablehlo.bad");
  const Failure failure = failure_of([&] { compile(program); });
  EXPECT_EQ(failure.code(), GN_STATUS_COMPILE_FAILED);
  const std::string text = failure.what();
  EXPECT_TRUE(mentions(text, {"compile", "line 3:"})) << text;
  EXPECT_TRUE(contains(text, "%0 = stablehlo.bad %a, %b : tensor<2x3xf32>")) << text;
  EXPECT_FALSE(contains(text, "12w old")) << text;
}

TEST_P(ProgramExecutableTest, UnknownNeededOverrideIsRefused) {
  std::vector<CompileOverride> overrides = default_overrides();
  overrides.push_back({"xla_no_such_option", "1", true});
  const Failure failure =
      failure_of([&] { ProgramExecutable::compile(client_, add_program(), overrides); });
  EXPECT_EQ(failure.code(), GN_STATUS_INVALID_ARGUMENT) << failure.what();
  EXPECT_TRUE(contains(failure.what(), "xla_no_such_option")) << failure.what();
}

TEST_P(ProgramExecutableTest, UnknownOverrideOfOursIsDropped) {
  std::vector<CompileOverride> overrides = default_overrides();
  overrides.push_back({"xla_no_such_option", "1", false});
  overrides.push_back({"xla_cpu_prefer_vector_width", "256", true});
  const auto executable = ProgramExecutable::compile(client_, add_program(), overrides);
  std::vector<std::string> names;
  for (const CompileOverride& entry : executable->overrides()) names.push_back(entry.name);
  EXPECT_EQ(std::count(names.begin(), names.end(), "xla_no_such_option"), 0);
  EXPECT_EQ(std::count(names.begin(), names.end(), "xla_cpu_enable_fast_min_max"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "xla_cpu_prefer_vector_width"), 1);
}

}  // namespace program_executable_test
}  // namespace graphnet::xla
