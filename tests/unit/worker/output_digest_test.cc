// SPDX-License-Identifier: MIT
#include "worker/output_digest.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace graphnet::worker {
namespace output_digest_test {

TEST(OutputDigest, FirstValuesThatAreNotFiniteAreWords) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float values[] = {std::numeric_limits<float>::quiet_NaN(), -kInfinity, 0.5F, kInfinity, 1};
  auto output = base::allocate_tensor(base::DType::kFloat32, {5});
  ASSERT_TRUE(output.is_ok());
  std::memcpy(output->bytes.data(), values, sizeof(values));
  std::vector<KeptOutput> outputs;
  outputs.push_back(std::move(output).value());
  const base::Json digest = output_digests(outputs).at(0);
  EXPECT_EQ(digest["first4"], base::Json::array({"nan", "-inf", 0.5, "inf"}));
  EXPECT_EQ(digest["nan_count"], 1);
  EXPECT_EQ(digest["inf_count"], 2);
  EXPECT_EQ(digest["mean"], 0.75);
}

TEST(OutputDigest, WithoutFiniteValuesThereIsNoMean) {
  auto output = base::allocate_tensor(base::DType::kFloat32, {0});
  ASSERT_TRUE(output.is_ok());
  std::vector<KeptOutput> outputs;
  outputs.push_back(std::move(output).value());
  const base::Json digest = output_digests(outputs).at(0);
  EXPECT_EQ(digest["first4"], base::Json::array());
  EXPECT_TRUE(digest["mean"].is_null());
}

}  // namespace output_digest_test
}  // namespace graphnet::worker
