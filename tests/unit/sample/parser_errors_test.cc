// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "model_text.h"
#include "sample/lexer.h"
#include "sample/parser.h"
#include "support/mentions.h"

namespace graphnet::sample {
namespace parser_errors_test {

using tests::mentions;

/// The message of a model that must be refused.
std::string refusal(const std::string& text) {
  const auto program = parse_model(text, "model.py");
  EXPECT_FALSE(program.is_ok()) << text;
  if (program.is_ok()) return "";
  EXPECT_EQ(program.status().code(), base::Code::kInput);
  return program.status().message();
}

std::string first_line(const std::string& message) {
  return message.substr(0, message.find('\n'));
}

struct Case {
  const char* name;
  const char* statement;  // in line 11, from column 9
  const char* position;
  // What the message names behind the position, in this order.
  const char* first;
  const char* second;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

class StatementError : public testing::TestWithParam<Case> {};

TEST_P(StatementError, HasPosition) {
  const Case& wanted = GetParam();
  EXPECT_TRUE(mentions(first_line(refusal(statement_text(wanted.statement))),
                       {std::string("model.py:") + wanted.position, wanted.first, wanted.second}));
}

const Case kNames[] = {
    {"BeforeAssignment", "y = z", "11:13:", "'z'", "no value"},
    {"BeforeAssignmentInCall", "y = torch.f(1, z)", "11:24:", "'z'", "no value"},
    {"OfTheModule", "y = self._tensor_constant0", "11:13:", "'self'", "tensor"},
    {"OfItself", "y = y", "11:13:", "'y'", "no value"},
    {"AfterRelease", "w = None\n        y = w", "12:13:", "'w'", "released in line 11"},
    {"ReleasedTwice", "w = w = None", "11:13:", "'w'", "released in line 11"},
    {"ReleasedUnknown", "y = None", "11:9:", "'y'", "no value"},
    {"ResultReleased", "x = None", "12:17:", "'x'", "released in line 11"},
    {"ItemOfReleased", "w = None\n        w[0] = 1", "12:9:", "'w'", "released in line 11"},
    {"AugmentedUnknown", "y += x", "11:9:", "'y'", "no value"},
    {"UnknownFunction", "y = len(x)", "11:13:", "unknown function 'len'", ""},
    {"VariableCalled", "y = x(w)", "11:14:", "function", "'('"},
    {"ReservedTarget", "class = x", "11:9:", "name to assign", "'class'"},
    {"TorchTarget", "torch = x", "11:9:", "name to assign", "'torch'"},
    {"KeywordValue", "y = lambda", "11:13:", "'lambda'", "no value"},
};
INSTANTIATE_TEST_SUITE_P(Names, StatementError, testing::ValuesIn(kNames), name_of);

const Case kExpressions[] = {
    {"MissingBracket", "y = torch.f(x foo)", "11:23:", "')'", "'foo'"},
    {"TwoComparisons", "y = x < w < 1", "11:19:", "a < b and b < c", "'<'"},
    {"MissingOperand", "y = x + ", "11:17:", "value", "end of line"},
    {"CallOfCall", "y = x.t()()", "11:18:", "end of line", "'('"},
    {"ColonSlice", "y = x[1:2]", "11:16:", "slice(a, b, c)", "':'"},
    {"ColonFirst", "y = x[:]", "11:15:", "slice(a, b, c)", "':'"},
    {"ColonInTuple", "y = x[0, :]", "11:18:", "value", "':'"},
    {"EmptyIndex", "y = x[]", "11:15:", "value", "']'"},
    {"UnknownAttribute", "y = x.grad", "11:15:", "unknown attribute 'grad'",
     "(known: T, mT, real, imag, device, dtype, shape, ndim, a method needs '(')"},
    {"AttributeOfUnknown", "y = torch.f(1, device=z.device)", "11:31:", "'z'", "no value"},
    {"DottedConstant", "y = torch.f(torch.a.float32)", "11:36:", "'('", "')'"},
    {"NoAttribute", "y = x.", "11:15:", "attribute", "end of line"},
    {"NoDtype", "y = x.to(torch.float33)", "11:31:", "'float33'", "')'"},
    {"BareTorch", "y = torch", "11:18:", "'.'", "end of line"},
    {"TorchNumber", "y = torch.1()", "11:18:", "'.'", "'.1'"},
    {"RepeatedKeyword", "y = torch.f(a=1, a=2)", "11:26:", "'a'", "repeated"},
    {"PositionalLast", "y = torch.f(a=1, 2)", "11:26:", "keyword argument", "'2'"},
    {"SliceBounds", "y = x[slice()]", "11:15:", "slice()", "bounds"},
    {"SliceKeyword", "y = x[slice(stop=1)]", "11:15:", "slice()", "bounds"},
    {"DeviceWithoutType", "y = x.to(device())", "11:18:", "device()", "type"},
    {"DeviceIndex", "y = x.to(device(type=\"cuda\", index=-1))", "11:44:", "expected",
     "device(type=\"...\", index=...)"},
    {"NegatedNothing", "y = -", "11:14:", "value", "end of line"},
    {"Dict", "y = {}", "11:13:", "value", "'{'"},
    {"Starred", "y = torch.f(*x)", "11:21:", "value", "'*'"},
    {"NothingAssigned", "y =", "11:12:", "value", "end of line"},
};
INSTANTIATE_TEST_SUITE_P(Expressions, StatementError, testing::ValuesIn(kExpressions), name_of);

const Case kStatements[] = {
    {"BareExpression", "torch.f(x)", "11:9:", "name to assign", "'torch'"},
    {"Unpacking", "a, b = x", "11:10:", "'='", "','"},
    {"TargetTuple", "(a, b) = x", "11:11:", "')'", "','"},
    {"NumberTarget", "1 = x", "11:9:", "name to assign", "'1'"},
    {"ChainOfValues", "a = b = x", "11:17:", "several targets", "None"},
    {"OnlySemicolon", ";", "11:9:", "name to assign", "';'"},
    {"TwoSemicolons", "y = x;; z = x", "11:15:", "name to assign", "';'"},
    {"BehindSemicolon", "y = x; z = 1 1", "11:22:", "end of line", "'1'"},
    {"If", "if x:", "11:9:", "name to assign", "'if'"},
    {"Indented", "y = x\n          z = x", "12:11:", "indentation", "differs"},
    {"Dedented", "y = x\n    z = x", "12:5:", "indentation", "differs"},
};
INSTANTIATE_TEST_SUITE_P(Statements, StatementError, testing::ValuesIn(kStatements), name_of);

const Case kLexical[] = {
    {"IntegerOverflow", "y = 9223372036854775808", "11:13:", "integer", "64 bits"},
    {"NegativeOverflow", "y = -9223372036854775809", "11:14:", "integer", "64 bits"},
    {"HugeInteger", "y = 99999999999999999999999999", "11:13:", "integer", "64 bits"},
    {"FloatOverflow", "y = 1e999", "11:13:", "number", "float64"},
    {"GluedNumber", "y = 12ab", "11:13:", "malformed", "number"},
    {"EmptyExponent", "y = 1e+", "11:13:", "malformed", "number"},
    {"Octal", "y = 012", "11:13:", "malformed", "number"},
    {"Hex", "y = 0x1f", "11:13:", "malformed", "number"},
    {"OpenString", "y = torch.f(\"abc)", "11:21:", "string", "closing quote"},
    {"Escape", "y = torch.f(\"a\\n\")", "11:21:", "string", "escape"},
    {"NonAscii", "y = x\xc3\xa9", "11:14:", "byte", "ASCII"},
    {"NonAsciiInString", "y = torch.f(\"\xc3\xa9\")", "11:21:", "byte", "ASCII"},
    {"NonAsciiInComment", "y = x  # \xc3\xa9", "11:18:", "byte", "ASCII"},
    {"Backslash", "y = x + \\", "11:17:", "character", "language"},
    {"CarriageReturn", "y = x\rz = x", "11:14:", "character", "language"},
};
INSTANTIATE_TEST_SUITE_P(Lexical, StatementError, testing::ValuesIn(kLexical), name_of);

TEST(ParserError, ShowsTheLineAndACaret) {
  EXPECT_EQ(refusal(statement_text("y = torch.f(x foo)")),
            "model.py:11:23: expected ')', found name 'foo'\n"
            "          y = torch.f(x foo)\n"
            "                        ^");
}

TEST(ParserError, CutsLongLinesAroundTheColumn) {
  const std::string message = refusal(statement_text("y = torch.f(" + std::string(300, 'a') +
                                                     "=1, c=b c, " + std::string(300, 'd')));
  EXPECT_TRUE(mentions(first_line(message), {"model.py:11:327:", "'b'"}));
  const std::string shown = message.substr(message.find('\n') + 1);
  const std::string line = shown.substr(0, shown.find('\n'));
  EXPECT_LT(line.size(), 120u);
  EXPECT_EQ(line.substr(0, 6), "  ...a");
  EXPECT_EQ(line.substr(line.size() - 4), "d...");
  EXPECT_EQ(line[shown.size() - line.size() - 2], 'b');
}

TEST(ParserError, NulByte) {
  std::string text = statement_text("y = x?");
  text[text.find('?')] = '\0';
  EXPECT_EQ(first_line(refusal(text)), "model.py:11:14: NUL byte in the text");
}

TEST(ParserError, NestingIsBounded) {
  const std::string message =
      refusal(statement_text("y = torch.f(" + std::string(100000, '(') + "x"));
  EXPECT_EQ(first_line(message), "model.py:11:84: brackets nest deeper than 64 levels");
}

TEST(ParserError, OperationsOfAStatementAreBounded) {
  for (const std::string operation : {".t()", "[0]", " + x", " ** x", ".T"}) {
    std::string chain = "y = x";
    for (int i = 0; i < 100000; ++i) chain += operation;
    EXPECT_NE(refusal(statement_text(chain)).find("more than 256 operations"), std::string::npos);
  }
  const std::string signs(100000, '~');
  EXPECT_NE(refusal(statement_text("y = " + signs + "x")).find("operations"), std::string::npos);
}

TEST(ParserError, TextIsBounded) {
  EXPECT_EQ(refusal(std::string(kMaxSourceBytes + 1, '\n')),
            "model.py: it has 67108865 bytes, the limit is 67108864");
}

TEST(ParserError, Frame) {
  const auto fails = [](const std::string& text) { return first_line(refusal(text)); };
  const std::string head = "import torch\nclass M(torch.nn.Module):\n";
  EXPECT_TRUE(mentions(fails(""), {"model.py:1:1:", "'import torch'", "end of file"}));
  EXPECT_EQ(fails("import os\n"), "model.py:1:8: expected 'torch', found name 'os'");
  EXPECT_EQ(fails("from torch import nn\n"),
            "model.py:1:19: expected 'device', 'inf' or 'nan', found name 'nn'");
  EXPECT_EQ(fails("import torch\nx = 1\n"),
            "model.py:2:1: expected 'class GraphModule(torch.nn.Module):', found name 'x'");
  EXPECT_EQ(fails("import torch\n class M:\n"), "model.py:2:2: unexpected indentation");
  EXPECT_EQ(fails("import torch\nclass M(object):\n"),
            "model.py:2:9: expected 'torch.nn.Module', found 'object'");
  EXPECT_EQ(fails(head + "def forward(self):\n"),
            "model.py:3:1: expected indentation before 'def', found name 'def'");
  EXPECT_EQ(fails(head + "  def call(self):\n"),
            "model.py:3:7: expected 'forward', found name 'call'");
  EXPECT_EQ(fails(head + "  def forward(x):\n"), "model.py:3:15: expected 'self', found name 'x'");
  EXPECT_TRUE(
      mentions(fails(head + "  def forward(self):\n  x = 1\n"), {"model.py:4:3:", "body", "'x'"}));
  EXPECT_TRUE(
      mentions(fails(head + "  def forward(self):\n"), {"model.py:4:1:", "body", "end of file"}));
  EXPECT_EQ(fails(head + "  def forward(self):\n\xff"), "model.py:4:1: byte outside ASCII");
}

TEST(ParserError, Signature) {
  const auto fails = [](const std::string& parameters) {
    return first_line(refusal("import torch\nclass M(torch.nn.Module):\n  def forward(self" +
                              parameters + "):\n    return (x,)\n"));
  };
  EXPECT_EQ(fails(", x y"), "model.py:3:23: expected ')', found name 'y'");
  EXPECT_EQ(fails(", x: int"),
            "model.py:3:24: unknown annotation 'int' (known: torch.Tensor, "
            "torch.nn.parameter.Parameter, torch.SymInt)");
  EXPECT_EQ(fails(", x: torch.Tensor, x: torch.Tensor"),
            "model.py:3:38: parameter 'x' is repeated");
  EXPECT_EQ(fails(", x: torch.Tensor = 1"), "model.py:3:37: expected ')', found '='");
  EXPECT_TRUE(mentions(fails(", *x"), {"model.py:3:21:", "parameter", "'*'"}));
}

TEST(ParserError, Return) {
  const auto fails = [](const std::string& body) { return first_line(refusal(model_text(body))); };
  EXPECT_TRUE(mentions(fails("        y = x\n"), {"model.py:12:1:", "'return'", "end of file"}));
  const std::string kWanted = "expected the name of a result, None, a tuple or a list of these";
  EXPECT_EQ(fails("        return (x, 1)\n"), "model.py:11:20: " + kWanted);
  EXPECT_EQ(fails("        return (x, [w, x.T])\n"), "model.py:11:24: " + kWanted);
  EXPECT_TRUE(mentions(fails("        return (y,)\n"), {"model.py:11:17:", "'y'"}));
  EXPECT_EQ(fails("        return (x,\n"), "model.py:12:1: expected ')', found end of file");
  EXPECT_TRUE(mentions(fails("        return (x,)\n        y = x\n"),
                       {"model.py:12:9:", "end of file", "'y'"}));
}

TEST(ParserError, NamesThatAreNotImported) {
  const auto fails = [](const std::string& statement) {
    return first_line(refusal("import torch\nclass M(torch.nn.Module):\n def forward(self):\n  " +
                              statement + "\n  return (y,)\n"));
  };
  EXPECT_EQ(fails("y = torch.f(inf)"),
            "model.py:4:15: name 'inf' is not imported (from torch import inf)");
  EXPECT_EQ(fails("y = torch.f(device(type='cpu'))"),
            "model.py:4:15: name 'device' is not imported (from torch import device)");
}

// Every prefix and every damaged byte of a model ends in a result, never in a crash.
TEST(ParserError, DamagedTextsNeverCrash) {
  const std::string text = model_text(
      "        (y) = torch.f([(x, -1)], a=device(type=\"cpu\"), b=torch.int64)  # c\n"
      "        y[(slice(None, 1.5e-3, None), ...)] = -inf\n        y += -x\n"
      "        x = (w) = None\n        return (y,)\n");
  ASSERT_TRUE(parse_model(text, "model.py").is_ok());
  for (std::size_t length = 0; length < text.size(); ++length) {
    (void)parse_model(std::string_view(text).substr(0, length), "model.py").is_ok();
    for (const char byte : {'\0', '(', ')', '"', '\n', '\t', '0', '=', '\xff'}) {
      std::string damaged = text;
      damaged[length] = byte;
      (void)parse_model(damaged, "model.py").is_ok();
    }
  }
}

}  // namespace parser_errors_test
}  // namespace graphnet::sample
