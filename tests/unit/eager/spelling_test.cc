// SPDX-License-Identifier: MIT
// Spellings of one call, and what upstream's tools write besides plain calls.
#include "support/stable_spellings.h"
#include "unit/eager/eager_program.h"

namespace graphnet::eager {
namespace spelling_test {

using base::DType;

const TestArgument kA = {DType::kFloat32,
                         {2, 2, 4},
                         {0.5, -1, 2, 0.25, 1, 0, -0.5, 3, 0.75, 1.5, -2, 0.125, 4, -3, 0.1, 0.9}};
const TestArgument kB = {DType::kInt64, {3}, {2, 0, 1}};
const TestArgument kC = {DType::kFloat32, {3, 4}, {1, 0, -1, 2, 3, 1, 0, 0, -2, 1, 1, 0.5}};

TEST(Spelling, StableFormsDoWhatUnstableFormsDo) {
  for (const tests::StableSpelling& spelling : tests::kStableSpellings) {
    const EagerProgram unstable({kA, kB, kC}, tests::body_of(spelling, spelling.unstable));
    const EagerProgram stable({kA, kB, kC}, tests::body_of(spelling, spelling.stable));
    EXPECT_TRUE(unstable.status.is_ok()) << spelling.unstable << unstable.status.to_string();
    EXPECT_TRUE(stable.status.is_ok()) << spelling.stable << stable.status.to_string();
    ASSERT_EQ(stable.outputs.size(), 1U) << spelling.stable;
    EXPECT_FALSE(stable.outputs[0].empty()) << spelling.stable;
    EXPECT_EQ(stable.outputs, unstable.outputs) << spelling.stable;
  }
}

/// Two bodies of one meaning.
struct SameBody {
  const char* written;
  const char* plain;
};

constexpr SameBody kSame[] = {
    {"x = torch.tensor(2, device=a.device) * a; return (x,)", "x = a * 2\nreturn (x,)"},
    {"x = torch.zeros(a.shape, dtype=a.dtype) + 1; return x",
     "x = torch.ones(2, 2, 4)\nreturn (x,)"},
    {"x = a.reshape(a.shape[0] * a.size(1), -(a.ndim - 2)); return [x]",
     "x = a.reshape(4, -1)\nreturn (x,)"},
    {"x = -torch.relu(a + 1).sum(dim=-1)[0]; return (x, None)",
     "s = a + 1\nr = torch.relu(s)\nt = r.sum(dim=-1)\nu = t[0]\nx = -u\nreturn (x,)"},
    {"x = torch.ops.aten.clone.default(a, memory_format = torch.contiguous_format); return x",
     "x = a.clone()\nreturn (x,)"},
    {"x = torch.ops.aten.full.default([2], 1.5, dtype = torch.float32, layout = torch.strided, "
     "device = device(type='cpu'), pin_memory = False); return ((x,), [])",
     "x = torch.full((2,), 1.5)\nreturn (x,)"},
    {"x = a.to('cuda', memory_format=torch.contiguous_format); return (x,)",
     "x = a.to(torch.float32)\nreturn (x,)"},
    {"x = a.mT @ a; return (x,)", "t = a.transpose(-2, -1)\nx = t @ a\nreturn (x,)"},
};

TEST(Spelling, WhatUpstreamsToolsWrite) {
  for (const SameBody& body : kSame) {
    const EagerProgram written({kA}, body.written);
    const EagerProgram plain({kA}, body.plain);
    EXPECT_TRUE(written.status.is_ok()) << body.written << written.status.to_string();
    EXPECT_TRUE(plain.status.is_ok()) << body.plain << plain.status.to_string();
    EXPECT_EQ(written.outputs, plain.outputs) << body.written;
  }
}

TEST(Spelling, AProgramMayReturnNothing) {
  for (const char* body : {"x = a + 1; return ()", "return None", "return"}) {
    EagerProgram program({kA}, body);
    EXPECT_TRUE(program.status.is_ok()) << program.status.to_string();
    EXPECT_TRUE(program.outputs.empty());
    program.run();
    EXPECT_TRUE(program.status.is_ok()) << program.status.to_string();
  }
}

// [L, S] holds for every head, as [heads, L, S] of the same rows does.
TEST(Spelling, AttentionMaskOfTwoDimensions) {
  const TestArgument query = {DType::kFloat32, {2, 1, 4}, {0.5, -1, 2, 0.25, 1, 0, -0.5, 3}};
  const TestArgument mask = {DType::kFloat32, {2, 2}, {0, -2, 1, 0.5}};
  const std::string call =
      "w = torch.ones(12, 4); o = torch.eye(4)\n"
      "y = torch.nn.functional.multi_head_attention_forward(a, a, a, 4, 2, w, None, None, None, "
      "False, 0.0, o, None, training=False, need_weights=";
  for (const char* need_weights : {"True", "False"}) {
    const std::string rest = std::string(need_weights) + ", attn_mask=m); x = y[0]; return (x,)";
    const EagerProgram two({query, mask}, "m = b; " + call + rest);
    const EagerProgram three({query, mask}, "m = torch.stack([b, b]); " + call + rest);
    EXPECT_TRUE(two.status.is_ok()) << two.status.to_string();
    EXPECT_TRUE(three.status.is_ok()) << three.status.to_string();
    ASSERT_EQ(two.outputs.size(), 1U);
    ASSERT_EQ(three.outputs.size(), 1U);
    for (std::size_t i = 0; i < two.outputs[0].size(); ++i) {
      EXPECT_NEAR(two.outputs[0][i], three.outputs[0][i], 1e-6);
    }
  }
}

}  // namespace spelling_test
}  // namespace graphnet::eager
