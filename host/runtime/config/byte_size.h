// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/yaml_node.h"

namespace graphnet::config {

/// Bound on the memory of a worker.
struct MemoryLimit {
  enum class Kind { kAuto, kNone, kBytes };
  Kind kind = Kind::kAuto;
  std::uint64_t num_bytes = 0;  ///< kBytes only

  bool operator==(const MemoryLimit& other) const {
    return kind == other.kind && num_bytes == other.num_bytes;
  }
};

/// Less than libtorch needs to start; a limit below is a slip of the unit.
inline constexpr std::uint64_t kMinMemoryBytes = std::uint64_t{256} << 20U;

/// Parses "auto", "none", "512MiB", "4GiB", "1.5TiB" (powers of 1024; a unit is required).
///
/// errors   kUsage with the accepted forms, also below kMinMemoryBytes
base::Result<MemoryLimit> parse_memory_limit(std::string_view text);

/// The same for a config value.
///
/// errors   kInput at the value's position
base::Result<MemoryLimit> read_memory_limit(const YamlNode& node, const std::string& what);

/// Inverse of parse_memory_limit: "auto", "none", "4GiB", "512MiB".
std::string format_memory_limit(const MemoryLimit& limit);

/// Parses "auto" (0) or the size of a buffer, "64MiB", "1GiB", up to 64 GiB.
///
/// units    bytes
/// errors   kInput at the value's position
base::Result<std::uint64_t> read_buffer_size(const YamlNode& node, const std::string& what);

/// Inverse: "auto", "64MiB"; sizes that are no whole number of MiB are rounded down.
std::string format_buffer_size(std::uint64_t num_bytes);

}  // namespace graphnet::config
