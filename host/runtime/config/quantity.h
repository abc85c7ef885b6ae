// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "config/yaml_node.h"

namespace graphnet::config {

/// Parses "2T", "500G", "1.5e12" or "none" (0).
///
/// units    floating-point operations; K, M, G, T, P are powers of 1000
/// errors   kUsage with the accepted forms; zero is refused
base::Result<double> parse_flop(std::string_view text);

/// The same for a config value.
///
/// errors   kInput at the value's position
base::Result<double> read_flop(const YamlNode& node, const std::string& what);

/// Inverse: "2T", "none".
std::string format_flop_limit(double flop);

}  // namespace graphnet::config
