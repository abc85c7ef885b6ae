// SPDX-License-Identifier: MIT
#include "verify/outcome_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "support/mentions.h"
#include "verify/compare.h"

namespace graphnet::verify {
namespace outcome_rule_test {

using base::DType;
using tests::mentions;

constexpr float kMask = std::numeric_limits<float>::lowest();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<float> gaussians(std::size_t size, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(size);
  for (float& value : values) value = normal(random);
  return values;
}

/// float32, float64 as they are; halves rounded.
struct Stored {
  Stored(DType dtype, const std::vector<float>& values) : view{dtype, {}, nullptr} {
    view.shape = {static_cast<std::int64_t>(values.size())};
    for (const float value : values) {
      halves.push_back(dtype == DType::kFloat16 ? base::float_to_half(value)
                                                : base::float_to_bfloat16(value));
      doubles.push_back(value);
      floats.push_back(value);
    }
    view.data = halves.data();
    if (dtype == DType::kFloat32) view.data = floats.data();
    if (dtype == DType::kFloat64) view.data = doubles.data();
  }
  std::vector<std::uint16_t> halves;
  std::vector<float> floats;
  std::vector<double> doubles;
  TensorView view;
};

Comparison compare(DType dtype, const std::vector<float>& eager, const std::vector<float>& plugin,
                   const double* truth = nullptr) {
  const Stored e(dtype, eager);
  const Stored p(dtype, plugin);
  OutputContext context;
  context.float64 = truth;
  return compare_outputs({e.view}, {p.view}, {context});
}

Comparison compare(const std::vector<float>& eager, const std::vector<float>& plugin) {
  return compare(DType::kFloat32, eager, plugin);
}

TEST(Decide, FloatsNeedBothTheirRmsAndTheirElements) {
  OutputFacts facts;
  facts.relative_rms = 0.9e-3;
  facts.element_excess = 0.9;
  EXPECT_EQ(decide(facts), Acceptance::kNearEager);
  facts.element_excess = 1.1;
  EXPECT_EQ(decide(facts), Acceptance::kNone);
  facts.truth = TruthFacts{1e-4, 5, 0.5};
  EXPECT_EQ(decide(facts), Acceptance::kNearFloat64) << "the RMS is near eager";
  facts.relative_rms = 2e-3;
  EXPECT_EQ(decide(facts), Acceptance::kNone) << "5 times eager's error";
  facts.truth = TruthFacts{1e-4, 3, 0.5};
  EXPECT_EQ(decide(facts), Acceptance::kNearFloat64);
  facts.truth = TruthFacts{1e-4, 3, 1.1};
  EXPECT_EQ(decide(facts), Acceptance::kNone);
  facts.masks_equal = false;
  facts.truth = TruthFacts{1e-4, 1, 0};
  EXPECT_EQ(decide(facts), Acceptance::kNone);
}

TEST(Decide, NoNumberIsNotNear) {
  OutputFacts facts;
  facts.relative_rms = kNaN;
  EXPECT_EQ(decide(facts), Acceptance::kNone);
  facts.relative_rms = 0;
  facts.element_excess = kNaN;
  EXPECT_EQ(decide(facts), Acceptance::kNone);
}

TEST(Decide, EagersErrorIsNoMeasureAboveItsLimit) {
  OutputFacts facts;
  facts.relative_rms = 0.2;
  facts.truth = TruthFacts{0.0999, 1, 0};
  EXPECT_EQ(decide(facts), Acceptance::kNearFloat64);
  facts.truth->eager_error = 0.1001;
  EXPECT_EQ(decide(facts), Acceptance::kNone);
  facts.dtype = DType::kBFloat16;  // twice its tolerance is 16 %
  EXPECT_EQ(decide(facts), Acceptance::kNearFloat64);
  facts.truth->eager_error = kNaN;
  EXPECT_EQ(decide(facts), Acceptance::kNone);
  facts.relative_rms = 0.07;
  EXPECT_EQ(decide(facts), Acceptance::kNearEager) << "by eager alone";
}

TEST(Decide, AnAmplifiedErrorIsOneThatEagerHasToo) {
  // MobileViTv2 on second weights: both compilers alike, 5.4e-2 from eager.
  EXPECT_TRUE(is_amplified(DType::kFloat32, 5.4e-2, {1.5e-2, 3.5, 2}));
  EXPECT_FALSE(is_amplified(DType::kFloat32, 5.4e-2, {9e-4, 60, 2})) << "eager is near float64";
  EXPECT_FALSE(is_amplified(DType::kFloat32, 0.11, {1.5e-2, 7, 2})) << "farther than that explains";
  EXPECT_FALSE(is_amplified(DType::kFloat32, kNaN, {1.5e-2, 3.5, 2}));
  EXPECT_FALSE(is_amplified(DType::kFloat32, 5.4e-2, {kNaN, 3.5, 2}));
}

TEST(Decide, RoundingIsWhatMovesEagerToo) {
  // An attention net on second weights: XLA, TVM and Inductor alike are 1.5e-3 off, eager is near
  // float64, and one unit in the last place of what it reads moves it by 7e-4.
  const Movement moved = {{7.3e-4, 2.6e-3}, {}};
  EXPECT_TRUE(is_rounding(DType::kFloat32, {1.5e-3, 5e-3}, moved));
  EXPECT_FALSE(is_rounding(DType::kFloat32, {1.5e-3, 5e-3}, {{6e-8, 2e-7}, {}})) << "eager stays";
  EXPECT_FALSE(is_rounding(DType::kFloat32, {1.5e-3, 0.5}, moved)) << "one element is far off";
  EXPECT_FALSE(is_rounding(DType::kFloat32, {0.11, 0.2}, {{0.5, 0.5}, {0.5, 0.5}}))
      << "farther than eager may be";
  EXPECT_FALSE(is_rounding(DType::kFloat32, {kNaN, 5e-3}, moved));
  EXPECT_FALSE(is_rounding(DType::kFloat32, {1.5e-3, 5e-3}, {{kNaN, kNaN}, {kNaN, kNaN}}));
}

TEST(Decide, RoundingMayTakeAPluginAsFarAsAJumpOrAsErrorsGrow) {
  const Movement jumps = {{6e-8, 2e-7}, {1.2e-3, 1}};
  EXPECT_TRUE(is_rounding(DType::kFloat32, {1.3e-3, 1}, jumps)) << "Mask2Former's masks";
  EXPECT_FALSE(is_rounding(DType::kFloat32, {2.5e-3, 1}, jumps)) << "more than two such jumps";
  EXPECT_FALSE(is_rounding(DType::kFloat32, {1.3e-3, 2.1}, jumps));
  // As 16 units move a smooth program 16 times as far, that is no jump, and twice of it is not let
  // pass.
  const Movement grows = {{1e-4, 1e-3}, {17e-4, 17e-3}};
  EXPECT_TRUE(is_rounding(DType::kFloat32, {1.5e-3, 15e-3}, grows));
  EXPECT_FALSE(is_rounding(DType::kFloat32, {3e-3, 15e-3}, grows));
  EXPECT_FALSE(is_rounding(DType::kFloat32, {1.5e-3, 30e-3}, grows));
}

// One element of many moves the RMS by nothing: 4.7 in 1e6 is 0.5 %, in 1e8 it is nothing.
TEST(ElementGate, OneElementOfManyThatIsOffByALotIsAMismatch) {
  const auto eager = gaussians(8'000'000, 1);
  auto plugin = eager;
  plugin[5'000'000] += 1.0F;
  const auto result = compare(eager, plugin);
  EXPECT_LT(*result.outputs[0].relative_rms, 1e-3);
  EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch);
  EXPECT_EQ(result.outputs[0].first_bad_index, 5'000'000);
  EXPECT_TRUE(mentions(result.message, {"element is off by 3"})) << result.message;
}

TEST(ElementGate, TheLimitOfEachDtypeIsPartOfTheRmsAndOfTheElement) {
  // 100,000 numbers of magnitude 1, among them one 0 and one 100.
  std::vector<float> eager(100'000, 1.0F);
  for (std::size_t i = 0; i < eager.size(); i += 2) eager[i] = -1;
  eager[10] = 0;
  eager[20] = 100;
  const double rms = std::sqrt((99'998 + 1e4) / 1e5);
  const auto is_ok = [&](DType dtype, std::size_t at, double error) {
    auto plugin = eager;
    plugin[at] += static_cast<float>(error);
    return compare(dtype, eager, plugin).outcome == record::Outcome::kOk;
  };
  EXPECT_TRUE(is_ok(DType::kFloat32, 10, 0.029 * rms));
  EXPECT_FALSE(is_ok(DType::kFloat32, 10, 0.031 * rms));
  EXPECT_TRUE(is_ok(DType::kFloat32, 20, 0.029 * rms + 0.1));
  EXPECT_FALSE(is_ok(DType::kFloat32, 20, 0.031 * rms + 0.1));
  EXPECT_TRUE(is_ok(DType::kFloat16, 10, 0.24 * rms));
  EXPECT_FALSE(is_ok(DType::kFloat16, 10, 0.26 * rms));
  EXPECT_TRUE(is_ok(DType::kBFloat16, 10, 0.24 * rms));
  EXPECT_FALSE(is_ok(DType::kBFloat16, 10, 0.26 * rms));
  EXPECT_TRUE(is_ok(DType::kFloat64, 10, 2.9e-5 * rms));
  EXPECT_FALSE(is_ok(DType::kFloat64, 10, 3.1e-5 * rms));
}

TEST(ElementGate, ComplexNumbersAreJudgedByTheirParts) {
  auto eager = gaussians(400'000, 2);
  auto plugin = eager;
  plugin[300'001] += 0.1F;  // an imaginary part
  const auto judge = [&](const std::vector<float>& other) {
    return compare_outputs({{DType::kComplex64, {200'000}, eager.data()}},
                           {{DType::kComplex64, {200'000}, other.data()}});
  };
  EXPECT_EQ(judge(eager).outcome, record::Outcome::kOk);
  const auto result = judge(plugin);
  EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch);
  EXPECT_EQ(result.outputs[0].first_bad_index, 150'000);
}

TEST(ElementGate, AnElementMayBeAsFarFromFloat64AsEagersWorstOnes) {
  auto truth_values = gaussians(50'000, 3);
  const std::vector<double> truth(truth_values.begin(), truth_values.end());
  // Eager is 0.05 off at 20 elements: more than a share of 1e-4, so it is usual.
  auto eager = truth_values;
  for (std::size_t i = 0; i < 20; ++i) eager[i * 1000] += 0.05F;
  auto plugin = eager;
  plugin[777] += 0.14F;
  EXPECT_EQ(compare(eager, plugin).outcome, record::Outcome::kAccuracyMismatch) << "eager alone";
  const auto accepted = compare(DType::kFloat32, eager, plugin, truth.data());
  EXPECT_EQ(accepted.outcome, record::Outcome::kOk) << accepted.message;
  EXPECT_EQ(accepted.outputs[0].acceptance, Acceptance::kNearFloat64);
  EXPECT_NEAR(accepted.outputs[0].float64_errors->usual_error, 0.05, 1e-6);
  plugin[777] += 0.02F;
  EXPECT_EQ(compare(DType::kFloat32, eager, plugin, truth.data()).outcome,
            record::Outcome::kAccuracyMismatch);
  // Eager's own error at that element counts too.
  eager[777] += 0.06F;
  EXPECT_EQ(compare(DType::kFloat32, eager, plugin, truth.data()).outcome, record::Outcome::kOk);
}

TEST(ElementGate, FewWorstElementsOfEagerExcuseNoOthers) {
  auto truth_values = gaussians(50'000, 3);
  const std::vector<double> truth(truth_values.begin(), truth_values.end());
  auto eager = truth_values;
  for (std::size_t i = 0; i < 4; ++i) eager[i * 1000] += 0.05F;  // a share of 0.8e-4
  auto plugin = eager;
  plugin[777] += 0.14F;
  const auto result = compare(DType::kFloat32, eager, plugin, truth.data());
  EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch);
  EXPECT_EQ(result.outputs[0].first_bad_index, 777);
}

// A mask of finfo.min beside numbers of order one: its square is all of the norm.
TEST(Outsize, AMaskHidesNothing) {
  for (const float mask : {kMask, -65504.0F, -1e6F, -10000.0F}) {
    auto eager = gaussians(4096, 4);
    for (const std::size_t num_masks : {1000U, 4000U}) {
      for (std::size_t i = 0; i < num_masks; ++i) eager[i] = mask;
      auto plugin = eager;
      for (std::size_t i = num_masks; i < plugin.size(); ++i) plugin[i] *= 1.01F;
      const auto result = compare(eager, plugin);
      EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch) << mask;
      EXPECT_NEAR(*result.outputs[0].relative_rms, 0.01, 1e-4);
      EXPECT_EQ(result.outputs[0].elements->outsize, num_masks);
      EXPECT_GE(*result.outputs[0].first_bad_index, num_masks);
      EXPECT_EQ(compare(eager, eager).outcome, record::Outcome::kOk);
    }
  }
}

TEST(Outsize, EachIsJudgedRelatively) {
  auto eager = gaussians(4096, 4);
  for (std::size_t i = 0; i < 1000; ++i) eager[i] = kMask;
  const auto outcome = [&](float factor) {
    auto plugin = eager;
    plugin[17] *= factor;
    return compare(eager, plugin).outcome;
  };
  EXPECT_EQ(outcome(0.9991F), record::Outcome::kOk);
  EXPECT_EQ(outcome(0.9989F), record::Outcome::kAccuracyMismatch);
  EXPECT_EQ(outcome(0), record::Outcome::kAccuracyMismatch) << "a mask that the plugin forgot";
  auto more = eager;
  more[2000] = kMask;
  EXPECT_EQ(compare(eager, more).outcome, record::Outcome::kAccuracyMismatch)
      << "one that it added";
}

TEST(Outsize, OnesOwnOfFloat64CountWhereEagerIsSound) {
  auto eager = gaussians(4096, 4);
  eager[5] = 1e6F;
  std::vector<double> truth(eager.begin(), eager.end());
  truth[5] = 1.01e6;
  auto plugin = eager;
  plugin[5] = 1.02e6F;
  EXPECT_EQ(compare(DType::kFloat32, eager, plugin, truth.data()).outcome, record::Outcome::kOk);
  truth[5] = 2e6;  // eager is nonsense there
  EXPECT_EQ(compare(DType::kFloat32, eager, plugin, truth.data()).outcome,
            record::Outcome::kAccuracyMismatch);
}

TEST(Outsize, MasksOfHalvesAndOfFloat64) {
  auto eager = gaussians(4096, 5);
  for (std::size_t i = 0; i < 500; ++i) eager[8 * i] = -65504;
  auto plugin = eager;
  for (float& value : plugin) value *= value > -60000 ? 1.2F : 1;
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    const auto result = compare(dtype, eager, plugin);
    EXPECT_EQ(result.outputs[0].elements->outsize, 500);
    EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch);
  }
  std::vector<double> doubles(eager.begin(), eager.end());
  doubles[0] = std::numeric_limits<double>::lowest();
  auto others = doubles;
  others[1] += 1e-4;
  EXPECT_EQ(compare_outputs({{DType::kFloat64, {4096}, doubles.data()}},
                            {{DType::kFloat64, {4096}, others.data()}})
                .outcome,
            record::Outcome::kAccuracyMismatch);
}

TEST(Outsize, AWideRangeWithoutThemIsLeftAlone) {
  // Magnitudes from 1 to 1e4 evenly on a logarithmic scale: none is above 1e4 times the median.
  std::vector<float> eager;
  for (int i = 0; i < 5000; ++i) eager.push_back(std::pow(10.0F, static_cast<float>(i) / 1250));
  auto plugin = eager;
  for (float& value : plugin) value *= 1 + 1e-5F;
  const auto result = compare(eager, plugin);
  EXPECT_EQ(result.outcome, record::Outcome::kOk);
  EXPECT_EQ(result.outputs[0].elements->outsize, 0);
  EXPECT_NEAR(*result.outputs[0].relative_rms, 1e-5, 1e-6);
}

TEST(MedianMagnitude, OfWhatIsFiniteNotZeroAndBelowTheLargest) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {0, -0.0F, kNaN, inf, -3, 1, -2, 1e-40F, 7};
  EXPECT_EQ(median_magnitude(DType::kFloat32, values.data(), 9), 2) << "of 1e-40, 1, 2, 3";
  EXPECT_EQ(median_magnitude(DType::kFloat32, values.data(), 4), 0);
  EXPECT_EQ(median_magnitude(DType::kFloat32, values.data(), 5), 0);
  EXPECT_EQ(median_magnitude(DType::kFloat32, values.data(), 6), 1);
}

// Distributions of every width, against the definition.
TEST(Outsize, TheScanMissesNone) {
  std::mt19937 random(11);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  int rounds_with_some = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<float> eager(1 + random() % 5000);
    const double width = 60 * uniform();
    const bool has_masks = random() % 2 == 0;
    for (float& value : eager) {
      value = static_cast<float>(std::exp2(width * std::pow(uniform(), 4)));
      if (random() % 4 == 0) value = 0;
      if (has_masks && random() % 3 != 0) value = 70000;
    }
    const auto count = static_cast<std::int64_t>(eager.size());
    const double limit = 1e4 * median_magnitude(DType::kFloat32, eager.data(), count);
    std::int64_t expected = 0;
    for (const float value : eager) expected += limit > 0 && value > limit ? 1 : 0;
    rounds_with_some += expected > 0 ? 1 : 0;
    auto plugin = eager;
    plugin[0] = -eager[0] - 1;
    const auto result = compare(eager, plugin);
    EXPECT_EQ(result.outputs[0].elements->outsize, expected) << round;
  }
  EXPECT_GT(rounds_with_some, 100);
  EXPECT_LT(rounds_with_some, 250);
}

TEST(LargestError, IsRelativeToTheRms) {
  auto eager = gaussians(10'000, 6);
  auto plugin = eager;
  plugin[3] += 0.01F;
  EXPECT_NEAR(compare(eager, plugin).outputs[0].elements->largest, 0.01, 5e-4);
  EXPECT_EQ(compare(eager, eager).outputs[0].elements->largest, 0);
  eager[7] = plugin[7] = kMask;
  EXPECT_NEAR(compare(eager, plugin).outputs[0].elements->largest, 0.01, 5e-4);
  plugin[7] *= 0.9F;
  EXPECT_NEAR(compare(eager, plugin).outputs[0].elements->largest, 0.1, 1e-3);
}

TEST(Evidence, IsJudgedOutputByOutput) {
  const auto evidence = [](const std::vector<float>& values) {
    return std::string(evidence_name(compare(values, values).outputs[0].evidence));
  };
  EXPECT_EQ(evidence({1, 2}), "");
  EXPECT_EQ(evidence({3}), "") << "a single number can be wrong";
  EXPECT_EQ(evidence({}), "empty");
  EXPECT_EQ(evidence({2, 2}), "constant");
  EXPECT_EQ(evidence({1e-40F, 0}), "subnormal");
  EXPECT_EQ(evidence({1, kNaN, 3}), "nan");
  const std::vector<float> good = {1, 2};
  const std::vector<float> bad = {4, 4};
  const std::vector<float> other = {4, 5};
  const auto view = [](const std::vector<float>& values) {
    return TensorView{DType::kFloat32, {2}, values.data()};
  };
  EXPECT_FALSE(compare_outputs({view(good), view(bad)}, {view(good), view(bad)}).degenerate);
  EXPECT_TRUE(compare_outputs({view(bad), view(bad)}, {view(bad), view(bad)}).degenerate);
  EXPECT_EQ(compare_outputs({view(good), view(bad)}, {view(good), view(other)}).outcome,
            record::Outcome::kAccuracyMismatch)
      << "an output without evidence is compared";
}

TEST(Evidence, IllConditionedIsNearEagerOrNotOk) {
  const std::vector<double> truth = {1, -2, 1};
  const std::vector<float> eager = {1.5F, -1, 0.5F};
  const auto near = compare(DType::kFloat32, eager, {1.5F, -1.0001F, 0.5F}, truth.data());
  EXPECT_EQ(near.outcome, record::Outcome::kOk);
  EXPECT_EQ(near.outputs[0].evidence, Evidence::kIllConditioned);
  EXPECT_TRUE(near.degenerate);
  const auto far = compare(DType::kFloat32, eager, {1, -2, 1}, truth.data());
  EXPECT_EQ(far.outcome, record::Outcome::kAccuracyMismatch) << "though it is the truth";
  EXPECT_EQ(far.outputs[0].evidence, Evidence::kIllConditioned);
  EXPECT_TRUE(mentions(far.message, {"ill-conditioned", "float64", "5e-1"})) << far.message;
}

}  // namespace outcome_rule_test
}  // namespace graphnet::verify
