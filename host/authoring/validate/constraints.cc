// SPDX-License-Identifier: MIT
#include "validate/constraints.h"

#include <map>

#include "sample/lexer.h"

namespace graphnet::validate {

namespace {

using base::Result;
using base::Status;
using sample::Lexer;
using sample::TokenKind;

class ConstraintParser {
 public:
  ConstraintParser(std::string_view text, const std::string& file) : lexer_(text, file) {}

  Result<std::vector<ShapeConstraint>> parse() {
    while (lexer_.token().kind != TokenKind::kEnd) GN_RETURN_IF_ERROR(parse_line());
    return std::move(constraints_);
  }

 private:
  Status parse_line() {
    if (lexer_.is_name("from") || lexer_.is_name("import")) return skip_line();
    if (lexer_.token().kind != TokenKind::kName) return lexer_.expected("an import or a variable");
    const std::string_view name = lexer_.token().text;
    lexer_.advance();
    GN_RETURN_IF_ERROR(lexer_.expect("="));
    if (name == "dynamic_dim_constraint_symbol2example_value") {
      GN_RETURN_IF_ERROR(parse_examples());
    } else if (name == "dynamic_dim_constraint_input_shapes") {
      GN_RETURN_IF_ERROR(parse_shapes());
    } else {
      return skip_line();
    }
    return lexer_.expect_newline();
  }

  Status skip_line() {
    while (lexer_.token().kind != TokenKind::kNewline && lexer_.token().kind != TokenKind::kEnd) {
      if (lexer_.token().kind == TokenKind::kError) return lexer_.expected("the end of the line");
      lexer_.advance();
    }
    return lexer_.expect_newline();
  }

  Status parse_examples() {
    GN_RETURN_IF_ERROR(lexer_.expect("{"));
    while (!lexer_.is_operator("}")) {
      if (lexer_.token().kind != TokenKind::kName) return lexer_.expected("a symbol");
      const std::string symbol(lexer_.token().text);
      lexer_.advance();
      GN_RETURN_IF_ERROR(lexer_.expect(":"));
      GN_RETURN_IF_ERROR(parse_integer(&examples_[symbol]));
      if (!lexer_.accept(",")) break;
    }
    return lexer_.expect("}");
  }

  Status parse_integer(std::int64_t* value) {
    const bool is_integer = lexer_.token().kind == TokenKind::kInteger &&
                            sample::integer_value(lexer_.token().text, false, value);
    if (!is_integer) return lexer_.expected("an integer");
    lexer_.advance();
    return Status::ok();
  }

  Status parse_shapes() {
    GN_RETURN_IF_ERROR(lexer_.expect("["));
    while (!lexer_.is_operator("]")) {
      GN_RETURN_IF_ERROR(parse_constraint());
      if (!lexer_.accept(",")) break;
    }
    return lexer_.expect("]");
  }

  // `([S0, 3], "L_x_")`.
  Status parse_constraint() {
    ShapeConstraint constraint;
    constraint.line = lexer_.token().position.line;
    GN_RETURN_IF_ERROR(lexer_.expect("("));
    GN_RETURN_IF_ERROR(lexer_.expect("["));
    while (!lexer_.is_operator("]")) {
      GN_RETURN_IF_ERROR(parse_extent(&constraint));
      if (!lexer_.accept(",")) break;
    }
    GN_RETURN_IF_ERROR(lexer_.expect("]"));
    GN_RETURN_IF_ERROR(lexer_.expect(","));
    if (lexer_.token().kind != TokenKind::kString) return lexer_.expected("the name of a tensor");
    constraint.name = lexer_.token().text;
    lexer_.advance();
    lexer_.accept(",");
    constraints_.push_back(std::move(constraint));
    return lexer_.expect(")");
  }

  Status parse_extent(ShapeConstraint* constraint) {
    std::int64_t extent = 0;
    std::string symbol;
    if (lexer_.token().kind != TokenKind::kName) {
      GN_RETURN_IF_ERROR(parse_integer(&extent));
    } else {
      const auto found = examples_.find(std::string(lexer_.token().text));
      if (found == examples_.end()) return lexer_.expected("a symbol with an example value");
      extent = found->second;
      symbol = found->first;
      lexer_.advance();
    }
    constraint->shape.push_back(extent);
    constraint->symbols.push_back(std::move(symbol));
    return Status::ok();
  }

  Lexer lexer_;
  std::map<std::string, std::int64_t> examples_;
  std::vector<ShapeConstraint> constraints_;
};

}  // namespace

Result<std::vector<ShapeConstraint>> parse_constraints(std::string_view text,
                                                       const std::string& file) {
  return ConstraintParser(text, file).parse();
}

}  // namespace graphnet::validate
