// SPDX-License-Identifier: MIT
#include "worker/math_mode.h"

#include <gtest/gtest.h>

#include <thread>

#include "eager/flush_denormals.h"

namespace graphnet::worker {
namespace math_mode_test {

float subnormal_product() {
  volatile float small = 1e-30F;
  volatile float product = small * 1e-10F;
  return product;
}

float subnormal_product_in_a_thread() {
  float product = 1;
  std::thread([&] { product = subnormal_product(); }).join();
  return product;
}

TEST(MathMode, LeavesSubnormalsAloneUnlessTheyAreToBeFlushed) {
  ASSERT_TRUE(enter_math_mode({true, true, false}).is_ok());
  EXPECT_GT(subnormal_product(), 0.0F);
}

// Threads of a plugin start from the one that calls it.
TEST(MathMode, IsInheritedByThreadsThatStartLater) {
  const base::Status entered = enter_math_mode({false, false, true});
  if (!entered.is_ok()) GTEST_SKIP() << entered.message();
  EXPECT_EQ(subnormal_product(), 0.0F);
  EXPECT_EQ(subnormal_product_in_a_thread(), 0.0F);
  eager::set_flush_denormals(false);
  EXPECT_GT(subnormal_product(), 0.0F);
}

}  // namespace math_mode_test
}  // namespace graphnet::worker
