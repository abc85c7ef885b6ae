// SPDX-License-Identifier: MIT
#include "worker/input_shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace graphnet::worker {
namespace {

sample::Argument argument(const std::vector<float>& values) {
  sample::Argument made;
  made.dtype = base::DType::kFloat32;
  made.shape = {static_cast<std::int64_t>(values.size())};
  made.bytes = base::AlignedBuffer::allocate(values.size() * sizeof(float));
  std::memcpy(made.bytes.data(), values.data(), values.size() * sizeof(float));
  return made;
}

std::vector<float> values_of(const sample::Argument& argument) {
  std::vector<float> values(argument.bytes.num_bytes() / sizeof(float));
  std::memcpy(values.data(), argument.bytes.data(), argument.bytes.num_bytes());
  return values;
}

PlacedArguments on_host(std::vector<sample::Argument>& arguments) {
  return PlacedArguments::create(device::host_place(), arguments).value();
}

std::vector<sample::Argument> two_arguments() {
  std::vector<float> counting(100);
  std::iota(counting.begin(), counting.end(), 0.0F);
  std::vector<sample::Argument> arguments;
  arguments.push_back(argument(counting));
  arguments.push_back(argument({1, 2, 3}));
  return arguments;
}

TEST(InputShuffle, ChangesPlacesAndNothingElse) {
  auto arguments = two_arguments();
  const std::vector<float> before = values_of(arguments[0]);
  const PlacedArguments placed = on_host(arguments);
  InputShuffle shuffle(placed, {0}, 7);
  ASSERT_TRUE(shuffle.has_effect());
  for (int round = 0; round < 20; ++round) {
    const std::vector<float> previous = values_of(arguments[0]);
    shuffle.draw();
    EXPECT_EQ(values_of(arguments[0]), previous);
    ASSERT_TRUE(shuffle.apply().is_ok());
    std::vector<float> shuffled = values_of(arguments[0]);
    EXPECT_NE(shuffled, previous);
    ASSERT_TRUE(shuffle.undo().is_ok());
    EXPECT_EQ(values_of(arguments[0]), previous);
    ASSERT_TRUE(shuffle.apply().is_ok());
    EXPECT_EQ(values_of(arguments[0]), shuffled);
    std::sort(shuffled.begin(), shuffled.end());
    EXPECT_EQ(shuffled, before);
  }
  EXPECT_EQ(values_of(arguments[1]), (std::vector<float>{1, 2, 3}));
  ASSERT_TRUE(shuffle.restore().is_ok());
  EXPECT_EQ(values_of(arguments[0]), before);
}

TEST(InputShuffle, FindsTheOneElementThatDiffers) {
  std::vector<float> values(10'000, 1.0F);
  values.back() = 2.0F;
  std::vector<sample::Argument> arguments;
  arguments.push_back(argument(values));
  const PlacedArguments placed = on_host(arguments);
  InputShuffle shuffle(placed, {0}, 7);
  ASSERT_TRUE(shuffle.has_effect());
  for (int round = 0; round < 20; ++round) {
    const std::vector<float> previous = values_of(arguments[0]);
    shuffle.draw();
    ASSERT_TRUE(shuffle.apply().is_ok());
    EXPECT_NE(values_of(arguments[0]), previous);
  }
}

TEST(InputShuffle, HasNoEffectOnConstantsAndEmptyInputs) {
  std::vector<sample::Argument> arguments;
  arguments.push_back(argument({5, 5, 5}));
  arguments.push_back(argument({}));
  arguments.push_back(argument({1}));
  const PlacedArguments placed = on_host(arguments);
  InputShuffle shuffle(placed, {0, 1, 2}, 7);
  EXPECT_FALSE(shuffle.has_effect());
  shuffle.draw();
  ASSERT_TRUE(shuffle.apply().is_ok());
  EXPECT_EQ(values_of(arguments[0]), (std::vector<float>{5, 5, 5}));
}

}  // namespace
}  // namespace graphnet::worker
