// SPDX-License-Identifier: MIT
#include "config/map_keys.h"

#include <algorithm>

#include "base/text.h"
#include "config/yaml_reader.h"

namespace graphnet::config {

using base::Code;
using base::Status;

namespace {

// A file of nothing but mistakes must not fill the screen.
constexpr std::size_t kMaxShownProblems = 6;

/// Adds all that is wrong with the keys of one map.
void check_keys_of(const YamlNode& node, const std::string& path, const MapKeys& keys,
                   std::vector<Status>& problems) {
  const std::string where = path.empty() ? "" : " in " + path;
  for (const auto& entry : node.entries) {
    if (std::find(keys.known.begin(), keys.known.end(), entry.key) != keys.known.end()) continue;
    problems.push_back(
        error_at(*entry.source, entry.position,
                 "unknown key '" + entry.key + "'" + where + suggestion(entry.key, keys.known)));
    if (!keys.known.empty()) {
      problems.back().add_hint("known keys" + where + ": " + base::join(keys.known, ", "));
    }
  }
  std::vector<std::string> missing;
  for (const auto& key : keys.required) {
    const std::string full = path.empty() ? key : path + "." + key;
    if (node.find(key) == nullptr) missing.push_back("'" + full + "'");
  }
  if (missing.empty()) return;
  const char* const what = missing.size() == 1 ? "missing key " : "missing keys ";
  problems.push_back(error_at(node, what + base::join(missing, ", ")));
}

/// The first problems as one failure.
Status joined(const std::vector<Status>& problems) {
  Status all;
  const std::size_t num_shown = std::min(problems.size(), kMaxShownProblems);
  for (std::size_t i = 0; i < num_shown; ++i) all.add_failure(problems[i]);
  const std::size_t num_hidden = problems.size() - num_shown;
  if (num_hidden == 0) return all;
  return all.add_failure(
      Status(Code::kInput, "and " + base::counted(num_hidden, "more problem") + " of this kind"));
}

/// Calls `visit(node, path)` for every map at a path as in MapKeys::path, from `part` on.
template <typename Visit>
void visit_maps(const YamlNode& node, const std::vector<std::string>& parts, std::size_t part,
                const std::string& path, const Visit& visit) {
  if (part == parts.size()) {
    if (node.kind == YamlNode::Kind::kMap) visit(node, path);
    return;
  }
  const std::string prefix = path.empty() ? "" : path + ".";
  if (parts[part] == "[]") {
    for (const YamlNode& item : node.items) visit_maps(item, parts, part + 1, path, visit);
  } else if (parts[part] == "*") {
    for (const YamlEntry& entry : node.entries) {
      visit_maps(entry.value, parts, part + 1, prefix + entry.key, visit);
    }
  } else if (const YamlNode* child = node.find(parts[part])) {
    visit_maps(*child, parts, part + 1, prefix + parts[part], visit);
  }
}

}  // namespace

Status check_keys(const YamlNode& root, const std::vector<MapKeys>& maps,
                  const std::string& root_path) {
  std::vector<Status> problems;
  for (const MapKeys& keys : maps) {
    const auto parts = keys.path.empty() ? std::vector<std::string>() : base::split(keys.path, '.');
    visit_maps(root, parts, 0, root_path, [&](const YamlNode& node, const std::string& path) {
      check_keys_of(node, path, keys, problems);
    });
  }
  return joined(problems);
}

}  // namespace graphnet::config
