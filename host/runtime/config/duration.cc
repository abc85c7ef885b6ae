// SPDX-License-Identifier: MIT
#include "config/duration.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "config/yaml_reader.h"

namespace graphnet::config {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr double kMaxMilliseconds = 30.0 * 24 * 3600 * 1000;

/// Milliseconds of one unit, or 0 for an unknown one.
double unit_milliseconds(std::string_view unit) {
  if (unit == "ms") return 1;
  if (unit == "s") return 1e3;
  if (unit == "m") return 60e3;
  if (unit == "h") return 3600e3;
  return 0;
}

Status refused(std::string_view text) {
  return Status(Code::kUsage, "must be a duration such as 500ms, 600s, 10m or none, got '" +
                                  std::string(text.substr(0, 60)) + "'");
}

}  // namespace

Result<TimeLimit> parse_time_limit(std::string_view text, std::string_view default_unit) {
  if (text == "none") return TimeLimit();
  double amount = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  std::string_view unit = text.substr(static_cast<std::size_t>(rest - text.data()));
  if (unit.empty()) unit = default_unit;
  const double milliseconds = amount * unit_milliseconds(unit);
  if (error != std::errc() || !(milliseconds > 0) || milliseconds > kMaxMilliseconds) {
    return refused(text);
  }
  return TimeLimit(std::chrono::milliseconds(std::max(1LL, std::llround(milliseconds))));
}

Result<TimeLimit> read_time_limit(const YamlNode& node, const std::string& what) {
  if (node.kind == YamlNode::Kind::kScalar) {
    Result<TimeLimit> limit = parse_time_limit(node.text);
    if (limit.is_ok()) return limit;
    return error_at(node, what + " " + limit.status().message());
  }
  return error_at(node, what + " must be a duration such as 600s, got " + describe(node));
}

std::string format_time_limit(const TimeLimit& limit) {
  if (!limit) return "none";
  const auto milliseconds = limit->count();
  if (milliseconds % 1000 == 0) return std::to_string(milliseconds / 1000) + "s";
  return std::to_string(milliseconds) + "ms";
}

}  // namespace graphnet::config
