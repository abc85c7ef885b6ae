// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace graphnet::config {

/// Text that nodes were parsed from, kept so that every later error can quote its line.
struct YamlSource {
  std::string name;     ///< path as the user gave it, or the flag ("--set")
  bool is_file = true;  ///< a flag has no line and column worth printing
  std::vector<std::string> lines;
};

/// Position in a source.
///
/// units    zero based; column in bytes
struct YamlPosition {
  int line = 0;
  int column = 0;
};

struct YamlEntry;

/// One parsed value with its position. A plain value type: copies share only the source.
///
/// order    items and entries as written
struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };

  Kind kind = Kind::kNull;
  bool is_quoted = false;  ///< scalars: written with quotes or as a block, hence text
  std::string text;        ///< scalars: after unquoting
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;
  YamlPosition position;
  std::shared_ptr<const YamlSource> source;

  /// Value of a key, or null if this is no map or has no such key.
  const YamlNode* find(std::string_view key) const;
  YamlNode* find(std::string_view key);
};

/// One key of a map with its value.
struct YamlEntry {
  std::string key;
  YamlPosition position;                     ///< of the key
  std::shared_ptr<const YamlSource> source;  ///< of the key: --set may add keys to a file's map
  YamlNode value;
};

/// "configs/x.yaml:7:3" (one based, column in characters), or the flag's name.
std::string location(const YamlSource& source, YamlPosition position);

/// Input error of the form "file:line:column: message", with the source line and a caret under the
/// position on two further lines.
base::Status error_at(const YamlSource& source, YamlPosition position, const std::string& message);
base::Status error_at(const YamlNode& node, const std::string& message);

}  // namespace graphnet::config
