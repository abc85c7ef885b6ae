// SPDX-License-Identifier: MIT
#include "base/json.h"

namespace graphnet::base {

namespace {
// A record nests four levels deep; deeper input is hostile and would exhaust the stack.
constexpr int kMaxDepth = 64;
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
    return Status(Code::kInput, std::string("invalid JSON: ") + error.what())
        .add_context(std::string(where));
  }
}

std::string dump_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace graphnet::base
