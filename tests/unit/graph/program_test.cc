// SPDX-License-Identifier: MIT
#include "graph/program.h"

#include <gtest/gtest.h>

#include <limits>

namespace graphnet::graph {
namespace program_test {

Program program_of_x() {
  Program program;
  program.variables = {"x"};
  return program;
}

Expression variable() {
  Expression expression;
  expression.kind = ExpressionKind::kVariable;
  expression.variable = 0;
  return expression;
}

Expression integer(std::int64_t value) {
  Expression expression;
  expression.kind = ExpressionKind::kInteger;
  expression.integer = value;
  return expression;
}

Expression number(double value) {
  Expression expression;
  expression.kind = ExpressionKind::kFloat;
  expression.number = value;
  return expression;
}

Expression text_of(ExpressionKind kind, const std::string& text,
                   std::vector<Expression> children = {}) {
  Expression expression;
  expression.kind = kind;
  expression.text = text;
  expression.integer = -1;
  expression.children = std::move(children);
  return expression;
}

std::string format(const Expression& expression) {
  return format_expression(program_of_x(), expression);
}

Expression infix(Expression left, const std::string& operation, Expression right) {
  return text_of(ExpressionKind::kBinary, operation, {std::move(left), std::move(right)});
}

TEST(Format, PowerOfASignedValueKeepsItsParentheses) {
  EXPECT_EQ(format(infix(integer(-1), "**", variable())), "(-1) ** x");
  EXPECT_EQ(format(infix(number(-0.5), "**", variable())), "(-0.5) ** x");
  EXPECT_EQ(format(infix(number(-std::numeric_limits<double>::infinity()), "**", variable())),
            "(-inf) ** x");
  const Expression inverted = text_of(ExpressionKind::kUnary, "~", {variable()});
  EXPECT_EQ(format(infix(inverted, "**", variable())), "(~x) ** x");
}

TEST(Format, OtherOperatorsBindLessTightlyThanASign) {
  EXPECT_EQ(format(infix(integer(-1), "*", variable())), "-1 * x");
  EXPECT_EQ(format(infix(variable(), "**", integer(-1))), "x ** -1");
  EXPECT_EQ(format(infix(integer(2), "**", variable())), "2 ** x");
}

TEST(Format, ParenthesesOnlyWhereTheyDecide) {
  const Expression sum = infix(variable(), "+", integer(1));
  EXPECT_EQ(format(infix(sum, "*", sum)), "(x + 1) * (x + 1)");
  EXPECT_EQ(format(infix(sum, "-", sum)), "x + 1 - (x + 1)");
  EXPECT_EQ(format(text_of(ExpressionKind::kUnary, "-", {sum})), "-(x + 1)");
  EXPECT_EQ(format(text_of(ExpressionKind::kAttribute, "T", {sum})), "(x + 1).T");
  EXPECT_EQ(format(text_of(ExpressionKind::kSubscript, "", {sum, sum})), "(x + 1)[x + 1]");
  const Expression less = text_of(ExpressionKind::kCompare, "<", {variable(), sum});
  EXPECT_EQ(format(text_of(ExpressionKind::kCompare, "==", {less, less})),
            "(x < x + 1) == (x < x + 1)");
}

TEST(Format, StringsAreLiterals) {
  EXPECT_EQ(format(text_of(ExpressionKind::kString, "same")), "\"same\"");
  EXPECT_EQ(format(text_of(ExpressionKind::kString, "it's")), "\"it's\"");
  EXPECT_EQ(format(text_of(ExpressionKind::kString, "say \"a\"")), "'say \"a\"'");
  EXPECT_EQ(format(text_of(ExpressionKind::kString, "'\"")), "\"'\\\"\"");
  EXPECT_EQ(format(text_of(ExpressionKind::kString, "a\\")), "\"a\\\\\"");
  EXPECT_EQ(format(text_of(ExpressionKind::kDevice, "c\"")), "device(type='c\"')");
}

TEST(Format, FloatsStayFloats) {
  EXPECT_EQ(format(number(2.0)), "2.0");
  EXPECT_EQ(format(number(-0.0)), "-0.0");
  EXPECT_EQ(format(number(1e300)), "1e+300");
}

}  // namespace program_test
}  // namespace graphnet::graph
