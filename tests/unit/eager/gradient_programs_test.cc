// SPDX-License-Identifier: MIT
#include "eager/gradient_programs.h"

#include <gtest/gtest.h>

#include <limits>

#include "eager/gradient_check.h"
#include "sample/parser.h"

namespace graphnet::eager {
namespace gradient_programs_test {

graph::Program parsed(const std::string& parameters, const std::string& body) {
  auto program = sample::parse_model(
      "import torch\nclass GraphModule(torch.nn.Module):\n    def forward(self" + parameters +
          "):\n" + body,
      "model.py");
  EXPECT_TRUE(program.is_ok()) << program.status().to_string();
  return program.is_ok() ? std::move(*program) : graph::Program();
}

std::vector<std::string> code_of(const graph::Program& program) {
  std::vector<std::string> lines;
  for (const graph::Statement& statement : program.statements) {
    if (statement.kind != graph::StatementKind::kAssign) continue;
    lines.push_back(program.variables[static_cast<std::size_t>(statement.target)] + " = " +
                    graph::format_expression(program, statement.value));
  }
  lines.push_back("return " + graph::format_expression(program, program.returned));
  return lines;
}

/// The largest relative error beside finite differences; infinite where none can be taken.
double error_of(const graph::Program& program, const GradientPrograms& made,
                const std::vector<EngineArgument>& arguments,
                const std::vector<bool>& requires_grad) {
  const auto error =
      check_by_differences({&program, &made.forward, &made.backward, &arguments, requires_grad});
  EXPECT_TRUE(error.is_ok()) << error.status().to_string();
  return error.is_ok() ? *error : std::numeric_limits<double>::infinity();
}

class GradientProgramsTest : public testing::Test {
 protected:
  EngineArgument argument(std::vector<std::int64_t> shape) {
    EngineArgument argument;
    argument.shape = std::move(shape);
    argument.data = numbers_;
    return argument;
  }

  float numbers_[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
};

TEST_F(GradientProgramsTest, AreTheOperatorsBelowAutograd) {
  const graph::Program program = parsed(", x, w",
                                        "        y = torch.nn.functional.linear(x, w)\n"
                                        "        z = torch.sigmoid(y)\n        return (z,)\n");
  const auto made = record_gradients(program, {argument({1, 3}), argument({2, 3})}, {false, true});
  ASSERT_TRUE(made.is_ok()) << made.status().to_string();
  EXPECT_EQ(
      code_of(made->forward),
      (std::vector<std::string>{
          "t = torch.ops.aten.t.default(primals_2)", "mm = torch.ops.aten.mm.default(primals_1, t)",
          "sigmoid = torch.ops.aten.sigmoid.default(mm)", "return [sigmoid, primals_1, sigmoid]"}));
  EXPECT_EQ(code_of(made->backward),
            (std::vector<std::string>{
                "sigmoid_backward = torch.ops.aten.sigmoid_backward.default(tangents_1, sigmoid)",
                "t_1 = torch.ops.aten.t.default(sigmoid_backward)",
                "mm_1 = torch.ops.aten.mm.default(t_1, primals_1)", "return [mm_1]"}));
  EXPECT_EQ(made->gradients, (std::vector<std::size_t>{1}));
  ASSERT_EQ(made->parameters.size(), 3U);
  EXPECT_EQ(made->parameters[0].argument, std::optional<std::size_t>(0));
  EXPECT_EQ(made->parameters[1].record.shape, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(made->parameters[2].record.mean, std::optional<double>(1));
}

TEST_F(GradientProgramsTest, MakeViewsAgain) {
  // The product saves the transposed view, which no row-major parameter is.
  const graph::Program program = parsed(", x, y",
                                        "        e = torch.exp(x)\n        t = e.transpose(0, 1)\n"
                                        "        z = t * y\n        return (z,)\n");
  const auto made = record_gradients(program, {argument({2, 3}), argument({3, 2})}, {false, true});
  ASSERT_TRUE(made.is_ok()) << made.status().to_string();
  EXPECT_EQ(code_of(made->backward),
            (std::vector<std::string>{"transpose = torch.ops.aten.transpose.int(exp, 0, 1)",
                                      "mul_1 = torch.ops.aten.mul.Tensor(tangents_1, transpose)",
                                      "return [mul_1]"}));
}

TEST_F(GradientProgramsTest, PassDenseTensorsInTheirOrder) {
  const graph::Program program =
      parsed(", x, y",
             "        e = torch.exp(x.transpose(0, 1))\n        z = e * y\n"
             "        return (z,)\n");
  const auto made = record_gradients(program, {argument({2, 3}), argument({3, 2})}, {false, true});
  ASSERT_TRUE(made.is_ok()) << made.status().to_string();
  EXPECT_EQ(code_of(made->forward).back(), "return [mul, exp_dense]");
  EXPECT_EQ(made->parameters[0].record.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(code_of(made->backward).front(),
            "exp = torch.ops.aten.permute.default(exp_dense, [1, 0])");
}

TEST_F(GradientProgramsTest, FollowTheProgramsSwitches) {
  const graph::Program program =
      parsed(", x",
             "        off = torch._C._set_grad_enabled(False)\n        y = x * x\n"
             "        on = torch._C._set_grad_enabled(True)\n        z = y * x\n"
             "        return (z,)\n");
  const auto made = record_gradients(program, {argument({6})}, {true});
  ASSERT_TRUE(made.is_ok()) << made.status().to_string();
  EXPECT_EQ(code_of(made->backward),
            (std::vector<std::string>{"mul_2 = torch.ops.aten.mul.Tensor(tangents_1, mul)",
                                      "return [mul_2]"}));
}

TEST_F(GradientProgramsTest, WriteToACopyOfAnArgument) {
  const graph::Program program =
      parsed(", x", "        x *= 2\n        y = torch.exp(x)\n        return (y,)\n");
  const auto made = record_gradients(program, {argument({6})}, {true});
  ASSERT_TRUE(made.is_ok()) << made.status().to_string();
  EXPECT_EQ(code_of(made->forward).front(), "clone = torch.ops.aten.clone.default(primals_1)");
  EXPECT_EQ(numbers_[1], 1);
}

TEST_F(GradientProgramsTest, KeepAResultThatIsWrittenTo) {
  // exp saves what it gives.
  const graph::Program program =
      parsed(", x", "        e = torch.exp(x)\n        y = e.mul_(2)\n        return (y,)\n");
  const auto made = record_gradients(program, {argument({6})}, {true});
  ASSERT_TRUE(made.is_ok()) << made.status().to_string();
  EXPECT_EQ(code_of(made->forward),
            (std::vector<std::string>{"exp = torch.ops.aten.exp.default(primals_1)",
                                      "clone = torch.ops.aten.clone.default(exp)",
                                      "mul_ = torch.ops.aten.mul_.Tensor(clone, 2)",
                                      "return [clone, exp]"}));
  EXPECT_EQ(
      code_of(made->backward),
      (std::vector<std::string>{"mul = torch.ops.aten.mul.Tensor(tangents_1, 2)",
                                "mul_1 = torch.ops.aten.mul.Tensor(mul, exp)", "return [mul_1]"}));
}

TEST_F(GradientProgramsTest, KeepAnOperandThatIsWrittenTo) {
  // The product saves both; the view has the memory that is written to.
  const graph::Program program =
      parsed(", x, w",
             "        y = x + 1\n        v = y.view(6)\n        z = v * w\n        u = y.add_(1)\n"
             "        return (z, v)\n");
  const auto made = record_gradients(program, {argument({2, 3}), argument({6})}, {true, true});
  ASSERT_TRUE(made.is_ok()) << made.status().to_string();
  EXPECT_EQ(made->gradients, (std::vector<std::size_t>{0, 1}));
  const std::vector<EngineArgument> arguments = {argument({2, 3}), argument({6})};
  EXPECT_LT(error_of(program, *made, arguments, {true, true}), 1e-6);
}

TEST_F(GradientProgramsTest, ShowAnInstanceNormHowItsGradientLies) {
  // It is a batch norm of a batch of one.
  const graph::Program program =
      parsed(", x",
             "        y = torch.nn.functional.instance_norm(x)\n        z = y * y\n"
             "        t = z.flatten(2).transpose(1, 2) * torch.arange(3)\n        return (t,)\n");
  const std::vector<EngineArgument> arguments = {argument({1, 3, 2, 2})};
  const auto made = record_gradients(program, arguments, {true});
  ASSERT_TRUE(made.is_ok()) << made.status().to_string();
  EXPECT_LT(error_of(program, *made, arguments, {true}), 1e-6);
}

TEST_F(GradientProgramsTest, ShowABatchNormHowItsGradientLies) {
  // With a batch of one, libtorch's kernel takes the transposed gradient for row-major.
  const graph::Program program =
      parsed(", x, m, v",
             "        y = torch.nn.functional.batch_norm(x, m, v, None, None, False, 0.1, 1e-05)\n"
             "        z = y * 2\n        t = z.flatten(2).transpose(1, 2)\n        return (t,)\n");
  const std::vector<EngineArgument> arguments = {argument({1, 3, 2, 2}), argument({3}),
                                                 argument({3})};
  const std::vector<bool> requires_grad = {true, false, false};
  const auto made = record_gradients(program, arguments, requires_grad);
  ASSERT_TRUE(made.is_ok()) << made.status().to_string();
  EXPECT_LT(error_of(program, *made, arguments, requires_grad), 1e-6);
}

TEST_F(GradientProgramsTest, NeedAGradient) {
  const graph::Program program = parsed(", x", "        y = x.detach()\n        return (y,)\n");
  const auto made = record_gradients(program, {argument({6})}, {true});
  EXPECT_EQ(made.status().code(), base::Code::kUnsupported);
}

}  // namespace gradient_programs_test
}  // namespace graphnet::eager
