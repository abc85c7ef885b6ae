// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/yaml_node.h"

namespace graphnet::config {

/// Parses "16GiB", "512MiB", "20GB" or "none" (0).
///
/// units    bytes; KiB, MiB, GiB, TiB are powers of 1024, KB, MB, GB, TB of 1000
/// errors   kUsage with the accepted forms; zero and amounts of 2^62 bytes or more are refused
base::Result<std::int64_t> parse_bytes(std::string_view text);

/// Parses "2T", "500G", "1.5e12" or "none" (0).
///
/// units    floating-point operations; K, M, G, T, P are powers of 1000
/// errors   kUsage with the accepted forms; zero is refused
base::Result<double> parse_flop(std::string_view text);

/// The same for config values.
///
/// errors   kInput at the value's place
base::Result<std::int64_t> read_bytes(const YamlNode& node, const std::string& what);
base::Result<double> read_flop(const YamlNode& node, const std::string& what);

/// Inverses: "16GiB", "1000000B", "none"; "2T", "none".
std::string format_byte_limit(std::int64_t bytes);
std::string format_flop_limit(double flop);

}  // namespace graphnet::config
