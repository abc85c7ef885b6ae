// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace graphnet::base {

/// JSON value that keeps the order of its keys, so that records read the same in every run.
using Json = nlohmann::ordered_json;

/// Parses one JSON document; `where` names it in the error.
///
/// errors   kInput with byte position for anything malformed; never throws
Result<Json> parse_json(std::string_view text, std::string_view where);

/// Serialises without throwing: invalid UTF-8 is replaced. No final newline.
///
/// indent   blanks a level; below 0: one line
std::string dump_json(const Json& value, int indent = -1);

/// The number; "nan", "inf" or "-inf", as Python spells them, for what JSON has no number for.
Json json_number(double value);

/// Null for nothing.
template <typename Value>
Json json_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

/// For people: a string as it is, anything else as dump_json().
std::string text_of(const Json& value);

}  // namespace graphnet::base
