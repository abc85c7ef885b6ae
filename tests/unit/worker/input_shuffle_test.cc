// SPDX-License-Identifier: MIT
#include "worker/input_shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace graphnet::worker {
namespace input_shuffle_test {

template <typename Element>
sample::Argument argument(base::DType dtype, const std::vector<Element>& values) {
  sample::Argument made;
  made.dtype = dtype;
  made.shape = {static_cast<std::int64_t>(values.size())};
  made.bytes = base::AlignedBuffer::allocate(values.size() * sizeof(Element));
  if (values.empty()) return made;
  std::memcpy(made.bytes.data(), values.data(), values.size() * sizeof(Element));
  return made;
}

sample::Argument argument(const std::vector<float>& values) {
  return argument(base::DType::kFloat32, values);
}

template <typename Element = float>
std::vector<Element> values_of(const sample::Argument& argument) {
  std::vector<Element> values(argument.bytes.num_bytes() / sizeof(Element));
  std::memcpy(values.data(), argument.bytes.data(), argument.bytes.num_bytes());
  return values;
}

DeviceArguments on_host(std::vector<sample::Argument>& arguments) {
  return DeviceArguments::create(device::host_device(), arguments).value();
}

std::vector<float> counting(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

constexpr std::size_t kLarge = 100'000;  // 400 kB of float32

TEST(InputShuffle, DrawsSmallFloatsAnewWithinTheirRange) {
  std::vector<sample::Argument> arguments;
  arguments.push_back(argument({-3, 1, 2, 8}));
  arguments.push_back(argument({1, 2, 3}));
  const DeviceArguments on_device = on_host(arguments);
  InputShuffle shuffle(on_device, {{0}}, 7);
  ASSERT_TRUE(shuffle.has_effect());
  std::set<std::vector<float>> seen = {values_of(arguments[0])};
  for (int call = 0; call < 5000; ++call) {
    ASSERT_TRUE(shuffle.next().is_ok());
    const std::vector<float> values = values_of(arguments[0]);
    ASSERT_TRUE(seen.insert(values).second) << "call " << call << " has content of another";
    EXPECT_GE(*std::min_element(values.begin(), values.end()), -3);
    EXPECT_LE(*std::max_element(values.begin(), values.end()), 8);
  }
  EXPECT_EQ(values_of(arguments[1]), (std::vector<float>{1, 2, 3}));
  ASSERT_TRUE(shuffle.restore().is_ok());
  EXPECT_EQ(values_of(arguments[0]), (std::vector<float>{-3, 1, 2, 8}));
  EXPECT_GE(shuffle.content_bits(), 40);
}

TEST(InputShuffle, DrawsEachTypeOfFloat) {
  std::vector<std::uint16_t> half;
  std::vector<std::uint16_t> brain;
  for (const float value : counting(50)) {
    half.push_back(base::float_to_half(value));
    brain.push_back(base::float_to_bfloat16(value));
  }
  std::vector<sample::Argument> arguments;
  arguments.push_back(argument(base::DType::kFloat16, half));
  arguments.push_back(argument(base::DType::kBFloat16, brain));
  arguments.push_back(argument(base::DType::kFloat64, std::vector<double>{1e300, 2e300, 4e300}));
  arguments.push_back(argument(base::DType::kComplex64, std::vector<float>{1, 2, 3, 4}));
  const DeviceArguments on_device = on_host(arguments);
  InputShuffle shuffle(on_device, {{0}, {1}, {2}, {3}}, 7);
  for (int call = 0; call < 100; ++call) {
    ASSERT_TRUE(shuffle.next().is_ok());
    for (const std::uint16_t bits : values_of<std::uint16_t>(arguments[0])) {
      EXPECT_TRUE(base::half_to_float(bits) >= 0 && base::half_to_float(bits) <= 49);
    }
    for (const std::uint16_t bits : values_of<std::uint16_t>(arguments[1])) {
      EXPECT_TRUE(base::bfloat16_to_float(bits) >= 0 && base::bfloat16_to_float(bits) <= 49);
    }
    for (const double value : values_of<double>(arguments[2])) {
      EXPECT_TRUE(value >= 1e300 && value <= 4e300) << value;
    }
    EXPECT_NE(values_of(arguments[3]), (std::vector<float>{1, 2, 3, 4}));
  }
}

TEST(InputShuffle, KeepsWhatIsNoNumberAndNoQuantity) {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> mask(100, 0);
  for (std::size_t i = 0; i < 30; ++i) mask[i] = -infinity;
  std::vector<float> mixed = counting(100);
  mixed[0] = infinity;
  std::vector<sample::Argument> arguments;
  arguments.push_back(argument(mask));
  arguments.push_back(argument(mixed));
  const DeviceArguments on_device = on_host(arguments);
  InputShuffle shuffle(on_device, {{0}, {1}}, 7);
  for (int call = 0; call < 100; ++call) {
    ASSERT_TRUE(shuffle.next().is_ok());
    const std::vector<float> values = values_of(arguments[0]);
    EXPECT_EQ(std::count(values.begin(), values.end(), -infinity), 30);
    EXPECT_EQ(std::count(values.begin(), values.end(), 0.0F), 70);
    for (const float value : values_of(arguments[1])) EXPECT_FALSE(std::isnan(value));
  }
}

TEST(InputShuffle, PutsSmallIntegersInAnotherOrder) {
  std::vector<std::int64_t> tokens(20);
  std::iota(tokens.begin(), tokens.end(), 100);
  std::vector<std::uint8_t> flags(40, 0);
  flags[3] = flags[7] = 1;
  std::vector<sample::Argument> arguments;
  arguments.push_back(argument(base::DType::kInt64, tokens));
  arguments.push_back(argument(base::DType::kBool, flags));
  const DeviceArguments on_device = on_host(arguments);
  InputShuffle shuffle(on_device, {{0}, {1}}, 7);
  std::set<std::vector<std::int64_t>> seen;
  for (int call = 0; call < 1000; ++call) {
    ASSERT_TRUE(shuffle.next().is_ok());
    std::vector<std::int64_t> drawn = values_of<std::int64_t>(arguments[0]);
    EXPECT_TRUE(seen.insert(drawn).second);
    std::sort(drawn.begin(), drawn.end());
    EXPECT_EQ(drawn, tokens) << "distinct indices stay distinct";
    const auto bools = values_of<std::uint8_t>(arguments[1]);
    EXPECT_EQ(std::count(bools.begin(), bools.end(), 1), 2);
  }
  // log2(20!) + log2(40 x 39 / 2)
  EXPECT_NEAR(shuffle.content_bits(), 61.08 + 9.61, 0.01);
}

/// Rows of a content that an earlier one had, too; `seen` gets all of them.
template <typename Element>
std::size_t num_known_rows(const std::vector<Element>& values,
                           std::set<std::vector<Element>>& seen) {
  constexpr std::ptrdiff_t kRow = 64;
  std::size_t known = 0;
  for (auto at = values.begin(); values.end() - at >= kRow; at += kRow) {
    known += !seen.emplace(at, at + kRow).second;
  }
  return known;
}

// Results of rows could be remembered.
TEST(InputShuffle, LeavesNoRowOfLargeFloatsAsInAnotherContent) {
  std::vector<float> original = counting(kLarge);
  original[5] = std::numeric_limits<float>::infinity();
  std::vector<std::uint16_t> half;
  std::vector<std::uint16_t> brain;
  std::mt19937 generator(1);
  for (std::size_t i = 0; i < kLarge; ++i) {
    const auto value = static_cast<float>(generator() % 2000);
    half.push_back(base::float_to_half(value));
    brain.push_back(base::float_to_bfloat16(value));
  }
  std::vector<sample::Argument> arguments;
  arguments.push_back(argument(original));
  arguments.push_back(argument(base::DType::kFloat16, half));
  arguments.push_back(argument(base::DType::kBFloat16, brain));
  const DeviceArguments on_device = on_host(arguments);
  InputShuffle shuffle(on_device, {{0}, {1}, {2}}, 7);
  std::set<std::vector<float>> seen;
  std::set<std::vector<std::uint16_t>> seen_half;
  num_known_rows(original, seen);
  num_known_rows(half, seen_half);
  num_known_rows(brain, seen_half);
  for (int call = 0; call < 5; ++call) {
    ASSERT_TRUE(shuffle.next().is_ok());
    const std::vector<float> values = values_of(arguments[0]);
    EXPECT_EQ(num_known_rows(values, seen), 0U);
    EXPECT_EQ(num_known_rows(values_of<std::uint16_t>(arguments[1]), seen_half), 0U);
    EXPECT_EQ(num_known_rows(values_of<std::uint16_t>(arguments[2]), seen_half), 0U);
    for (const float value : values) {
      EXPECT_TRUE(value >= 0 && (value < kLarge || value == original[5])) << value;
    }
  }
  EXPECT_GT(shuffle.content_bits(), 300);
  ASSERT_TRUE(shuffle.restore().is_ok());
  EXPECT_EQ(values_of(arguments[0]), original);
}

TEST(InputShuffle, LeavesNoRowOfLargeIntegersAsInAnotherContent) {
  std::vector<std::int32_t> counting(kLarge);
  std::iota(counting.begin(), counting.end(), 0);
  std::vector<sample::Argument> arguments;
  arguments.push_back(argument(base::DType::kInt32, counting));
  const DeviceArguments on_device = on_host(arguments);
  InputShuffle shuffle(on_device, {{0}}, 7);
  std::set<std::vector<std::int32_t>> seen;
  num_known_rows(counting, seen);
  for (int call = 0; call < 5; ++call) {
    ASSERT_TRUE(shuffle.next().is_ok());
    auto values = values_of<std::int32_t>(arguments[0]);
    EXPECT_LE(num_known_rows(values, seen), 3U) << "by chance";
    std::sort(values.begin(), values.end());
    EXPECT_EQ(values, counting) << "distinct indices stay distinct";
  }
  EXPECT_GT(shuffle.content_bits(), 300);
}

TEST(InputShuffle, GivesAContentAgainByItsNumber) {
  for (const std::size_t count : {std::size_t{100}, kLarge}) {
    std::vector<sample::Argument> arguments;
    arguments.push_back(argument(counting(count)));
    const DeviceArguments on_device = on_host(arguments);
    InputShuffle shuffle(on_device, {{0}}, 7);
    InputShuffle other(on_device, {{0}}, 8);
    const std::uint64_t number = shuffle.reserve(3);
    ASSERT_TRUE(shuffle.apply(number).is_ok());
    const std::vector<float> values = values_of(arguments[0]);
    ASSERT_TRUE(shuffle.apply(number + 2).is_ok());
    EXPECT_NE(values_of(arguments[0]), values);
    EXPECT_EQ(shuffle.reserve(1), number + 3);
    ASSERT_TRUE(shuffle.apply(number).is_ok());
    EXPECT_EQ(values_of(arguments[0]), values);
    ASSERT_TRUE(shuffle.restore().is_ok());
    ASSERT_TRUE(other.apply(other.reserve(1)).is_ok());
    EXPECT_NE(values_of(arguments[0]), values) << "another seed has others";
  }
}

// What the next inputs will be must not follow from anything that is in memory.
TEST(InputShuffle, DrawsTheKeyOfAContentWhenItIsFirstApplied) {
  std::vector<sample::Argument> arguments;
  arguments.push_back(argument(counting(100)));
  const DeviceArguments on_device = on_host(arguments);
  InputShuffle shuffle(on_device, {{0}});
  const std::uint64_t number = shuffle.reserve(2);
  InputShuffle copy = shuffle;
  ASSERT_TRUE(shuffle.apply(number + 1).is_ok());
  const std::vector<float> values = values_of(arguments[0]);
  ASSERT_TRUE(copy.apply(number + 1).is_ok());
  EXPECT_NE(values_of(arguments[0]), values) << "one who knew all of it could not tell";
  ASSERT_TRUE(shuffle.apply(number).is_ok());
  ASSERT_TRUE(shuffle.apply(number + 1).is_ok());
  EXPECT_EQ(values_of(arguments[0]), values) << "eager repeats it";
  shuffle.forget();
  EXPECT_EQ(shuffle.reserve(1), number + 2);
}

// What follows from a token alone could be remembered by token.
TEST(InputShuffle, DrawsIntegersAnewBetweenTheirBounds) {
  const std::vector<std::int64_t> tokens = {7, 7, 9, 9};
  const std::vector<std::int8_t> small = {-3, 3};
  std::vector<sample::Argument> arguments;
  arguments.push_back(argument(base::DType::kInt64, tokens));
  arguments.push_back(argument(base::DType::kInt8, small));
  const DeviceArguments on_device = on_host(arguments);
  InputShuffle shuffle(on_device,
                       {{0, false, std::pair(5, 1'000'000)}, {1, false, std::pair(-3, 3)}}, 7);
  EXPECT_NEAR(shuffle.content_bits(), 4 * std::log2(999'996) + 2 * std::log2(7), 0.01);
  std::set<std::int64_t> seen;
  std::set<int> seen_small;
  for (int call = 0; call < 100; ++call) {
    ASSERT_TRUE(shuffle.next().is_ok());
    for (const std::int64_t token : values_of<std::int64_t>(arguments[0])) {
      EXPECT_TRUE(token >= 5 && token <= 1'000'000) << token;
      seen.insert(token);
    }
    for (const std::int8_t value : values_of<std::int8_t>(arguments[1])) seen_small.insert(value);
  }
  EXPECT_GT(seen.size(), 390U);
  EXPECT_EQ(seen_small, (std::set<int>{-3, -2, -1, 0, 1, 2, 3}));
  ASSERT_TRUE(shuffle.restore().is_ok());
  EXPECT_EQ(values_of<std::int64_t>(arguments[0]), tokens);
}

TEST(InputShuffle, FindsTheOneElementThatDiffers) {
  for (const std::size_t count : {std::size_t{2}, std::size_t{10'000}, kLarge}) {
    std::vector<std::int32_t> values(count, 1);
    values.back() = 2;
    std::vector<sample::Argument> arguments;
    arguments.push_back(argument(base::DType::kInt32, values));
    const DeviceArguments on_device = on_host(arguments);
    InputShuffle shuffle(on_device, {{0}}, 7);
    ASSERT_TRUE(shuffle.has_effect());
    for (int round = 0; round < 20; ++round) {
      ASSERT_TRUE(shuffle.next().is_ok());
      const auto drawn = values_of<std::int32_t>(arguments[0]);
      EXPECT_NE(drawn, values);
      EXPECT_EQ(std::count(drawn.begin(), drawn.end(), 2), 1);
    }
    ASSERT_TRUE(shuffle.restore().is_ok());
    EXPECT_EQ(values_of<std::int32_t>(arguments[0]), values);
  }
}

TEST(InputShuffle, HasNoEffectOnConstantsAndEmptyInputs) {
  std::vector<sample::Argument> arguments;
  arguments.push_back(argument({5, 5, 5}));
  arguments.push_back(argument({}));
  arguments.push_back(argument({1}));
  const DeviceArguments on_device = on_host(arguments);
  InputShuffle shuffle(on_device, {{0}, {1}, {2}}, 7);
  EXPECT_FALSE(shuffle.has_effect());
  EXPECT_EQ(shuffle.content_bits(), 0);
  ASSERT_TRUE(shuffle.next().is_ok());
  EXPECT_EQ(values_of(arguments[0]), (std::vector<float>{5, 5, 5}));
}

}  // namespace input_shuffle_test
}  // namespace graphnet::worker
