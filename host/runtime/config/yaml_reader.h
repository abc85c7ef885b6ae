// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/yaml_node.h"

namespace graphnet::config {

/// Limits on what is parsed at all: a config is a page of text, anything beyond is a mistake or an
/// attack. yaml-cpp recurses per level, so depth is refused before its stack matters.
inline constexpr std::uint64_t kMaxYamlBytes = 1U << 20U;
inline constexpr int kMaxYamlDepth = 32;
/// Keys are quoted in messages, several of them when maps nest.
inline constexpr std::size_t kMaxYamlKeyBytes = 64;

/// Parses one document. Refused, each with its position: duplicate keys, keys that are no plain
/// text or longer than kMaxYamlKeyBytes, anchors, aliases, tags, a second document, nesting beyond
/// kMaxYamlDepth.
///
/// errors   kInput for all of these, for bad syntax, for more than kMaxYamlBytes, and for bytes
///          that are not UTF-8 text (a UTF-8 byte order mark is skipped); no exception escapes
base::Result<YamlNode> parse_yaml(std::string_view text, const std::string& name);

/// Parses the value half of a flag such as --set KEY=VALUE: one line, errors quote the whole flag.
///
/// units    value_column is the byte offset of the value in flag_text
base::Result<YamlNode> parse_flag_value(const std::string& flag, const std::string& flag_text,
                                        std::size_t value_column);

/// Reads and parses a file; errors name it as `path` is spelled.
base::Result<YamlNode> read_yaml(const std::filesystem::path& path);

/// A map.
class MapReader {
 public:
  /// `path` is the dotted path of the map ("" for the root), used in messages. With `known_keys` no
  /// other key may be there; without, check_keys() has done that.
  ///
  /// errors   kInput if the node is no map; all keys that are not known, as check_keys()
  static base::Result<MapReader> open(const YamlNode& node, std::string path);
  static base::Result<MapReader> open(const YamlNode& node, std::string path,
                                      const std::vector<std::string>& known_keys);

  /// The value, or null if the key is not given. The node must outlive the result.
  const YamlNode* find(std::string_view key) const { return node_->find(key); }
  /// errors   kInput, placed at the map, if the key is not given
  base::Result<const YamlNode*> require(const std::string& key) const;
  /// "backend.name" for key "name" of map "backend".
  std::string path_of(std::string_view key) const;
  const std::string& path() const { return path_; }

 private:
  MapReader(const YamlNode& node, std::string path) : node_(&node), path_(std::move(path)) {}
  const YamlNode* node_;
  std::string path_;
};

/// Scalars as types. `what` is the dotted key for the message. All fail with kInput, at the value's
/// position, naming what was expected and what was found.
base::Result<std::string> read_text(const YamlNode& node, const std::string& what);
/// Unquoted decimal digits only; range limits are inclusive.
base::Result<std::int64_t> read_integer(
    const YamlNode& node, const std::string& what,
    std::int64_t min = std::numeric_limits<std::int64_t>::min(),
    std::int64_t max = std::numeric_limits<std::int64_t>::max());
/// Finite; range limits are inclusive.
base::Result<double> read_number(const YamlNode& node, const std::string& what,
                                 double min = std::numeric_limits<double>::lowest(),
                                 double max = std::numeric_limits<double>::max());
/// Exactly `true` or `false`.
base::Result<bool> read_boolean(const YamlNode& node, const std::string& what);
/// One of the choices; the nearest is suggested.
base::Result<std::string> read_choice(const YamlNode& node, const std::string& what,
                                      const std::vector<std::string>& choices);
base::Result<std::vector<std::string>> read_text_list(const YamlNode& node,
                                                      const std::string& what);

/// errors   kInput unless node is a sequence
base::Status expect_sequence(const YamlNode& node, const std::string& what);

/// What the user wrote, short enough for a message: "'4GB'", "a list", "nothing".
std::string describe(const YamlNode& node);

/// "; did you mean 'x'?" or, when nothing is near, the empty string.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace graphnet::config
