// SPDX-License-Identifier: MIT
#include "config/override.h"

#include <algorithm>

#include "config/yaml_reader.h"

namespace graphnet::config {

using base::Code;
using base::Status;

namespace {

constexpr const char* kFlag = "--set";

/// One part of the dotted key.
struct KeyPart {
  std::string name;
  YamlPosition position;
};

std::vector<KeyPart> split_key(const std::string& key) {
  std::vector<KeyPart> parts;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    parts.push_back({key.substr(begin, end - begin), {0, static_cast<int>(begin)}});
    begin = end + 1;
  }
  return parts;
}

/// Value of `part` in `map`, added as an empty map if missing; its position becomes the flag's.
YamlNode& enter(YamlNode& map, const KeyPart& part, const YamlNode& value) {
  for (auto& entry : map.entries) {
    if (entry.key == part.name) return entry.value;
  }
  YamlNode child;
  child.kind = YamlNode::Kind::kMap;
  child.source = value.source;
  child.position = part.position;
  map.entries.push_back({part.name, part.position, value.source, std::move(child)});
  return map.entries.back().value;
}

}  // namespace

Status apply_override(YamlNode& root, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::vector<KeyPart> parts = split_key(text.substr(0, equals));
  const bool has_bad_part = std::any_of(parts.begin(), parts.end(), [](const auto& part) {
    return part.name.empty() || part.name.size() > kMaxYamlKeyBytes;
  });
  if (equals == std::string::npos || has_bad_part ||
      parts.size() > static_cast<std::size_t>(kMaxYamlDepth)) {
    constexpr std::size_t kMaxShown = 60;
    const std::string shown = text.size() > kMaxShown ? text.substr(0, kMaxShown) + "..." : text;
    return Status(Code::kUsage, "--set needs KEY=VALUE, got '" + shown + "'")
        .add_hint("for example --set protocol.time=5s or --set backend.options.level=3");
  }
  GN_ASSIGN_OR_RETURN(YamlNode value, parse_flag_value(kFlag, text, equals + 1));
  YamlNode* node = &root;
  for (const auto& part : parts) {
    if (node->kind != YamlNode::Kind::kMap) {
      return error_at(*value.source, part.position,
                      "'" + part.name + "' cannot be set: the config has " + describe(*node) +
                          " where a map is needed");
    }
    node = &enter(*node, part, value);
  }
  *node = std::move(value);
  return Status::ok();
}

}  // namespace graphnet::config
