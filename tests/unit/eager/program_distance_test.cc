// SPDX-License-Identifier: MIT
#include "eager/program_distance.h"

#include "unit/eager/eager_program.h"

namespace graphnet::eager {
namespace program_distance_test {

TEST(CompareProgramsTest, BothDrawTheSameRandomValues) {
  const EagerProgram program({{base::DType::kFloat32, {2}, {1, 2}}},
                             "x = torch.randn([8])\ny = x + 1\nreturn (y,)");
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  const RunnableProgram runnable = {&program.program(), &program.arguments()};
  const auto distances = compare_programs(runnable, runnable);
  ASSERT_TRUE(distances.is_ok()) << distances.status().to_string();
  ASSERT_EQ(distances->size(), 1U);
  EXPECT_TRUE(distances->front().is_equal);
  EXPECT_EQ(distances->front().relative_rms, 0);
}

}  // namespace program_distance_test
}  // namespace graphnet::eager
