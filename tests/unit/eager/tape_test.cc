// SPDX-License-Identifier: MIT
// The replay of a tape gives what its first run gave, whichever entry of the dispatcher it uses.
#include "eager_program.h"

namespace graphnet::eager {
namespace tape_test {

const TestArgument kGrid = {base::DType::kFloat32, {2, 3}, {1, -2, 3, -4, 5, -6}};

class Replay : public ::testing::TestWithParam<const char*> {};

TEST_P(Replay, EqualsTheFirstRun) {
  EagerProgram program({kGrid, kGrid}, GetParam());
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  const auto first = program.outputs;
  ASSERT_FALSE(first.empty());
  for (int i = 0; i < 2; ++i) {
    program.run();
    ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
    EXPECT_EQ(program.outputs, first);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Signatures, Replay,
    ::testing::Values("x = torch.relu(a)\nreturn (x,)",                                    //
                      "x = a * b\ny = x + x\nx = None\nreturn (y,)",                       //
                      "x = a + 2\ny = x - 1.5\nreturn (x, y)",                             //
                      "x = a.view(3, 2)\ny = x.expand(3, 2)\nreturn (y,)",                 //
                      "x = a.permute(1, 0)\ny = a.transpose(0, 1)\nreturn (x, y)",         //
                      "x = a[(slice(None, 1, None), slice(1, None, None))]\nreturn (x,)",  //
                      "x = a[0]\ny = x.unsqueeze(0)\nreturn (x, y)",                       //
                      "x = torch.softmax(a, dim=1)\nreturn (x,)",                          //
                      "x = torch._C._nn.linear(a, b, None)\nreturn (x,)",                  //
                      "x = torch.cat((a, b), dim=0)\nreturn (x,)",                         //
                      "x = a.split(1)\ny = x[0]\nz = x[1]\nreturn (y, z)",                 //
                      "x = a.clone()\nx += b\nreturn (x,)",                                //
                      "x = a.contiguous()\ny = x * 2\nreturn (x, y, x)"));

}  // namespace tape_test
}  // namespace graphnet::eager
