// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/yaml_node.h"

namespace graphnet::config {

/// A time limit; nothing means "no limit".
using TimeLimit = std::optional<std::chrono::milliseconds>;

/// Parses "500ms", "600s", "10m", "2h" or "none". A number without unit is refused, unless
/// `default_unit` names the unit it then has; fractions are allowed ("1.5s"); zero is refused
/// because it reads as "no limit" to some and as "at once" to others.
///
/// units    result in milliseconds, at least 1, at most 30 days
/// errors   kUsage with the accepted forms
base::Result<TimeLimit> parse_time_limit(std::string_view text, std::string_view default_unit = "");

/// The same for a config value.
///
/// errors   kInput at the value's position
base::Result<TimeLimit> read_time_limit(const YamlNode& node, const std::string& what);

/// Inverse of parse_time_limit: "600s", "1500ms", "none".
std::string format_time_limit(const TimeLimit& limit);

}  // namespace graphnet::config
