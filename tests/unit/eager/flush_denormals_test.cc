// SPDX-License-Identifier: MIT
#include "eager/flush_denormals.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/eager/eager_program.h"

namespace graphnet::eager {
namespace flush_denormals_test {

// Enough elements that every thread of the pool has its share.
constexpr std::int64_t kCount = 1 << 18;

std::ptrdiff_t num_zeros(const EagerProgram& program) {
  return std::count(program.outputs[0].begin(), program.outputs[0].end(), 0.0);
}

TEST(FlushDenormals, HoldsInEveryThread) {
  EagerProgram program(
      {{base::DType::kFloat32, {kCount}, std::vector<double>(std::size_t{kCount}, 1e-30)}},
      "x = a * 1e-10\nreturn (x,)");
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  EXPECT_EQ(num_zeros(program), 0);
  if (!set_flush_denormals(true)) GTEST_SKIP() << "this processor cannot flush subnormals";
  program.run();
  EXPECT_EQ(num_zeros(program), kCount);
  EXPECT_TRUE(set_flush_denormals(false));
  program.run();
  EXPECT_EQ(num_zeros(program), 0);
}

}  // namespace flush_denormals_test
}  // namespace graphnet::eager
