// SPDX-License-Identifier: MIT
#include "sample/parser.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model_text.h"

namespace graphnet::sample {
namespace parser_test {

using graph::Expression;
using graph::ExpressionKind;
using graph::ParameterKind;
using graph::Program;
using graph::Statement;
using graph::StatementKind;

Program parse(const std::string& text) {
  base::Result<Program> program = parse_model(text, "model.py");
  EXPECT_TRUE(program.is_ok()) << program.status().to_string();
  return program.is_ok() ? std::move(program).value() : Program();
}

/// The right-hand side of `y = <text>`.
Expression value_of(const std::string& text) {
  Program program = parse(statement_text("y = " + text));
  return program.statements.empty() ? Expression() : std::move(program.statements[0].value);
}

std::string round_trip(const std::string& text) {
  const Program program = parse(statement_text("y = " + text));
  if (program.statements.empty()) return "";
  return graph::format_expression(program, program.statements[0].value);
}

TEST(Parser, SignatureAndResults) {
  const Program program = parse(
      "import torch\n"
      "class GraphModule(torch.nn.Module):\n"
      "  def forward(self, L_x_ : torch.Tensor, w: torch.nn.parameter.Parameter, s0: "
      "torch.SymInt):\n"
      "    return (w, L_x_)\n");
  ASSERT_EQ(program.parameters.size(), 3u);
  EXPECT_EQ(program.parameters[0].name, "L_x_");
  EXPECT_EQ(program.parameters[0].kind, ParameterKind::kTensor);
  EXPECT_EQ(program.parameters[1].kind, ParameterKind::kParameter);
  EXPECT_EQ(program.parameters[2].kind, ParameterKind::kSymInt);
  EXPECT_EQ(program.parameters[2].position.line, 3);
  EXPECT_EQ(program.variables, (std::vector<std::string>{"L_x_", "w", "s0"}));
  EXPECT_EQ(program.results, (std::vector<graph::VariableId>{1, 0}));
  EXPECT_EQ(program.file, "model.py");
}

TEST(Parser, BuffersAreToldByTheirNames) {
  const Program program = parse(
      "import torch\n"
      "class GraphModule(torch.nn.Module):\n"
      "  def forward(self, L_self_modules_bn_buffers_running_mean_ : torch.Tensor, "
      "L_self_modules_bn_eps : torch.Tensor, L_self_buffers_w_ : torch.nn.parameter.Parameter):\n"
      "    return (L_self_modules_bn_eps,)\n");
  ASSERT_EQ(program.parameters.size(), 3u);
  EXPECT_EQ(program.parameters[0].kind, ParameterKind::kBuffer);
  EXPECT_EQ(program.parameters[1].kind, ParameterKind::kTensor);
  EXPECT_EQ(program.parameters[2].kind, ParameterKind::kParameter);
}

TEST(Parser, LayoutIsFree) {
  const Program program = parse(
      "# comment\r\nimport torch  # why\r\n\r\nfrom torch import device, inf\n\n"
      "class M(\n  torch.nn.Module\n):\n"
      "\tdef forward(self, x: torch . Tensor,):\n"
      "\t\t# comment\n"
      "\t\ty = torch.cat(  # inside brackets\n[x,\n\n x], dim\n=\t1)\r\n"
      "\n\t\treturn (\ny\n,)");
  ASSERT_EQ(program.statements.size(), 1u);
  EXPECT_EQ(graph::format_expression(program, program.statements[0].value),
            "torch.cat([x, x], dim=1)");
  EXPECT_EQ(program.results, (std::vector<graph::VariableId>{1}));
}

TEST(Parser, Aliases) {
  const Program program = parse(statement_text("l_x_ = x"));
  EXPECT_EQ(program.statements[0].kind, StatementKind::kAssign);
  EXPECT_EQ(program.statements[0].target, 2);
  EXPECT_EQ(program.statements[0].value.variable, 0);
  EXPECT_EQ(program.statements[0].position.line, 11);
  EXPECT_EQ(program.statements[0].position.column, 9);
  EXPECT_EQ(program.statements[0].value.position.column, 16);
}

TEST(Parser, TargetsInParentheses) {
  const Program program =
      parse(model_text("        (\n            y\n        ) = torch.relu(x)\n        (z) = (y)\n"
                       "        (y) = x = (w) = (None)\n        return (z,)\n"));
  ASSERT_EQ(program.statements.size(), 3u);
  EXPECT_EQ(program.variables, (std::vector<std::string>{"x", "w", "y", "z"}));
  EXPECT_EQ(program.statements[1].value.variable, 2);
  EXPECT_EQ(program.statements[2].kind, StatementKind::kRelease);
  EXPECT_EQ(program.statements[2].released, (std::vector<graph::VariableId>{2, 0, 1}));
}

TEST(Parser, ReleaseOfOneAndOfMany) {
  std::string body;
  std::string chain;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "v" + std::to_string(i);
    body += "        " + name + " = x\n";
    chain += name + " = ";
  }
  const Program program =
      parse(model_text(body + "        " + chain + "None\n        return (x,)\n"));
  ASSERT_EQ(program.statements.size(), 1001u);
  EXPECT_EQ(program.statements[1000].released.size(), 1000u);
}

TEST(Parser, ReassignedNameKeepsItsVariable) {
  const Program program = parse(model_text(
      "        y = x\n        y = None\n        y = w\n        y = x\n        return (y,)\n"));
  EXPECT_EQ(program.variables.size(), 3u);
  EXPECT_EQ(program.statements[0].target, 2);
  EXPECT_EQ(program.statements[3].target, 2);
}

TEST(Parser, AugmentedAssignment) {
  for (const std::string operation : {"+", "-", "*", "/", "//", "%", "**", "@", "&"}) {
    const Program program = parse(statement_text("x " + operation + "= w"));
    ASSERT_EQ(program.statements.size(), 1u);
    EXPECT_EQ(program.statements[0].kind, StatementKind::kAugmented);
    EXPECT_EQ(program.statements[0].text, operation);
    EXPECT_EQ(program.statements[0].target, 0);
    EXPECT_EQ(program.statements[0].value.variable, 1);
  }
  EXPECT_EQ(parse(statement_text("x += -w")).statements[0].value.kind, ExpressionKind::kUnary);
  EXPECT_EQ(parse(statement_text("x *= -0.5")).statements[0].value.number, -0.5);
}

TEST(Parser, ItemAssignment) {
  const Program program = parse(statement_text("x[(slice(None, -1, None), Ellipsis)] = w"));
  const Statement& statement = program.statements[0];
  EXPECT_EQ(statement.kind, StatementKind::kSetItem);
  EXPECT_EQ(statement.target, 0);
  EXPECT_EQ(graph::format_expression(program, statement.index),
            "(slice(None, -1, None), Ellipsis)");
  EXPECT_EQ(statement.value.variable, 1);
  EXPECT_EQ(parse(statement_text("x[w] = -1")).statements[0].value.integer, -1);
}

TEST(Parser, CallsOfTorch) {
  const std::string call =
      "torch._C._nn.scaled_dot_product_attention(x, w, x, attn_mask=None, "
      "dropout_p=0.0, is_causal=False)";
  EXPECT_EQ(round_trip(call), call);
  const Expression expression = value_of(call);
  EXPECT_EQ(expression.kind, ExpressionKind::kCall);
  EXPECT_EQ(expression.text, "torch._C._nn.scaled_dot_product_attention");
  ASSERT_EQ(expression.children.size(), 6u);
  EXPECT_EQ(expression.keywords,
            (std::vector<std::string>{"", "", "", "attn_mask", "dropout_p", "is_causal"}));
  EXPECT_EQ(value_of("torch.rand(\n)").children.size(), 0u);
  EXPECT_EQ(value_of("(torch\n.relu(x,))").text, "torch.relu");
}

TEST(Parser, Methods) {
  const Expression expression = value_of("x.view(1, -1, size=(2, 3))");
  EXPECT_EQ(expression.kind, ExpressionKind::kMethod);
  EXPECT_EQ(expression.text, "view");
  ASSERT_EQ(expression.children.size(), 4u);
  EXPECT_EQ(expression.children[0].variable, 0);
  EXPECT_EQ(expression.keywords, (std::vector<std::string>{"", "", "", "size"}));
  const Program program =
      parse(model_text("        x_1 = x\n        y = x_1.t()\n        return (y,)\n"));
  EXPECT_EQ(program.statements[1].value.text, "t");
}

TEST(Parser, Attributes) {
  for (const std::string name : {"T", "mT", "real", "imag", "device", "dtype", "shape", "ndim"}) {
    const Expression expression = value_of("x." + name);
    EXPECT_EQ(expression.kind, ExpressionKind::kAttribute);
    EXPECT_EQ(expression.text, name);
    EXPECT_EQ(expression.children[0].variable, 0);
  }
}

TEST(Parser, BinaryAndCompareOperators) {
  for (const std::string operation : {"+", "-", "*", "/", "//", "%", "**", "@", "&", "|"}) {
    const Expression expression = value_of("x " + operation + " w");
    EXPECT_EQ(expression.kind, ExpressionKind::kBinary) << operation;
    EXPECT_EQ(expression.text, operation);
    EXPECT_EQ(expression.children[1].variable, 1);
  }
  for (const std::string operation : {">", "<", ">=", "<=", "==", "!="}) {
    EXPECT_EQ(value_of("x" + operation + "0").kind, ExpressionKind::kCompare) << operation;
  }
  EXPECT_EQ(round_trip("1.0 - x"), "1.0 - x");
  EXPECT_EQ(round_trip("-1 * x"), "-1 * x");
  EXPECT_EQ(round_trip("(-1) ** x"), "(-1) ** x");
  EXPECT_EQ(round_trip("[None] * w"), "[None] * w");
  EXPECT_EQ(round_trip("(\n x\n + w)"), "x + w");
}

TEST(Parser, SignsOfIntegersAreOfTheConstant) {
  for (const auto& [text, value] : {std::pair("--0", 0), {"-(5)", -5}, {"- - -7", -7}}) {
    const graph::Expression parsed = value_of(text);
    EXPECT_EQ(parsed.kind, graph::ExpressionKind::kInteger) << text;
    EXPECT_EQ(parsed.integer, value) << text;
  }
  EXPECT_EQ(value_of("--9223372036854775808").kind, graph::ExpressionKind::kUnary)
      << "its opposite does not fit";
}

TEST(Parser, UnaryOperators) {
  EXPECT_EQ(value_of("-x").kind, ExpressionKind::kUnary);
  EXPECT_EQ(value_of("-x").text, "-");
  EXPECT_EQ(value_of("~x").text, "~");
}

TEST(Parser, Subscripts) {
  EXPECT_EQ(value_of("x[-1]").children[1].integer, -1);
  const Expression tuple = value_of("x[(None, slice(1, x, None), [-2], w, Ellipsis, 3)]");
  EXPECT_EQ(tuple.kind, ExpressionKind::kSubscript);
  ASSERT_EQ(tuple.children[1].children.size(), 6u);
  EXPECT_EQ(tuple.children[1].children[1].kind, ExpressionKind::kSlice);
  EXPECT_EQ(tuple.children[1].children[2].kind, ExpressionKind::kList);
  EXPECT_EQ(tuple.children[1].children[4].kind, ExpressionKind::kEllipsis);
  EXPECT_EQ(round_trip("x[0, ...]"), "x[(0, Ellipsis)]");
}

TEST(Parser, SlicesHaveThreeBounds) {
  EXPECT_EQ(round_trip("x[slice(2)]"), "x[slice(None, 2, None)]");
  EXPECT_EQ(round_trip("x[slice(2, 3)]"), "x[slice(2, 3, None)]");
  EXPECT_EQ(round_trip("x[(slice(None, None, 2),)]"), "x[(slice(None, None, 2),)]");
}

TEST(Parser, Numbers) {
  EXPECT_EQ(value_of("9223372036854775807").integer, INT64_MAX);
  EXPECT_EQ(value_of("-9223372036854775808").integer, INT64_MIN);
  EXPECT_EQ(value_of("1e-05").number, 1e-05);
  EXPECT_EQ(value_of("-3.4028234663852886e38").number, -3.4028234663852886e38);
  EXPECT_EQ(value_of("0.1").number, 0.1);
  EXPECT_EQ(value_of("8.").number, 8.0);
  EXPECT_EQ(value_of(".5E+1").number, 5.0);
  EXPECT_EQ(value_of("2.2250738585072011e-308").number, 2.2250738585072011e-308);
  EXPECT_TRUE(std::signbit(value_of("-0.0").number));
  EXPECT_EQ(value_of("0").kind, ExpressionKind::kInteger);
}

TEST(Parser, Infinity) {
  EXPECT_EQ(value_of("torch.f(inf)").children[0].number, INFINITY);
  EXPECT_EQ(value_of("x.masked_fill(w, -inf)").children[2].number, -INFINITY);
}

TEST(Parser, Constants) {
  const Expression call =
      value_of("torch.f(True, False, None, \"a'b\", 'c\"d', (), [], (1,), (x))");
  ASSERT_EQ(call.children.size(), 9u);
  EXPECT_EQ(call.children[0].kind, ExpressionKind::kBool);
  EXPECT_EQ(call.children[0].integer, 1);
  EXPECT_EQ(call.children[1].integer, 0);
  EXPECT_EQ(call.children[2].kind, ExpressionKind::kNone);
  EXPECT_EQ(call.children[3].text, "a'b");
  EXPECT_EQ(call.children[4].text, "c\"d");
  EXPECT_EQ(call.children[5].kind, ExpressionKind::kTuple);
  EXPECT_EQ(call.children[6].kind, ExpressionKind::kList);
  EXPECT_EQ(call.children[7].children.size(), 1u);
  EXPECT_EQ(call.children[8].kind, ExpressionKind::kVariable);
}

TEST(Parser, ListsOfTuples) {
  EXPECT_EQ(round_trip("torch.f([(x, -1), (w, 2.5)], (1, [2]))"),
            "torch.f([(x, -1), (w, 2.5)], (1, [2]))");
}

TEST(Parser, DTypes) {
  const Expression call = value_of(
      "x.to(torch.float32, torch.bool, torch.long, torch.half, "
      "torch.float, torch.double, torch.int, torch.bfloat16)");
  std::vector<std::string> names;
  for (std::size_t i = 1; i < call.children.size(); ++i) {
    EXPECT_EQ(call.children[i].kind, ExpressionKind::kDType);
    names.push_back(call.children[i].text);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"float32", "bool", "int64", "float16", "float32",
                                             "float64", "int32", "bfloat16"}));
  EXPECT_EQ(value_of("torch.float32").kind, ExpressionKind::kDType);
}

TEST(Parser, DeviceCalls) {
  const Expression cpu = value_of("torch.f(device=device(type=\"cpu\"))").children[0];
  EXPECT_EQ(cpu.kind, ExpressionKind::kDevice);
  EXPECT_EQ(cpu.text, "cpu");
  EXPECT_EQ(cpu.integer, -1);
  const Expression cuda = value_of("x.to(device(type='cuda', index=0))").children[1];
  EXPECT_EQ(cuda.text, "cuda");
  EXPECT_EQ(cuda.integer, 0);
  EXPECT_EQ(value_of("x.to(device('cuda', 1))").children[1].integer, 1);
}

TEST(Parser, VariableNamedDeviceShadowsTheImport) {
  const Program program =
      parse(model_text("        device = x.device\n        y = torch.ones((1, 2), device=device)\n"
                       "        return (y,)\n"));
  const Expression& call = program.statements[1].value;
  EXPECT_EQ(call.keywords[1], "device");
  EXPECT_EQ(call.children[1].kind, ExpressionKind::kVariable);
  EXPECT_EQ(call.children[1].variable, 2);
}

TEST(Parser, NestingUpToTheLimit) {
  const std::string open(63, '[');
  const std::string close(63, ']');
  EXPECT_EQ(value_of("torch.f(" + open + "1" + close + ")").kind, ExpressionKind::kCall);
}

TEST(Parser, AttributesInsideArguments) {
  const Expression call = value_of("torch.tensor(1e-08, device=x.device)");
  ASSERT_EQ(call.children.size(), 2u);
  EXPECT_EQ(call.children[1].kind, ExpressionKind::kAttribute);
  EXPECT_EQ(call.children[1].children[0].variable, 0);
}

// Written and read again, each expression stays what it is.
TEST(Parser, ExpressionsNestAsPythonNestsThem) {
  for (const std::string text : {"torch.relu(x + 1, dim=-x)",
                                 "x.view(x.shape[0], -1)",
                                 "x.size(0) + w.size(1) * 2",
                                 "(x + w) * 2",
                                 "x - (w - 1)",
                                 "x ** -w ** 2",
                                 "(x ** w) ** 2",
                                 "-x ** 2",
                                 "(-x) ** 2",
                                 "-1 ** x",
                                 "(x < w) & (w > 0)",
                                 "x | w & x",
                                 "torch.max(x, 1)[0].t()",
                                 "~(x == w)",
                                 "(x + w).sum()",
                                 "(1).bit_length()",
                                 "torch.f([x.T, -x], (w[0] // 2,))",
                                 "x / w / 2",
                                 "x[(x > 0, w[1])]",
                                 "--x",
                                 "(x < w) == w",
                                 "x @ w.mT"}) {
    EXPECT_EQ(round_trip(text), text);
  }
  EXPECT_EQ(round_trip("x - w - 1"), round_trip("((x - w) - 1)"));
  EXPECT_EQ(round_trip("2 ** x ** w"), round_trip("(2 ** (x ** w))"));
  EXPECT_EQ(round_trip("x + w * 2 @ x"), round_trip("(x + ((w * 2) @ x))"));
}

TEST(Parser, SemicolonsSeparateStatements) {
  const Program program =
      parse(model_text("        y = x; x = None\n        z = y + w; y = w = None;\n"
                       "        z += 1;  return (z,);\n"));
  ASSERT_EQ(program.statements.size(), 5u);
  EXPECT_EQ(program.statements[1].kind, StatementKind::kRelease);
  EXPECT_EQ(program.statements[1].position.column, 16);
  EXPECT_EQ(program.statements[3].released.size(), 2u);
  EXPECT_EQ(program.results.size(), 1u);
}

TEST(Parser, ParametersWithoutAnnotation) {
  const Program program = parse(
      "import torch\n"
      "class GraphModule(torch.nn.Module):\n"
      "    def forward(self, L_self_modules_fc_parameters_weight_, w_0, w_1 : torch.Tensor, in_0, "
      "l_self_modules_bn_buffers_running_var_, s1, tmp_3):\n"
      "        return tmp_3\n");
  ASSERT_EQ(program.parameters.size(), 7u);
  std::vector<ParameterKind> kinds;
  for (const graph::Parameter& parameter : program.parameters) kinds.push_back(parameter.kind);
  EXPECT_EQ(kinds, (std::vector<ParameterKind>{ParameterKind::kParameter, ParameterKind::kParameter,
                                               ParameterKind::kParameter, ParameterKind::kTensor,
                                               ParameterKind::kBuffer, ParameterKind::kSymInt,
                                               ParameterKind::kTensor}));
  EXPECT_EQ(program.parameters[0].annotation, graph::Annotation::kNone);
  EXPECT_EQ(program.parameters[2].annotation, graph::Annotation::kTensor);
}

TEST(Parser, MemoryFormatsAndLayouts) {
  const Expression call = value_of(
      "torch.ops.aten.clone.default(x, memory_format=torch.contiguous_format, layout = "
      "torch.strided)");
  EXPECT_EQ(call.children[1].kind, ExpressionKind::kMemoryFormat);
  EXPECT_EQ(call.children[1].text, "contiguous_format");
  EXPECT_EQ(call.children[2].kind, ExpressionKind::kLayout);
  EXPECT_EQ(round_trip("x.contiguous(memory_format=torch.channels_last)"),
            "x.contiguous(memory_format=torch.channels_last)");
}

TEST(Parser, NumbersOfTorch) {
  EXPECT_EQ(value_of("torch.f(torch.inf)").children[0].number, INFINITY);
  EXPECT_TRUE(std::isnan(value_of("torch.f(torch.nan)").children[0].number));
  const Expression device = value_of("x.to(torch.device('cuda', 1))").children[1];
  EXPECT_EQ(device.kind, ExpressionKind::kDevice);
  EXPECT_EQ(device.integer, 1);
}

struct Returned {
  const char* text;
  const char* normal;
  std::vector<graph::VariableId> results;
};

TEST(Parser, ReturnOfAnyStructure) {
  const Returned kCases[] = {{"x", "x", {0}},
                             {"(x)", "x", {0}},
                             {"(x,)", "(x,)", {0}},
                             {"x,", "(x,)", {0}},
                             {"x, w", "(x, w)", {0, 1}},
                             {"[x, None, w]", "[x, None, w]", {0, 1}},
                             {"((w, [x]), (), None)", "((w, [x]), (), None)", {1, 0}},
                             {"()", "()", {}},
                             {"[]", "[]", {}},
                             {"None", "None", {}},
                             {"", "None", {}}};
  for (const Returned& returned : kCases) {
    const Program program =
        parse(model_text(std::string("        return ") + returned.text + "\n"));
    EXPECT_EQ(graph::format_expression(program, program.returned), returned.normal);
    EXPECT_EQ(program.results, returned.results) << returned.text;
  }
}

}  // namespace parser_test
}  // namespace graphnet::sample
