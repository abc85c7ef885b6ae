// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace graphnet::base {

namespace {
// A record nests four levels deep; deeper input is hostile and would exhaust the stack.
constexpr int kMaxDepth = 64;

/// What the parser says, without its own error number and with at most the start of a long token.
std::string reason_of(const Json::exception& error) {
  constexpr std::size_t kLongest = 240;
  std::string_view text = error.what();
  if (text.substr(0, 1) == "[") text.remove_prefix(std::min(text.find("] ") + 2, text.size()));
  if (text.size() <= kLongest) return std::string(text);
  std::size_t end = kLongest;
  const auto continues = [&] { return (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U; };
  while (end > 0 && continues()) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view where) {
  bool too_deep = false;
  const auto limit_depth = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  try {
    Json value = Json::parse(text.begin(), text.end(), limit_depth);
    if (!too_deep) return value;
    return Status(Code::kInput, "JSON nested deeper than 64 levels")
        .add_context(std::string(where));
  } catch (const Json::exception& error) {
    return Status(Code::kInput, "invalid JSON: " + reason_of(error))
        .add_context(std::string(where));
  }
}

std::string dump_json(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string text_of(const Json& value) {
  const auto* text = value.get_ptr<const Json::string_t*>();
  return text != nullptr ? *text : dump_json(value);
}

Json json_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

}  // namespace graphnet::base
