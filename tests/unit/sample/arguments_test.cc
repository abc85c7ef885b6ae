// SPDX-License-Identifier: MIT
#include "sample/arguments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/sha256.h"
#include "sample/mt19937.h"
#include "support/mentions.h"

namespace graphnet::sample {
namespace arguments_test {

using base::DType;
using tests::mentions;

TensorMeta meta_of(const std::string& name, DType dtype, std::vector<std::int64_t> shape) {
  TensorMeta meta;
  meta.class_name = "Program_weight_tensor_meta_" + name;
  meta.name = name;
  meta.dtype = dtype;
  meta.shape = std::move(shape);
  return meta;
}

TensorMeta range_of(const std::string& name, std::int64_t low, std::int64_t high,
                    std::vector<std::int64_t> shape) {
  TensorMeta meta = meta_of(name, DType::kInt64, std::move(shape));
  meta.min_val = integer_literal(low);
  meta.max_val = integer_literal(high);
  return meta;
}

std::vector<Argument> run(const std::vector<TensorMeta>& metas,
                          const std::vector<std::string>& names) {
  std::vector<graph::Parameter> parameters;
  for (const std::string& name : names) {
    parameters.push_back({name, graph::ParameterKind::kTensor, {}});
  }
  auto arguments = generate_arguments(metas, parameters, kUpstreamSeed);
  EXPECT_TRUE(arguments.is_ok()) << arguments.status().to_string();
  return arguments.is_ok() ? std::move(arguments).value() : std::vector<Argument>();
}

template <typename T>
std::vector<T> elements_of(const Argument& argument) {
  std::vector<T> elements(argument.bytes.num_bytes() / sizeof(T));
  std::memcpy(elements.data(), argument.bytes.data(), argument.bytes.num_bytes());
  return elements;
}

// Draws of RandomState(123).
constexpr double kGaussian0 = -1.0856306033005612;
constexpr double kGaussian1 = 0.9973454465835858;
constexpr double kGaussian2 = 0.28297849805199204;

TEST(GenerateArguments, VisitsClassesInByteOrderAndAnswersInSignatureOrder) {
  const auto arguments = run({meta_of("b", DType::kFloat64, {}), meta_of("_", DType::kFloat64, {}),
                              meta_of("B", DType::kFloat64, {1})},
                             {"_", "b", "B"});
  ASSERT_EQ(arguments.size(), 3u);
  EXPECT_EQ(arguments[2].draw_rank, 0u);
  EXPECT_EQ(arguments[0].draw_rank, 1u);
  EXPECT_EQ(arguments[1].draw_rank, 2u);
  EXPECT_EQ(elements_of<double>(arguments[2])[0], kGaussian0 * 1.0 * 0.2 + 0.0);
  EXPECT_EQ(elements_of<double>(arguments[0])[0], kGaussian1 * 1.0 * 0.2 + 0.0);
  EXPECT_EQ(elements_of<double>(arguments[1])[0], kGaussian2 * 1.0 * 0.2 + 0.0);
  EXPECT_TRUE(arguments[0].consumes_torch_generator);
}

TEST(GenerateArguments, IntegerRangesAreDrawnBeforeEverythingElse) {
  const auto arguments =
      run({meta_of("a", DType::kFloat64, {}), range_of("b", 0, 168, {2, 5})}, {"a", "b"});
  EXPECT_EQ(elements_of<std::int64_t>(arguments[1]),
            (std::vector<std::int64_t>{109, 126, 66, 98, 17, 83, 106, 123, 57, 96}));
  EXPECT_EQ(elements_of<double>(arguments[0])[0], -1.0774653339567812 * 1.0 * 0.2 + 0.0);
  EXPECT_FALSE(arguments[1].consumes_torch_generator);
}

TEST(GenerateArguments, RangesStartAtTheirLowerBoundAndBeatLiterals) {
  TensorMeta meta = range_of("a", -5, 163, {1});
  meta.data = std::vector<LiteralNumber>{{LiteralNumber::Kind::kInteger, 7, 0}};
  const auto arguments = run({meta, range_of("b", 3, 3, {2})}, {"a", "b"});
  EXPECT_EQ(elements_of<std::int64_t>(arguments[0])[0], 104);
  EXPECT_EQ(elements_of<std::int64_t>(arguments[1]), (std::vector<std::int64_t>{3, 3}));
}

// numpy.random.RandomState(123).randint(low, high + 1, size=[4]), then .randn(); the bounds are no
// doubles.
TEST(GenerateArguments, RangesOfInt64AreExact) {
  constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();
  const auto arguments =
      run({range_of("a", -9223372036854775800, kHigh, {4}), meta_of("b", DType::kFloat64, {})},
          {"a", "b"});
  EXPECT_EQ(elements_of<std::int64_t>(arguments[0]),
            (std::vector<std::int64_t>{3624216819017203061, -3945032883802978998,
                                       -5038701301934992278, 946590342492863513}));
  EXPECT_EQ(elements_of<double>(arguments[1])[0], -0.5786002519685364 * 1.0 * 0.2 + 0.0);
}

TEST(GenerateArguments, ComplexNumbersAreDrawnAsRealOnes) {
  TensorMeta none = meta_of("a", DType::kComplex64, {2});
  none.has_mean = none.has_std = true;
  const auto arguments = run({none, meta_of("b", DType::kComplex128, {})}, {"a", "b"});
  EXPECT_EQ(elements_of<float>(arguments[0]),
            (std::vector<float>{static_cast<float>(kGaussian0 * 0.1 * 0.2), 0.0F,
                                static_cast<float>(kGaussian1 * 0.1 * 0.2), 0.0F}));
  EXPECT_EQ(elements_of<double>(arguments[1]), (std::vector<double>{kGaussian2 * 0.2, 0.0}));
  EXPECT_FALSE(arguments[0].consumes_torch_generator);
}

// Large tensors are filled by two threads. The one-element tensor before leaves a spare Gaussian,
// so that pairs lie at odd offsets; the tail is no whole block.
TEST(GenerateArguments, LargeTensorsHaveTheSameBits) {
  constexpr std::size_t kCount = (1U << 20) + 333;
  const auto arguments =
      run({meta_of("a", DType::kFloat64, {}), meta_of("b", DType::kFloat32, {kCount}),
           meta_of("c", DType::kFloat16, {kCount}), meta_of("d", DType::kFloat64, {})},
          {"a", "b", "c", "d"});
  LegacyGenerator generator(kUpstreamSeed);
  std::vector<double> draws(1 + 2 * kCount + 1);
  // In small steps, which one thread does.
  for (std::size_t i = 0; i < draws.size(); i += 100) {
    generator.gaussians(draws.data() + i, std::min<std::size_t>(100, draws.size() - i));
  }
  EXPECT_EQ(elements_of<double>(arguments[3])[0], draws.back() * 1.0 * 0.2 + 0.0);
  std::vector<float> floats(kCount);
  std::vector<std::uint16_t> halves(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    floats[i] = static_cast<float>(draws[1 + i] * 1.0 * 0.2 + 0.0);
    halves[i] = base::float_to_half(static_cast<float>(draws[1 + kCount + i] * 1.0 * 0.2 + 0.0));
  }
  EXPECT_TRUE(elements_of<float>(arguments[1]) == floats);
  EXPECT_TRUE(elements_of<std::uint16_t>(arguments[2]) == halves);
}

TEST(GenerateArguments, LargeTensorsFindNonFiniteElements) {
  TensorMeta meta = meta_of("a", DType::kFloat16, {1 << 20});
  meta.std = 1e6;
  meta.has_std = true;
  EXPECT_TRUE(run({meta}, {"a"})[0].needs_torch_normals);
  EXPECT_FALSE(run({meta_of("a", DType::kFloat16, {1 << 20})}, {"a"})[0].needs_torch_normals);
}

TEST(GenerateArguments, BoolsAreUniformAndKeepTheSpareGaussian) {
  const auto arguments = run({meta_of("a", DType::kFloat64, {}), meta_of("b", DType::kBool, {1}),
                              meta_of("c", DType::kFloat64, {})},
                             {"a", "b", "c"});
  EXPECT_EQ(elements_of<double>(arguments[0])[0], kGaussian0 * 1.0 * 0.2 + 0.0);
  EXPECT_EQ(elements_of<std::uint8_t>(arguments[1])[0], 0);
  EXPECT_EQ(elements_of<double>(arguments[2])[0], kGaussian1 * 1.0 * 0.2 + 0.0);
}

TEST(GenerateArguments, AbsentAndNoneDeviationsDiffer) {
  TensorMeta none = meta_of("a", DType::kFloat64, {});
  none.has_mean = none.has_std = true;
  const auto arguments = run({none, meta_of("b", DType::kFloat64, {})}, {"a", "b"});
  EXPECT_EQ(elements_of<double>(arguments[0])[0], kGaussian0 * 0.1 * 0.2 + 0.0);
  EXPECT_EQ(elements_of<double>(arguments[1])[0], kGaussian1 * 1.0 * 0.2 + 0.0);
}

TEST(GenerateArguments, ConstantsDrawNothingAndAreClamped) {
  TensorMeta constant = meta_of("a", DType::kFloat32, {3});
  constant.mean = -3.0e38;
  constant.std = 0.0;
  constant.has_mean = constant.has_std = true;
  const auto arguments = run({constant, meta_of("b", DType::kFloat64, {})}, {"a", "b"});
  EXPECT_EQ(elements_of<float>(arguments[0]), (std::vector<float>{-100, -100, -100}));
  EXPECT_FALSE(arguments[0].needs_torch_normals);
  EXPECT_EQ(elements_of<double>(arguments[1])[0], kGaussian0 * 1.0 * 0.2 + 0.0);
}

TEST(GenerateArguments, LiteralsAreNeitherClampedNorDrawn) {
  TensorMeta literal = meta_of("a", DType::kFloat32, {2});
  literal.data = std::vector<LiteralNumber>{{LiteralNumber::Kind::kFloat, 0, -3.0e38},
                                            {LiteralNumber::Kind::kInteger, 1000, 0}};
  literal.max_val = float_literal(1.0);
  const auto arguments = run({literal}, {"a"});
  EXPECT_EQ(elements_of<float>(arguments[0]), (std::vector<float>{-3.0e38f, 1000}));
  EXPECT_FALSE(arguments[0].consumes_torch_generator);
}

TEST(GenerateArguments, NanDeviationDrawsAndAsksForTorchNormals) {
  TensorMeta strange = meta_of("a", DType::kFloat32, {1});
  strange.std = std::nan("");
  strange.has_std = true;
  const auto arguments = run({strange, meta_of("b", DType::kFloat64, {})}, {"a", "b"});
  EXPECT_TRUE(arguments[0].needs_torch_normals);
  EXPECT_TRUE(std::isnan(elements_of<float>(arguments[0])[0]));
  EXPECT_EQ(elements_of<double>(arguments[1])[0], kGaussian1 * 1.0 * 0.2 + 0.0);
}

TEST(GenerateArguments, EmptyTensorsDrawNothing) {
  const auto arguments =
      run({meta_of("a", DType::kFloat32, {0, 4}), meta_of("b", DType::kFloat64, {})}, {"a", "b"});
  EXPECT_EQ(arguments[0].bytes.num_bytes(), 0u);
  EXPECT_EQ(elements_of<double>(arguments[1])[0], kGaussian0 * 1.0 * 0.2 + 0.0);
}

TEST(GenerateArguments, DigestIsOverAllBytesInSignatureOrder) {
  const auto arguments = run({range_of("a", 1, 1, {1}), range_of("b", 2, 2, {1})}, {"b", "a"});
  const std::int64_t bytes[] = {2, 1};
  EXPECT_EQ(arguments_digest(arguments), base::sha256_hex(bytes, sizeof bytes));
}

base::Status refusal(const std::vector<TensorMeta>& metas,
                     const std::vector<graph::Parameter>& parameters) {
  auto arguments = generate_arguments(metas, parameters, kUpstreamSeed);
  EXPECT_FALSE(arguments.is_ok());
  return arguments.status();
}

TEST(GenerateArgumentsError, ParametersAndMetadataMustMatch) {
  const graph::Parameter x = {"x", graph::ParameterKind::kTensor, {}};
  base::Status status = refusal({}, {x});
  EXPECT_EQ(status.code(), base::Code::kInput);
  EXPECT_EQ(status.message(), "parameter 'x' of forward() has no tensor metadata");
  TensorMeta meta = meta_of("a", DType::kFloat32, {});
  meta.line = 7;
  status = refusal({meta, meta_of("x", DType::kFloat32, {})}, {x});
  EXPECT_EQ(status.code(), base::Code::kInput);
  EXPECT_TRUE(mentions(status.message(), {"'a'", "line 7", "forward()"}));
}

TEST(GenerateArgumentsError, TooLargeForTheMachine) {
  const graph::Parameter x = {"x", graph::ParameterKind::kTensor, {}};
  const base::Status status = refusal({meta_of("x", DType::kFloat64, {1 << 20, 1 << 20})}, {x});
  EXPECT_EQ(status.code(), base::Code::kEnvironment);
  EXPECT_NE(status.message().find("8796093022208 bytes"), std::string::npos) << status.message();
}

}  // namespace arguments_test
}  // namespace graphnet::sample
