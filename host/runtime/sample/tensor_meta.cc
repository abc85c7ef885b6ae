// SPDX-License-Identifier: MIT
#include "sample/tensor_meta.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "sample/lexer.h"

namespace graphnet::sample {

namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;
constexpr std::size_t kMaxRank = 64;
// Bounds memory (24 bytes a number): 4,000 times the longest literal of the dataset.
constexpr std::size_t kMaxLiteralNumbers = std::size_t{1} << 22;

enum Attribute : unsigned {
  kName = 1,
  kShape = 2,
  kDType = 4,
  kDevice = 8,
  kMean = 16,
  kStd = 32,
  kData = 64,
  kMinVal = 128,
  kMaxVal = 256,
  kOriginalName = 512,
};

struct AttributeName {
  std::string_view text;
  Attribute attribute;
};

constexpr std::array<AttributeName, 10> kAttributes = {{{"name", kName},
                                                        {"shape", kShape},
                                                        {"dtype", kDType},
                                                        {"device", kDevice},
                                                        {"mean", kMean},
                                                        {"std", kStd},
                                                        {"data", kData},
                                                        {"min_val", kMinVal},
                                                        {"max_val", kMaxVal},
                                                        {"original_name", kOriginalName}}};

class MetaParser {
 public:
  MetaParser(std::string_view text, const std::string& file) : lexer_(text, file) {}

  Result<std::vector<TensorMeta>> parse() {
    while (lexer_.token().kind != TokenKind::kEnd) GN_RETURN_IF_ERROR(parse_class());
    return std::move(metas_);
  }

 private:
  Status parse_class();
  Status parse_attributes();
  Status parse_attribute();
  Status find_attribute(Attribute* attribute);
  Status parse_attribute_value(Attribute attribute);
  Status parse_string(std::string* out);
  Status parse_tensor_name();
  Status parse_dtype();
  Status parse_shape();
  Status parse_data();
  Status parse_number(LiteralNumber* out);
  Status parse_signed_number(LiteralNumber* out);
  Status parse_float_call(LiteralNumber* out);
  Status parse_optional_number(std::optional<double>* out);
  Status parse_bound(std::optional<LiteralNumber>* out);
  Status finish_class();
  Status check_elements() const;
  Status check_bounds();
  Status check_unique();
  Status class_error(const std::string& message) const;

  Lexer lexer_;
  TensorMeta meta_;
  graph::Position class_position_;
  graph::Position data_position_;
  unsigned seen_ = 0;
  std::size_t num_literals_ = 0;
  std::vector<TensorMeta> metas_;
  std::unordered_map<std::string, std::int32_t> class_lines_;
  std::unordered_map<std::string, std::int32_t> name_lines_;
};

Status MetaParser::class_error(const std::string& message) const {
  return lexer_.error(class_position_, message);
}

Status MetaParser::parse_class() {
  if (!lexer_.is_name("class")) return lexer_.expected("'class'");
  if (lexer_.token().position.column != 1) return lexer_.expected("'class' without indentation");
  meta_ = TensorMeta();
  seen_ = 0;
  lexer_.advance();
  class_position_ = lexer_.token().position;
  if (lexer_.token().kind != TokenKind::kName) return lexer_.expected("the name of a class");
  meta_.class_name = lexer_.token().text;
  meta_.line = class_position_.line;
  lexer_.advance();
  GN_RETURN_IF_ERROR(lexer_.expect(":"));
  GN_RETURN_IF_ERROR(lexer_.expect_newline());
  GN_RETURN_IF_ERROR(parse_attributes());
  return finish_class();
}

Status MetaParser::parse_attributes() {
  const std::string_view indentation = Lexer::indentation(lexer_.token());
  if (indentation.empty()) return lexer_.expected("indented attributes");
  while (lexer_.token().kind != TokenKind::kEnd) {
    const std::string_view found = Lexer::indentation(lexer_.token());
    if (found.empty()) break;
    if (found != indentation) {
      return lexer_.error(lexer_.token().position, "indentation differs from the lines above");
    }
    GN_RETURN_IF_ERROR(parse_attribute());
  }
  return Status::ok();
}

Status MetaParser::parse_attribute() {
  Attribute attribute = kName;
  GN_RETURN_IF_ERROR(find_attribute(&attribute));
  if ((seen_ & attribute) != 0) {
    return lexer_.error(lexer_.token().position,
                        "attribute " + in_quotes(lexer_.token().text) + " is repeated");
  }
  seen_ |= attribute;
  lexer_.advance();
  GN_RETURN_IF_ERROR(lexer_.expect("="));
  // The code formatter puts long values in parentheses.
  const bool is_parenthesised = lexer_.accept("(");
  GN_RETURN_IF_ERROR(parse_attribute_value(attribute));
  if (is_parenthesised) GN_RETURN_IF_ERROR(lexer_.expect(")"));
  return lexer_.expect_newline();
}

Status MetaParser::find_attribute(Attribute* attribute) {
  if (lexer_.token().kind != TokenKind::kName) return lexer_.expected("an attribute");
  for (const AttributeName& known : kAttributes) {
    if (known.text != lexer_.token().text) continue;
    *attribute = known.attribute;
    return Status::ok();
  }
  return lexer_.error(lexer_.token().position,
                      "unknown attribute " + in_quotes(lexer_.token().text) +
                          " (known: name, shape, dtype, device, mean, std, data, min_val, max_val, "
                          "original_name)");
}

Status MetaParser::parse_attribute_value(Attribute attribute) {
  switch (attribute) {
    case kName:
      return parse_tensor_name();
    case kShape:
      return parse_shape();
    case kDType:
      return parse_dtype();
    case kDevice:
      return parse_string(&meta_.device);
    case kMean:
      meta_.has_mean = true;
      return parse_optional_number(&meta_.mean);
    case kStd:
      meta_.has_std = true;
      return parse_optional_number(&meta_.std);
    case kData:
      return parse_data();
    case kMinVal:
      return parse_bound(&meta_.min_val);
    case kMaxVal:
      return parse_bound(&meta_.max_val);
    case kOriginalName:
      return parse_string(&meta_.original_name);
  }
  return Status(Code::kInternal, "attribute without a reader");
}

Status MetaParser::parse_string(std::string* out) {
  if (lexer_.token().kind != TokenKind::kString) return lexer_.expected("a string");
  *out = lexer_.token().text;
  lexer_.advance();
  return Status::ok();
}

Status MetaParser::parse_tensor_name() {
  const Token token = lexer_.token();
  GN_RETURN_IF_ERROR(parse_string(&meta_.name));
  if (!meta_.name.empty()) return Status::ok();
  return lexer_.error(token.position, "the name of a tensor is empty");
}

Status MetaParser::parse_dtype() {
  constexpr std::string_view kPrefix = "torch.";
  const Token token = lexer_.token();
  std::string text;
  GN_RETURN_IF_ERROR(parse_string(&text));
  const bool has_prefix = text.compare(0, kPrefix.size(), kPrefix) == 0;
  const auto dtype = has_prefix
                         ? base::dtype_from_name(std::string_view(text).substr(kPrefix.size()))
                         : std::nullopt;
  if (!dtype) {
    return lexer_.error(token.position, "unknown dtype " + in_quotes(text) +
                                            " (expected \"torch.float32\", \"torch.int64\", ...)");
  }
  meta_.dtype = *dtype;
  return Status::ok();
}

Status MetaParser::parse_shape() {
  const graph::Position position = lexer_.token().position;
  GN_RETURN_IF_ERROR(lexer_.expect("["));
  while (!lexer_.is_operator("]")) {
    if (lexer_.token().kind != TokenKind::kInteger) return lexer_.expected("an extent (0 or more)");
    std::int64_t extent = 0;
    if (!integer_value(lexer_.token().text, false, &extent)) {
      return lexer_.error(lexer_.token().position, "extent does not fit 64 bits");
    }
    if (meta_.shape.size() == kMaxRank) {
      return lexer_.error(position, "shape has more than " + std::to_string(kMaxRank) + " extents");
    }
    meta_.shape.push_back(extent);
    lexer_.advance();
    if (!lexer_.accept(",")) break;
  }
  GN_RETURN_IF_ERROR(lexer_.expect("]"));
  const auto count = base::num_elements(meta_.shape);
  if (count && *count <= kMaxElements) return Status::ok();
  return lexer_.error(position, "shape has more than 2^40 elements");
}

Status MetaParser::parse_data() {
  data_position_ = lexer_.token().position;
  if (lexer_.is_name("None")) {
    lexer_.advance();
    return Status::ok();
  }
  if (!lexer_.is_operator("[")) return lexer_.expected("a list of numbers or None");
  lexer_.advance();
  std::vector<LiteralNumber> numbers;
  while (!lexer_.is_operator("]")) {
    if (++num_literals_ > kMaxLiteralNumbers) {
      return lexer_.error(data_position_, "the literals of this file are too long");
    }
    LiteralNumber number;
    GN_RETURN_IF_ERROR(parse_number(&number));
    numbers.push_back(number);
    if (!lexer_.accept(",")) break;
  }
  GN_RETURN_IF_ERROR(lexer_.expect("]"));
  numbers.shrink_to_fit();
  meta_.data = std::move(numbers);
  return Status::ok();
}

Status MetaParser::parse_number(LiteralNumber* out) {
  const bool is_true = lexer_.is_name("True");
  if (is_true || lexer_.is_name("False")) {
    out->kind = LiteralNumber::Kind::kBool;
    out->integer = is_true ? 1 : 0;
    lexer_.advance();
    return Status::ok();
  }
  if (lexer_.is_name("float")) return parse_float_call(out);
  return parse_signed_number(out);
}

Status MetaParser::parse_signed_number(LiteralNumber* out) {
  const bool is_negative = lexer_.accept("-");
  const Token token = lexer_.token();
  if (token.kind == TokenKind::kInteger) {
    out->kind = LiteralNumber::Kind::kInteger;
    if (!integer_value(token.text, is_negative, &out->integer)) {
      return lexer_.error(token.position, "integer does not fit 64 bits");
    }
  } else if (token.kind == TokenKind::kFloat) {
    out->kind = LiteralNumber::Kind::kFloat;
    if (!float_value(token.text, &out->number)) {
      return lexer_.error(token.position, "number is outside the range of float64");
    }
    // Negation, not subtraction: -0.000 must stay a negative zero.
    if (is_negative) out->number = -out->number;
  } else {
    return lexer_.expected("a number");
  }
  lexer_.advance();
  return Status::ok();
}

Status MetaParser::parse_float_call(LiteralNumber* out) {
  lexer_.advance();
  GN_RETURN_IF_ERROR(lexer_.expect("("));
  const Token token = lexer_.token();
  if (token.kind != TokenKind::kString) return lexer_.expected("\"nan\", \"inf\" or \"-inf\"");
  out->kind = LiteralNumber::Kind::kFloat;
  if (token.text == "nan") {
    out->number = std::numeric_limits<double>::quiet_NaN();
  } else if (token.text == "inf") {
    out->number = std::numeric_limits<double>::infinity();
  } else if (token.text == "-inf") {
    out->number = -std::numeric_limits<double>::infinity();
  } else {
    return lexer_.expected("\"nan\", \"inf\" or \"-inf\"");
  }
  lexer_.advance();
  return lexer_.expect(")");
}

Status MetaParser::parse_optional_number(std::optional<double>* out) {
  if (lexer_.is_name("None")) {
    lexer_.advance();
    return Status::ok();
  }
  LiteralNumber number;
  GN_RETURN_IF_ERROR(parse_number(&number));
  *out = number.as_double();
  return Status::ok();
}

Status MetaParser::parse_bound(std::optional<LiteralNumber>* out) {
  const graph::Position position = lexer_.token().position;
  if (lexer_.is_name("None")) {
    lexer_.advance();
    return Status::ok();
  }
  LiteralNumber bound;
  GN_RETURN_IF_ERROR(parse_number(&bound));
  if (std::isnan(bound.as_double())) return lexer_.error(position, "a bound cannot be NaN");
  *out = bound;
  return Status::ok();
}

Status MetaParser::finish_class() {
  if ((seen_ & kName) == 0) return class_error("class without attribute 'name'");
  GN_RETURN_IF_ERROR(check_elements());
  GN_RETURN_IF_ERROR(check_bounds());
  GN_RETURN_IF_ERROR(check_unique());
  metas_.push_back(std::move(meta_));
  return Status::ok();
}

Status MetaParser::check_elements() const {
  if (!meta_.data) return Status::ok();
  const std::int64_t count = base::num_elements(meta_.shape).value_or(-1);
  const auto found = static_cast<std::int64_t>(meta_.data->size());
  if (found == count) return Status::ok();
  return lexer_.error(data_position_, "the literal has " + std::to_string(found) +
                                          " numbers, the shape has " + std::to_string(count) +
                                          " elements");
}

/// False if it is no integer of 64 bits; 2.0 becomes 2.
bool make_integer(LiteralNumber* bound) {
  if (bound->kind != LiteralNumber::Kind::kFloat) {
    *bound = integer_literal(bound->integer);
    return true;
  }
  const double number = bound->number;
  if (std::trunc(number) != number || number < -0x1p63 || number >= 0x1p63) return false;
  *bound = integer_literal(static_cast<std::int64_t>(number));
  return true;
}

// Integers between two bounds are drawn from [min, max], which must be exact and not empty.
Status MetaParser::check_bounds() {
  const bool is_integer = base::is_integer(meta_.dtype);
  for (std::optional<LiteralNumber>* bound : {&meta_.min_val, &meta_.max_val}) {
    if (!*bound) continue;
    if (!is_integer && !base::is_floating(meta_.dtype)) {
      return class_error("bounds are for integers and floats only");
    }
    if (is_integer && !make_integer(&**bound)) {
      return class_error("bounds of an integer tensor must be integers of 64 bits");
    }
  }
  const bool is_range = meta_.min_val && meta_.max_val;
  if (is_integer && is_range && meta_.min_val->integer > meta_.max_val->integer) {
    return class_error("min_val is above max_val");
  }
  return Status::ok();
}

Status MetaParser::check_unique() {
  const auto by_class = class_lines_.emplace(meta_.class_name, meta_.line);
  if (!by_class.second) {
    return class_error("class " + in_quotes(meta_.class_name) + " is repeated, first in line " +
                       std::to_string(by_class.first->second));
  }
  const auto by_name = name_lines_.emplace(meta_.name, meta_.line);
  if (by_name.second) return Status::ok();
  return class_error("name " + in_quotes(meta_.name) + " is repeated, first in line " +
                     std::to_string(by_name.first->second));
}

}  // namespace

Result<std::vector<TensorMeta>> parse_tensor_meta(std::string_view text, const std::string& file) {
  if (text.size() > kMaxSourceBytes) {
    return Status(Code::kInput, file + ": it has " + std::to_string(text.size()) +
                                    " bytes, the limit is " + std::to_string(kMaxSourceBytes));
  }
  return MetaParser(text, file).parse();
}

}  // namespace graphnet::sample
