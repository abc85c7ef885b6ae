// SPDX-License-Identifier: MIT
#include "config/byte_size.h"

#include <charconv>

#include "config/yaml_reader.h"

namespace graphnet::config {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr double kMaxBytes = 1e15;

/// Bytes of one unit, or 0 for an unknown one.
double unit_bytes(std::string_view unit) {
  if (unit == "MiB") return 1024.0 * 1024;
  if (unit == "GiB") return 1024.0 * 1024 * 1024;
  if (unit == "TiB") return 1024.0 * 1024 * 1024 * 1024;
  return 0;
}

}  // namespace

Result<MemoryLimit> parse_memory_limit(std::string_view text) {
  if (text == "auto") return MemoryLimit();
  if (text == "none") return MemoryLimit{MemoryLimit::Kind::kNone, 0};
  double amount = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  const double bytes =
      amount * unit_bytes(text.substr(static_cast<std::size_t>(rest - text.data())));
  if (error != std::errc() || !(bytes >= static_cast<double>(kMinMemoryBytes)) ||
      bytes > kMaxBytes) {
    return Status(Code::kUsage, "must be auto, none or a size from 256MiB such as 4GiB, got '" +
                                    std::string(text.substr(0, 60)) + "'");
  }
  return MemoryLimit{MemoryLimit::Kind::kBytes, static_cast<std::uint64_t>(bytes)};
}

Result<MemoryLimit> read_memory_limit(const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::kScalar) {
    return error_at(node, what + " must be a size such as 4GiB, got " + describe(node));
  }
  Result<MemoryLimit> limit = parse_memory_limit(node.text);
  if (limit.is_ok()) return limit;
  return error_at(node, what + " " + limit.status().message());
}

Result<std::uint64_t> read_buffer_size(const YamlNode& node, const std::string& what) {
  constexpr double kMaxBuffer = 64.0 * 1024 * 1024 * 1024;
  const std::string_view text = node.text;
  if (node.kind == YamlNode::Kind::kScalar && text == "auto") return std::uint64_t{0};
  double amount = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  const double bytes =
      amount * unit_bytes(text.substr(static_cast<std::size_t>(rest - text.data())));
  if (node.kind != YamlNode::Kind::kScalar || error != std::errc() || !(bytes >= 1) ||
      bytes > kMaxBuffer) {
    return error_at(node, what + " must be auto or a size such as 64MiB, got " + describe(node));
  }
  return static_cast<std::uint64_t>(bytes);
}

std::string format_buffer_size(std::uint64_t num_bytes) {
  return num_bytes == 0 ? "auto" : std::to_string(num_bytes >> 20U) + "MiB";
}

std::string format_memory_limit(const MemoryLimit& limit) {
  if (limit.kind == MemoryLimit::Kind::kAuto) return "auto";
  if (limit.kind == MemoryLimit::Kind::kNone) return "none";
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;
  const std::uint64_t mebibytes = limit.num_bytes / kMebibyte;
  return mebibytes % 1024 == 0 ? std::to_string(mebibytes / 1024) + "GiB"
                               : std::to_string(mebibytes) + "MiB";
}

}  // namespace graphnet::config
