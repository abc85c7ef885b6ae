// SPDX-License-Identifier: MIT
#include "sample/parser.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "sample/expression_parser.h"
#include "sample/lexer.h"
#include "sample/parameter_kind.h"
#include "sample/scope.h"

namespace graphnet::sample {

namespace {

using base::Result;
using base::Status;
using graph::Annotation;
using graph::Expression;
using graph::ExpressionKind;
using graph::Statement;
using graph::StatementKind;
using graph::VariableId;

constexpr std::array<std::string_view, 9> kAugmented = {
    "+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&="};

// Words that Python does not accept as a name, and `torch`, which every call needs.
constexpr std::array<std::string_view, 36> kReserved = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",    "torch"};

// Bounds memory (about 500 bytes a statement): 35 times the largest program of the dataset.
constexpr std::size_t kMaxStatements = 1'000'000;

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  for (const std::string_view candidate : words) {
    if (candidate == word) return true;
  }
  return false;
}

struct AnnotationRow {
  std::string_view text;
  Annotation annotation;
};
constexpr AnnotationRow kAnnotations[] = {
    {"torch.Tensor", Annotation::kTensor},
    {"torch.nn.parameter.Parameter", Annotation::kParameter},
    {"torch.nn.Parameter", Annotation::kParameter},
    {"torch.SymInt", Annotation::kSymInt},
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& file)
      : lexer_(text, file), expressions_(lexer_, scope_) {
    program_.file = file;
  }

  Result<graph::Program> parse() {
    GN_RETURN_IF_ERROR(parse_imports());
    GN_RETURN_IF_ERROR(parse_class_header());
    GN_RETURN_IF_ERROR(parse_signature());
    GN_RETURN_IF_ERROR(parse_body());
    if (lexer_.token().kind != TokenKind::kEnd) {
      return lexer_.expected("end of file after forward()'s return");
    }
    program_.variables = scope_.names();
    return std::move(program_);
  }

 private:
  Status parse_imports();
  Status parse_from_import();
  Status parse_class_header();
  Status parse_signature();
  Status parse_parameter();
  Status parse_annotation(Annotation* annotation);
  Status parse_body();
  Status parse_line(bool* has_returned);
  Status parse_statement();
  Status parse_assignment(Statement* statement);
  Status parse_item_assignment(Statement* statement);
  Status parse_augmented(const Token& target, Statement* statement);
  Status parse_release(const std::vector<Token>& targets, Statement* statement);
  Status parse_targets(std::vector<Token>* targets);
  Status parse_target(Token* target);
  bool is_target_next();
  Status parse_return();
  Status add_results(const Expression& returned);
  Status parse_dotted(std::string* dotted);
  Status check_top_level() const;
  Status check_assignable(const Token& name) const;

  Lexer lexer_;
  Scope scope_;
  ExpressionParser expressions_;
  graph::Program program_;
  std::string_view def_indentation_;
  bool has_torch_ = false;
  std::vector<Token> targets_;
};

Status Parser::check_top_level() const {
  if (lexer_.token().position.column == 1) return Status::ok();
  return lexer_.error(lexer_.token().position, "unexpected indentation");
}

Status Parser::check_assignable(const Token& name) const {
  if (!contains(kReserved, name.text)) return Status::ok();
  return lexer_.error(name.position, "expected a name to assign to, found the reserved word " +
                                         in_quotes(name.text));
}

Status Parser::parse_imports() {
  while (lexer_.is_name("import") || lexer_.is_name("from")) {
    GN_RETURN_IF_ERROR(check_top_level());
    if (lexer_.is_name("from")) {
      GN_RETURN_IF_ERROR(parse_from_import());
    } else {
      lexer_.advance();
      GN_RETURN_IF_ERROR(lexer_.expect_name("torch"));
      has_torch_ = true;
    }
    GN_RETURN_IF_ERROR(lexer_.expect_newline());
  }
  return has_torch_ ? Status::ok() : lexer_.expected("'import torch'");
}

Status Parser::parse_from_import() {
  lexer_.advance();
  GN_RETURN_IF_ERROR(lexer_.expect_name("torch"));
  GN_RETURN_IF_ERROR(lexer_.expect_name("import"));
  do {
    const bool is_name = lexer_.token().kind == TokenKind::kName;
    if (!is_name || !expressions_.import_name(lexer_.token().text)) {
      return lexer_.expected("'device', 'inf' or 'nan'");
    }
    lexer_.advance();
  } while (lexer_.accept(","));
  return Status::ok();
}

Status Parser::parse_dotted(std::string* dotted) {
  do {
    if (lexer_.token().kind != TokenKind::kName) return lexer_.expected("a name");
    if (!dotted->empty()) *dotted += '.';
    *dotted += lexer_.token().text;
    lexer_.advance();
  } while (lexer_.accept("."));
  return Status::ok();
}

Status Parser::parse_class_header() {
  if (!lexer_.is_name("class")) return lexer_.expected("'class GraphModule(torch.nn.Module):'");
  GN_RETURN_IF_ERROR(check_top_level());
  lexer_.advance();
  if (lexer_.token().kind != TokenKind::kName) return lexer_.expected("the name of the class");
  lexer_.advance();
  GN_RETURN_IF_ERROR(lexer_.expect("("));
  const graph::Position position = lexer_.token().position;
  std::string parent;
  GN_RETURN_IF_ERROR(parse_dotted(&parent));
  if (parent != "torch.nn.Module") {
    return lexer_.error(position, "expected 'torch.nn.Module', found " + in_quotes(parent));
  }
  GN_RETURN_IF_ERROR(lexer_.expect(")"));
  GN_RETURN_IF_ERROR(lexer_.expect(":"));
  return lexer_.expect_newline();
}

Status Parser::parse_signature() {
  if (!lexer_.is_name("def")) return lexer_.expected("'def forward(self, ...):'");
  def_indentation_ = Lexer::indentation(lexer_.token());
  if (def_indentation_.empty()) return lexer_.expected("indentation before 'def'");
  lexer_.advance();
  GN_RETURN_IF_ERROR(lexer_.expect_name("forward"));
  GN_RETURN_IF_ERROR(lexer_.expect("("));
  GN_RETURN_IF_ERROR(lexer_.expect_name("self"));
  while (lexer_.accept(",")) {
    if (lexer_.is_operator(")")) break;
    GN_RETURN_IF_ERROR(parse_parameter());
  }
  GN_RETURN_IF_ERROR(lexer_.expect(")"));
  GN_RETURN_IF_ERROR(lexer_.expect(":"));
  return lexer_.expect_newline();
}

Status Parser::parse_parameter() {
  const Token name = lexer_.token();
  if (name.kind != TokenKind::kName) return lexer_.expected("the name of a parameter");
  GN_RETURN_IF_ERROR(check_assignable(name));
  if (scope_.find(name.text).state != Scope::State::kUnknown || name.text == "self") {
    return lexer_.error(name.position, "parameter " + in_quotes(name.text) + " is repeated");
  }
  lexer_.advance();
  Annotation annotation = Annotation::kNone;
  if (lexer_.accept(":")) GN_RETURN_IF_ERROR(parse_annotation(&annotation));
  scope_.assign(name.text);
  program_.parameters.push_back(
      {std::string(name.text), parameter_kind(annotation, name.text), name.position, annotation});
  return Status::ok();
}

Status Parser::parse_annotation(Annotation* annotation) {
  const graph::Position position = lexer_.token().position;
  std::string text;
  GN_RETURN_IF_ERROR(parse_dotted(&text));
  for (const AnnotationRow& row : kAnnotations) {
    if (row.text != text) continue;
    *annotation = row.annotation;
    return Status::ok();
  }
  return lexer_.error(position,
                      "unknown annotation " + in_quotes(text) +
                          " (known: torch.Tensor, torch.nn.parameter.Parameter, torch.SymInt)");
}

Status Parser::parse_body() {
  const std::string_view indentation = Lexer::indentation(lexer_.token());
  const bool is_deeper = indentation.size() > def_indentation_.size() &&
                         indentation.substr(0, def_indentation_.size()) == def_indentation_;
  if (!is_deeper) return lexer_.expected("the indented body of forward()");
  while (lexer_.token().kind != TokenKind::kEnd) {
    if (Lexer::indentation(lexer_.token()) != indentation) {
      return lexer_.error(lexer_.token().position, "indentation differs from the lines above");
    }
    bool has_returned = false;
    GN_RETURN_IF_ERROR(parse_line(&has_returned));
    if (has_returned) return Status::ok();
  }
  return lexer_.expected("'return'");
}

// Statements between semicolons, up to the end of the line.
Status Parser::parse_line(bool* has_returned) {
  do {
    *has_returned = lexer_.is_name("return");
    GN_RETURN_IF_ERROR(*has_returned ? parse_return() : parse_statement());
  } while (!*has_returned && lexer_.accept(";") && lexer_.token().kind != TokenKind::kNewline &&
           lexer_.token().kind != TokenKind::kEnd);
  if (*has_returned) lexer_.accept(";");
  return lexer_.expect_newline();
}

Status Parser::parse_statement() {
  if (program_.statements.size() == kMaxStatements) {
    return lexer_.error(lexer_.token().position, "the program has too many statements");
  }
  expressions_.begin_statement();
  Statement statement;
  statement.position = lexer_.token().position;
  const bool is_name = lexer_.token().kind == TokenKind::kName;
  const Token& next = lexer_.following();
  if (is_name && next.kind == TokenKind::kOperator && next.text == "[") {
    GN_RETURN_IF_ERROR(parse_item_assignment(&statement));
  } else if (is_name && next.kind == TokenKind::kOperator && contains(kAugmented, next.text)) {
    GN_RETURN_IF_ERROR(parse_augmented(lexer_.token(), &statement));
  } else {
    GN_RETURN_IF_ERROR(parse_assignment(&statement));
  }
  program_.statements.push_back(std::move(statement));
  return Status::ok();
}

Status Parser::parse_item_assignment(Statement* statement) {
  statement->kind = StatementKind::kSetItem;
  GN_RETURN_IF_ERROR(expressions_.resolve(lexer_.token(), &statement->target));
  lexer_.advance();
  GN_RETURN_IF_ERROR(expressions_.parse_index(&statement->index));
  GN_RETURN_IF_ERROR(lexer_.expect("="));
  return expressions_.parse_expression(&statement->value);
}

Status Parser::parse_augmented(const Token& target, Statement* statement) {
  statement->kind = StatementKind::kAugmented;
  GN_RETURN_IF_ERROR(expressions_.resolve(target, &statement->target));
  lexer_.advance();
  const std::string_view operation = lexer_.token().text;
  statement->text = operation.substr(0, operation.size() - 1);
  lexer_.advance();
  return expressions_.parse_expression(&statement->value);
}

Status Parser::parse_assignment(Statement* statement) {
  targets_.clear();
  GN_RETURN_IF_ERROR(parse_targets(&targets_));
  GN_RETURN_IF_ERROR(expressions_.parse_expression(&statement->value));
  if (statement->value.kind == ExpressionKind::kNone) {
    return parse_release(targets_, statement);
  }
  if (targets_.size() > 1) {
    return lexer_.error(statement->value.position, "several targets at once can only become None");
  }
  statement->target = scope_.assign(targets_.front().text);
  return Status::ok();
}

Status Parser::parse_release(const std::vector<Token>& targets, Statement* statement) {
  statement->kind = StatementKind::kRelease;
  statement->value = Expression();
  statement->released.reserve(targets.size());
  for (const Token& target : targets) {
    VariableId variable = -1;
    GN_RETURN_IF_ERROR(expressions_.resolve(target, &variable));
    scope_.release(variable, target.position.line);
    statement->released.push_back(variable);
  }
  return Status::ok();
}

// `a = (b) = ` up to the value; at least one target.
Status Parser::parse_targets(std::vector<Token>* targets) {
  do {
    Token target;
    GN_RETURN_IF_ERROR(parse_target(&target));
    GN_RETURN_IF_ERROR(check_assignable(target));
    GN_RETURN_IF_ERROR(lexer_.expect("="));
    targets->push_back(target);
  } while (is_target_next());
  return Status::ok();
}

Status Parser::parse_target(Token* target) {
  const bool is_parenthesised = lexer_.accept("(");
  *target = lexer_.token();
  if (target->kind != TokenKind::kName) return lexer_.expected("a name to assign to");
  lexer_.advance();
  return is_parenthesised ? lexer_.expect(")") : Status::ok();
}

bool Parser::is_target_next() {
  if (lexer_.token().kind == TokenKind::kName) {
    return lexer_.following().kind == TokenKind::kOperator && lexer_.following().text == "=";
  }
  if (!lexer_.is_operator("(") || lexer_.following().kind != TokenKind::kName) return false;
  // Only a bookmark tells `a = (b) = None` from `a = (b)`.
  Lexer ahead = lexer_;
  ahead.advance();
  ahead.advance();
  return ahead.accept(")") && ahead.is_operator("=");
}

Status Parser::parse_return() {
  expressions_.begin_statement();
  lexer_.advance();
  const TokenKind next = lexer_.token().kind;
  // `return` alone gives None.
  if (next == TokenKind::kNewline || next == TokenKind::kEnd) return Status::ok();
  GN_RETURN_IF_ERROR(expressions_.parse_expressions(&program_.returned));
  return add_results(program_.returned);
}

Status Parser::add_results(const Expression& returned) {
  switch (returned.kind) {
    case ExpressionKind::kNone:
      return Status::ok();
    case ExpressionKind::kVariable:
      program_.results.push_back(returned.variable);
      return Status::ok();
    case ExpressionKind::kTuple:
    case ExpressionKind::kList:
      for (const Expression& item : returned.children) GN_RETURN_IF_ERROR(add_results(item));
      return Status::ok();
    default:
      return lexer_.error(returned.position,
                          "expected the name of a result, None, a tuple or a list of these");
  }
}

}  // namespace

base::Result<graph::Program> parse_model(std::string_view text, const std::string& file) {
  if (text.size() > kMaxSourceBytes) {
    return Status(base::Code::kInput, file + ": it has " + std::to_string(text.size()) +
                                          " bytes, the limit is " +
                                          std::to_string(kMaxSourceBytes));
  }
  return Parser(text, file).parse();
}

}  // namespace graphnet::sample
