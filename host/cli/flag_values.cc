// SPDX-License-Identifier: MIT
#include "cli/flag_values.h"

#include <charconv>
#include <cmath>

namespace graphnet::cli {

using base::Code;
using base::Result;
using base::Status;

Result<std::optional<int>> read_count(const char* flag, const std::optional<std::string>& text,
                                      int min, int max, const char* other_word) {
  if (!text) return std::optional<int>();
  if (other_word != nullptr && *text == other_word) return std::optional<int>(0);
  int value = 0;
  const char* end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, value);
  if (error == std::errc() && rest == end && value >= min && value <= max) {
    return std::optional<int>(value);
  }
  return Status(Code::kUsage, std::string(flag) + " must be " +
                                  (other_word ? std::string(other_word) + " or " : "") +
                                  "an integer from " + std::to_string(min) + " to " +
                                  std::to_string(max) + ", got '" + *text + "'");
}

Result<std::optional<double>> read_number(const char* flag,
                                          const std::optional<std::string>& text) {
  if (!text) return std::optional<double>();
  double value = 0;
  const char* end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, value);
  if (error == std::errc() && rest == end && std::isfinite(value)) {
    return std::optional<double>(value);
  }
  return Status(Code::kUsage, std::string(flag) + " must be a number, got '" + *text + "'");
}

Result<std::optional<config::TimeLimit>> read_time_limit(const char* flag,
                                                         const std::optional<std::string>& text) {
  if (!text) return std::optional<config::TimeLimit>();
  Result<config::TimeLimit> limit = config::parse_time_limit(*text, "s");
  if (!limit.is_ok()) {
    return Status(Code::kUsage, std::string(flag) + " " + limit.status().message());
  }
  return std::optional<config::TimeLimit>(*limit);
}

}  // namespace graphnet::cli
