// SPDX-License-Identifier: MIT
#include "writer/meta_text.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/text.h"

namespace graphnet::writer {

namespace {

using sample::LiteralNumber;
using sample::TensorMeta;

/// Of an infinity or NaN, for which Python has no literal.
std::string special_text(double value) {
  return "float('" + base::python_float(value) + "')";
}

/// In `decimals` digits after the point if they give the same double.
std::string float_text(double value, int decimals) {
  if (!std::isfinite(value)) return special_text(value);
  // The longest double has 309 digits before the point.
  std::array<char, 328> text = {};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  const bool is_same = std::strtod(text.data(), nullptr) == value;
  return is_same ? text.data() : base::python_float(value);
}

std::string literal_text(const LiteralNumber& number) {
  switch (number.kind) {
    case LiteralNumber::Kind::kBool:
      return number.integer != 0 ? "True" : "False";
    case LiteralNumber::Kind::kInteger:
      return std::to_string(number.integer);
    case LiteralNumber::Kind::kFloat:
      break;
  }
  return float_text(number.number, 6);
}

/// Upstream writes the lower bound of variances, which are floats, as the integer 0.
std::string bound_text(const LiteralNumber& bound) {
  if (bound.kind != LiteralNumber::Kind::kFloat) return std::to_string(bound.integer);
  const double value = bound.number;
  if (value == 0 && !std::signbit(value)) return "0";
  return std::isfinite(value) ? base::python_float(value) : special_text(value);
}

std::string string_text(const std::string& text) {
  // The reader knows no escapes: a text has at most one kind of quote.
  const char quote = text.find('"') == std::string::npos ? '"' : '\'';
  return quote + text + quote;
}

std::string data_text(const std::vector<LiteralNumber>& data) {
  std::vector<std::string> numbers;
  numbers.reserve(data.size());
  for (const LiteralNumber& number : data) numbers.push_back(literal_text(number));
  return "[" + base::join(numbers, ", ") + "]";
}

std::string moment_text(const std::optional<double>& moment) {
  return moment ? float_text(*moment, 3) : "None";
}

std::string class_text(const TensorMeta& meta, TextStyle style) {
  std::string text = "class " + meta.class_name + ":\n";
  const auto add = [&](const char* attribute, const std::string& value) {
    text.append("\t").append(attribute).append(" = ").append(value).append("\n");
  };
  add("name", string_text(meta.name));
  if (!meta.original_name.empty()) add("original_name", string_text(meta.original_name));
  add("shape", base::shape_text(meta.shape));
  add("dtype", "\"torch." + std::string(base::dtype_name(meta.dtype)) + "\"");
  add("device", string_text(meta.device));
  if (meta.has_mean) add("mean", moment_text(meta.mean));
  if (meta.has_std) add("std", moment_text(meta.std));
  const bool is_range = meta.min_val && meta.max_val;
  if (meta.data) {
    add("data", data_text(*meta.data));
  } else if (style == TextStyle::kTraced && !is_range) {
    add("data", "None");
  }
  if (meta.min_val) add("min_val", bound_text(*meta.min_val));
  if (meta.max_val) add("max_val", bound_text(*meta.max_val));
  return text;
}

}  // namespace

std::string meta_text(const std::vector<TensorMeta>& metas, TextStyle style) {
  const char* separator = style == TextStyle::kTraced ? "\n" : "\n\n";
  std::string text;
  for (const TensorMeta& meta : metas) {
    if (!text.empty()) text += separator;
    text += class_text(meta, style);
  }
  return text;
}

}  // namespace graphnet::writer
