// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "unit/eager/eager_program.h"

namespace graphnet::eager {
namespace pinned_arguments_test {

using base::DType;

const TestArgument kVector = {DType::kFloat32, {4}, {1, 2, 3, 4}};
const TestArgument kInteger = {DType::kInt64, {}, {2}};

std::vector<bool> pinned_by(const TestArgument& second, const std::string& body) {
  const EagerProgram program({kVector, second}, body);
  EXPECT_TRUE(program.status.is_ok()) << program.status.to_string();
  return program.engine->pinned_arguments();
}

const std::vector<bool> kNone = {false, false};
const std::vector<bool> kFirst = {true, false};
const std::vector<bool> kSecond = {false, true};

TEST(PinnedArguments, ItemReadsItsTensor) {
  EXPECT_EQ(pinned_by(kInteger, "i = b.item()\nx = a + i\nreturn (x,)"), kSecond);
  EXPECT_EQ(pinned_by(kInteger, "x = a + b\nreturn (x,)"), kNone);
}

TEST(PinnedArguments, SizesBoundsAndScalarsReadTheirs) {
  EXPECT_EQ(pinned_by(kInteger, "x = a.view(b, 2)\nreturn (x,)"), kSecond);
  EXPECT_EQ(pinned_by(kInteger, "x = a[slice(None, b, None)]\nreturn (x,)"), kSecond);
  EXPECT_EQ(pinned_by(kInteger, "r = torch.arange(b)\nx = a * 2\nreturn (x, r)"), kSecond);
  EXPECT_EQ(pinned_by(kInteger, "n = torch.sym_sum([b, 1])\nr = torch.zeros(n)\nreturn (a, r)"),
            kSecond);
}

TEST(PinnedArguments, WhatTheReadValueFollowsFrom) {
  EXPECT_EQ(pinned_by(kVector, "s = b * 2\nt = s.sum()\ni = t.item()\nx = a + i\nreturn (x,)"),
            kSecond);
  EXPECT_EQ(pinned_by(kVector,
                      "t = torch.zeros(2, 4)\nv = t[0]\nc = v.copy_(b)\ns = t.sum()\n"
                      "i = s.item()\nx = a + i\nreturn (x,)"),
            kSecond);
  EXPECT_EQ(pinned_by(kVector, "n = b.size(0)\nx = a * n\nreturn (x,)"), kNone);
  EXPECT_EQ(pinned_by(kVector, "y = b.to(a)\nx = y.view_as(a)\nreturn (x,)"), kNone);
}

TEST(PinnedArguments, MasksThatDecideHowMany) {
  EXPECT_EQ(pinned_by(kVector, "m = b > 2\nx = a[m]\nreturn (x,)"), kSecond);
  EXPECT_EQ(pinned_by({DType::kInt64, {2}, {0, 3}}, "x = a[b]\nreturn (x,)"), kNone);
}

TEST(PinnedArguments, WrittenOnes) {
  EXPECT_EQ(pinned_by(kVector, "a += b\nx = a * 2\nreturn (x,)"), kFirst);
}

}  // namespace pinned_arguments_test
}  // namespace graphnet::eager
