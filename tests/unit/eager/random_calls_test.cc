// SPDX-License-Identifier: MIT
#include "eager/random_calls.h"

#include <gtest/gtest.h>

#include <string>

#include "sample/parser.h"

namespace graphnet::eager {
namespace random_calls_test {

bool draws(const std::string& statement, const std::string& result = "x") {
  const std::string text =
      "import torch\n\n\nclass GraphModule(torch.nn.Module):\n"
      "    def forward(self, a: torch.Tensor):\n        " +
      statement + "\n        return (" + result + ",)\n";
  const auto parsed = sample::parse_model(text, "model.py");
  EXPECT_TRUE(parsed.is_ok()) << parsed.status().to_string();
  return parsed.is_ok() && has_live_random_call(*parsed);
}

constexpr const char* kAttention = "x = torch._C._nn.scaled_dot_product_attention(a, a, a";

TEST(RandomCalls, AttentionDrawsOnlyForItsDropout) {
  EXPECT_FALSE(draws(std::string(kAttention) + ")"));
  EXPECT_FALSE(draws(std::string(kAttention) + ", attn_mask=None, dropout_p=0.0)"));
  EXPECT_FALSE(draws(std::string(kAttention) + ", None, 0)"));
  EXPECT_TRUE(draws(std::string(kAttention) + ", dropout_p=0.1)"));
  EXPECT_TRUE(draws(std::string(kAttention) + ", None, 0.5)"));
  EXPECT_TRUE(draws(std::string(kAttention) + ", dropout_p=a)"));
}

TEST(RandomCalls, OnlyReadResultsCount) {
  EXPECT_TRUE(draws("x = torch.rand([2])"));
  EXPECT_FALSE(draws("x = torch.rand([2])", "a"));
  EXPECT_FALSE(draws("x = torch.nn.functional.dropout(a, 0.1, False, False)"));
}

}  // namespace random_calls_test
}  // namespace graphnet::eager
