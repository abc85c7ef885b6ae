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

TEST(HasFiniteOutputsTest, LooksAtAllElementsOfAllOutputs) {
  const auto answer = [](const std::string& body) {
    const EagerProgram program({{base::DType::kFloat32, {2}, {1, 0}}}, body);
    if (!program.status.is_ok()) return program.status.to_string();
    const auto found = has_finite_outputs({&program.program(), &program.arguments()});
    if (!found.is_ok()) return found.status().to_string();
    return std::string(*found ? "finite" : "not finite");
  };
  const std::string start = "y = a + 1\nn = y.to(torch.int64)\nz = 1 / a\n";
  EXPECT_EQ(answer(start + "return (y, n)"), "finite");
  EXPECT_EQ(answer(start + "return (z, y, n)"), "not finite");
  EXPECT_EQ(answer(start + "return (y, n, z)"), "not finite");
}

}  // namespace program_distance_test
}  // namespace graphnet::eager
