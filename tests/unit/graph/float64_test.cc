// SPDX-License-Identifier: MIT
#include "graph/float64.h"

#include <gtest/gtest.h>

#include "sample/parser.h"
#include "support/mentions.h"

namespace graphnet::graph {
namespace float64_test {

using tests::mentions;

Program parse(const std::string& body) {
  auto program = sample::parse_model(
      "import torch\nfrom torch import device\n\n\nclass GraphModule(torch.nn.Module):\n"
      "    def forward(self, a: torch.Tensor):\n" +
          body + "        return (x,)\n",
      "model.py");
  EXPECT_TRUE(program.is_ok()) << program.status().to_string();
  return *program;
}

/// The right sides of all statements.
std::string text_of(const Program& program) {
  std::string text;
  for (const Statement& statement : program.statements) {
    text += format_expression(program, statement.value) + "\n";
  }
  return text;
}

std::string converted(const std::string& body) {
  const auto program = as_float64(parse(body));
  EXPECT_TRUE(program.is_ok()) << program.status().to_string();
  return text_of(*program);
}

TEST(AsFloat64, WidensLiteralsAndMethods) {
  EXPECT_EQ(converted("        x = a.to(torch.float32)\n"), "a.to(torch.float64)\n");
  EXPECT_EQ(converted("        x = a.to(dtype=torch.bfloat16)\n"), "a.to(dtype=torch.float64)\n");
  EXPECT_EQ(converted("        x = torch.zeros((2, 3), dtype=torch.float16)\n"),
            "torch.zeros((2, 3), dtype=torch.float64)\n");
  EXPECT_EQ(converted("        x = a.half()\n        y = x.float()\n        z = y.bfloat16()\n"),
            "a.double()\nx.double()\ny.double()\n");
  EXPECT_EQ(converted("        x = a.type(torch.float32)\n"), "a.type(torch.float64)\n");
}

TEST(AsFloat64, LeavesIntegersBoolsAndNumbers) {
  const std::string body =
      "        x = a.to(torch.int64)\n        y = a.to(torch.bool)\n        z = a.long()\n"
      "        w = a.type_as(x)\n        m = a.masked_fill(y, -3.4028234663852886e+38)\n";
  EXPECT_EQ(converted(body), text_of(parse(body)));
}

TEST(AsFloat64, ChangesWhatNothingNames) {
  EXPECT_EQ(parse("        x = torch.zeros(2)\n").default_dtype, base::DType::kFloat32);
  const auto program = as_float64(parse("        x = torch.zeros(2)\n"));
  ASSERT_TRUE(program.is_ok());
  EXPECT_EQ(program->default_dtype, base::DType::kFloat64);
}

TEST(AsFloat64, DropsAutocastMarkers) {
  EXPECT_EQ(converted("        e = torch.amp.autocast_mode._enter_autocast('cpu', None, False, "
                      "None)\n        x = a + 1\n        f = "
                      "torch.amp.autocast_mode._exit_autocast(e)\n        e = f = None\n"),
            "a + 1\nNone\n");
}

TEST(AsFloat64, RefusesToReadBitsAsAnotherType) {
  const auto program = as_float64(parse("        y = a + 1\n        x = y.view(torch.int32)\n"));
  ASSERT_FALSE(program.is_ok());
  EXPECT_EQ(program.status().code(), base::Code::kUnsupported);
  EXPECT_TRUE(mentions(program.status().message(), {"view", "model.py:8:13"}));
  EXPECT_TRUE(as_float64(parse("        x = a.view(2, 3)\n")).is_ok());
}

TEST(AsFloat64, RefusesQuantisedValues) {
  EXPECT_FALSE(
      as_float64(parse("        x = torch.quantize_per_tensor(a, 0.1, 0, torch.float32)\n"))
          .is_ok());
  EXPECT_FALSE(as_float64(parse("        x = a.dequantize()\n")).is_ok());
}

}  // namespace float64_test
}  // namespace graphnet::graph
