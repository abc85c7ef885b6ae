// SPDX-License-Identifier: MIT
#include "sample/content.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace graphnet::sample {
namespace content_test {

using base::DType;
using graph::ParameterKind;

/// Arguments of a call, all inputs unless named otherwise.
class Inputs {
 public:
  Inputs& add(const std::string& name, DType dtype, std::vector<std::int64_t> shape,
              std::optional<LiteralNumber> low = {}, std::optional<LiteralNumber> high = {}) {
    TensorMeta meta;
    meta.class_name = name;
    meta.name = name;
    meta.dtype = dtype;
    meta.shape = std::move(shape);
    meta.min_val = low;
    meta.max_val = high;
    metas.push_back(meta);
    return *this;
  }

  void generate_all(ParameterKind kind = ParameterKind::kTensor) {
    std::vector<graph::Parameter> parameters;
    for (const TensorMeta& meta : metas) parameters.push_back({meta.name, kind, {}});
    auto generated = generate_arguments(metas, parameters, kUpstreamSeed);
    ASSERT_TRUE(generated.is_ok()) << generated.status().to_string();
    arguments = std::move(generated).value();
    pinned.assign(arguments.size(), false);
  }

  ContentVariants variants() {
    auto made = ContentVariants::create(metas, arguments, pinned);
    EXPECT_TRUE(made.is_ok()) << made.status().to_string();
    return std::move(made).value();
  }

  template <typename T>
  std::vector<T> elements(std::size_t index) const {
    const base::AlignedBuffer& bytes = arguments[index].bytes;
    std::vector<T> read(bytes.num_bytes() / sizeof(T));
    std::memcpy(read.data(), bytes.data(), bytes.num_bytes());
    return read;
  }

  std::vector<TensorMeta> metas;
  std::vector<Argument> arguments;
  std::vector<bool> pinned;
};

template <typename T>
std::vector<T> sorted(std::vector<T> elements) {
  std::sort(elements.begin(), elements.end());
  return elements;
}

bool changes(ContentVariants& variants, Content content, std::uint32_t seed = 1) {
  const auto changed = variants.apply(content, seed);
  EXPECT_TRUE(changed.is_ok()) << changed.status().to_string();
  return *changed;
}

TEST(VariableArguments, AreThoseOfACall) {
  EXPECT_FALSE(is_module_state(ParameterKind::kTensor, "L_x_"));
  EXPECT_FALSE(is_module_state(ParameterKind::kTensor, "L_stack0_feature_maps_1_"));
  EXPECT_FALSE(is_module_state(ParameterKind::kTensor, "L_kwargs_input_ids_"));
  EXPECT_TRUE(is_module_state(ParameterKind::kParameter, "x"));
  EXPECT_TRUE(is_module_state(ParameterKind::kTensor, "L_self_modules_bn1_buffers_running_mean_"));
  EXPECT_TRUE(is_module_state(ParameterKind::kTensor, "L_self_modules_layer_dropout_p"));
  EXPECT_TRUE(is_module_state(ParameterKind::kTensor, "L_instance_modules_pos_enc_buffers_pe_"));
  EXPECT_TRUE(is_module_state(ParameterKind::kTensor, "g_np_pi"));
}

TEST(VariableArguments, LeavesOutWhatIsPinnedOrEmpty) {
  Inputs inputs;
  inputs.add("L_a_", DType::kFloat32, {2}).add("L_b_", DType::kFloat32, {2});
  inputs.add("L_c_", DType::kFloat32, {0, 2}).add("L_d_", DType::kInt64, {2});
  inputs.metas[3].data = std::vector<LiteralNumber>(2);
  inputs.generate_all();
  inputs.pinned[1] = true;
  const auto variable = variable_arguments(inputs.metas, inputs.arguments, inputs.pinned);
  ASSERT_EQ(variable.size(), 2U);
  EXPECT_EQ(variable[0].index, 0U);
  EXPECT_FALSE(variable[0].permute_only);
  EXPECT_EQ(variable[1].index, 3U);
  EXPECT_TRUE(variable[1].permute_only);
  inputs.generate_all(ParameterKind::kSymInt);
  EXPECT_TRUE(variable_arguments(inputs.metas, inputs.arguments, inputs.pinned).empty());
}

TEST(ContentVariants, DistortsFloatsFromTheGeneratedContent) {
  Inputs inputs;
  inputs.add("L_x_", DType::kFloat32, {100});
  inputs.generate_all();
  const auto generated = inputs.elements<float>(0);
  const void* address = inputs.arguments[0].bytes.data();
  ContentVariants variants = inputs.variants();
  EXPECT_TRUE(changes(variants, Content::kZeros));
  EXPECT_EQ(inputs.elements<float>(0), std::vector<float>(100, 0));
  EXPECT_TRUE(changes(variants, Content::kLarge));
  EXPECT_EQ(inputs.elements<float>(0)[7], static_cast<float>(generated[7] * 1e3));
  EXPECT_TRUE(changes(variants, Content::kTiny));
  EXPECT_EQ(inputs.elements<float>(0)[7], static_cast<float>(generated[7] * 1e-3));
  EXPECT_TRUE(changes(variants, Content::kNegated));
  EXPECT_EQ(inputs.elements<float>(0)[7], -generated[7]);
  EXPECT_TRUE(changes(variants, Content::kPermuted));
  EXPECT_NE(inputs.elements<float>(0), generated);
  EXPECT_EQ(sorted(inputs.elements<float>(0)), sorted(generated));
  variants.restore();
  EXPECT_EQ(inputs.elements<float>(0), generated);
  EXPECT_EQ(inputs.arguments[0].bytes.data(), address);
}

TEST(ContentVariants, LargeStaysFinite) {
  Inputs inputs;
  inputs.add("L_x_", DType::kFloat16, {2}, integer_literal(90), integer_literal(100));
  inputs.generate_all();
  ContentVariants variants = inputs.variants();
  EXPECT_TRUE(changes(variants, Content::kLarge));
  for (const std::uint16_t bits : inputs.elements<std::uint16_t>(0)) {
    EXPECT_GT(base::half_to_float(bits), 25000);
    EXPECT_LE(base::half_to_float(bits), 32752);
  }
}

TEST(ContentVariants, IntegersStayInTheirBounds) {
  Inputs inputs;
  inputs.add("L_ids_", DType::kInt64, {1000}, integer_literal(5), integer_literal(9));
  inputs.generate_all();
  const auto generated = inputs.elements<std::int64_t>(0);
  ContentVariants variants = inputs.variants();
  for (const Content content :
       {Content::kZeros, Content::kLarge, Content::kTiny, Content::kNegated, Content::kPermuted}) {
    EXPECT_TRUE(changes(variants, content));
    EXPECT_NE(inputs.elements<std::int64_t>(0), generated);
    EXPECT_EQ(sorted(inputs.elements<std::int64_t>(0)), sorted(generated));
  }
  EXPECT_TRUE(changes(variants, Content::kOtherSeed));
  const auto drawn = sorted(inputs.elements<std::int64_t>(0));
  EXPECT_NE(drawn, sorted(generated));
  EXPECT_EQ(drawn.front(), 5);
  EXPECT_EQ(drawn.back(), 9);
}

TEST(ContentVariants, LiteralsAndBoolsAreOnlyPermuted) {
  Inputs inputs;
  inputs.add("L_table_", DType::kFloat32, {4}).add("L_mask_", DType::kBool, {64});
  inputs.metas[0].data = std::vector<LiteralNumber>(4);
  for (std::size_t i = 0; i < 4; ++i) {
    (*inputs.metas[0].data)[i].integer = static_cast<std::int64_t>(i);
  }
  inputs.generate_all();
  const auto mask = inputs.elements<char>(1);
  ContentVariants variants = inputs.variants();
  EXPECT_TRUE(changes(variants, Content::kLarge));
  EXPECT_EQ(sorted(inputs.elements<float>(0)), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_NE(inputs.elements<char>(1), mask);
  EXPECT_EQ(sorted(inputs.elements<char>(1)), sorted(mask));
  EXPECT_TRUE(changes(variants, Content::kOtherSeed));
  EXPECT_EQ(sorted(inputs.elements<float>(0)), (std::vector<float>{0, 1, 2, 3}));
}

TEST(ContentVariants, AreDeterministic) {
  Inputs inputs;
  inputs.add("L_x_", DType::kFloat32, {100});
  inputs.add("L_ids_", DType::kInt64, {100}, integer_literal(0), integer_literal(1000));
  inputs.generate_all();
  ContentVariants variants = inputs.variants();
  for (const Content content : {Content::kOtherSeed, Content::kPermuted}) {
    changes(variants, content, 7);
    const auto first = inputs.elements<float>(0);
    const auto first_ids = inputs.elements<std::int64_t>(1);
    changes(variants, content, 8);
    EXPECT_NE(inputs.elements<float>(0), first);
    EXPECT_NE(inputs.elements<std::int64_t>(1), first_ids);
    changes(variants, content, 7);
    EXPECT_EQ(inputs.elements<float>(0), first);
    EXPECT_EQ(inputs.elements<std::int64_t>(1), first_ids);
  }
}

TEST(ContentVariants, WeightsStay) {
  Inputs inputs;
  inputs.add("L_x_", DType::kFloat32, {10});
  inputs.add("L_self_parameters_w_", DType::kFloat32, {10});
  inputs.generate_all();
  const auto weights = inputs.elements<float>(1);
  ContentVariants variants = inputs.variants();
  changes(variants, Content::kZeros);
  EXPECT_EQ(inputs.elements<float>(1), weights);
  changes(variants, Content::kOtherSeed);
  EXPECT_EQ(inputs.elements<float>(1), weights);
}

TEST(ContentVariants, SaysWhenNothingCanDiffer) {
  Inputs inputs;
  inputs.add("L_mask_", DType::kInt64, {16}, integer_literal(1), integer_literal(1))
      .add("L_s_", DType::kFloat32, {});
  inputs.metas[1].has_std = true;
  inputs.metas[1].std = 0;
  inputs.metas[1].mean = 0;
  inputs.generate_all();
  ContentVariants variants = inputs.variants();
  EXPECT_FALSE(changes(variants, Content::kPermuted));
  EXPECT_FALSE(changes(variants, Content::kOtherSeed));
  EXPECT_FALSE(changes(variants, Content::kLarge));
}

template <typename Bits>
class FlipBits : public ::testing::Test {
 public:
  static DType dtype() {
    if (sizeof(Bits) == 8) return DType::kFloat64;
    return sizeof(Bits) == 4 ? DType::kFloat32 : DType::kFloat16;
  }
};
using Widths = ::testing::Types<std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(FlipBits, Widths);

TYPED_TEST(FlipBits, MovesHalfOfTheNumbersAndBack) {
  for (const unsigned bit : {0U, 4U}) {
    Inputs inputs;
    inputs.add("x", TestFixture::dtype(), {1000}).generate_all();
    const auto before = inputs.elements<TypeParam>(0);
    flip_bits(inputs.arguments[0], 1, bit);
    const auto moved = inputs.elements<TypeParam>(0);
    int num_moved = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const auto difference = static_cast<TypeParam>(before[i] ^ moved[i]);
      EXPECT_TRUE(difference == 0 || difference == TypeParam{1} << bit) << i;
      num_moved += difference != 0 ? 1 : 0;
    }
    EXPECT_NEAR(num_moved, 500, 60);
    flip_bits(inputs.arguments[0], 2, bit);
    EXPECT_NE(inputs.elements<TypeParam>(0), before) << "another seed moves others";
    flip_bits(inputs.arguments[0], 2, bit);
    flip_bits(inputs.arguments[0], 1, bit);
    EXPECT_EQ(inputs.elements<TypeParam>(0), before);
  }
}

TEST(FlippedBits, AreThoseOfOrdinaryNumbersOnly) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> special = {0.0F, -0.0F, kInfinity, -kInfinity,
                                      std::numeric_limits<float>::quiet_NaN()};
  Inputs inputs;
  inputs.add("x", DType::kFloat32, {500})
      .add("i", DType::kInt64, {100}, integer_literal(0), integer_literal(9))
      .generate_all();
  const auto integers = inputs.elements<std::int64_t>(1);
  std::vector<float> content;
  for (int i = 0; i < 100; ++i) content.insert(content.end(), special.begin(), special.end());
  std::memcpy(inputs.arguments[0].bytes.data(), content.data(), content.size() * sizeof(float));
  for (const unsigned bit : {0U, 4U}) {
    for (Argument& argument : inputs.arguments) flip_bits(argument, 1, bit);
  }
  EXPECT_EQ(
      std::memcmp(inputs.arguments[0].bytes.data(), content.data(), content.size() * sizeof(float)),
      0);
  EXPECT_EQ(inputs.elements<std::int64_t>(1), integers);
}

}  // namespace content_test
}  // namespace graphnet::sample
