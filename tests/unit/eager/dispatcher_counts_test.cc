// SPDX-License-Identifier: MIT
#include "eager/dispatcher_counts.h"

#include "unit/eager/eager_program.h"

namespace graphnet::eager {
namespace dispatcher_counts_test {

const TestArgument kRow = {base::DType::kFloat32, {3}, {1, -2, 3}};

TEST(DispatcherCounts, AreOfTheCallsMadeWhileTheyCount) {
  EagerProgram program({kRow}, "x = a + 1\ny = x + 2\nz = torch.relu(y)\nreturn (z,)");
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  DispatcherCounts counts;
  ASSERT_TRUE(program.engine->run().is_ok());
  const DispatcherUse use = counts.take();
  ASSERT_TRUE(program.engine->run().is_ok());
  EXPECT_EQ(use.called, (std::map<std::string, std::uint64_t>{{"aten::add", 2}, {"aten::relu", 1}}))
      << "those that an operator calls in turn are not among them";
  EXPECT_GT(use.num_nested, 0U) << "relu calls clamp_min";
  EXPECT_EQ(use.num_threads, 1U);
  EXPECT_TRUE(counts.take().called.empty());
}

TEST(DispatcherUse, CoversAProgramWithAtLeastItsCalls) {
  DispatcherUse program;
  program.called = {{"aten::add", 2}, {"aten::relu", 1}};
  DispatcherUse use = program;
  EXPECT_TRUE(covers(use, program));
  use += program;
  EXPECT_EQ(use.called.at("aten::add"), 4U);
  EXPECT_TRUE(covers(use, program));
  use.called["aten::add"] = 1;
  EXPECT_FALSE(covers(use, program));
  use.called.erase("aten::add");
  EXPECT_FALSE(covers(use, program));
  EXPECT_FALSE(covers(use, DispatcherUse())) << "a program without operators proves nothing";
}

}  // namespace dispatcher_counts_test
}  // namespace graphnet::eager
