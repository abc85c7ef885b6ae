// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "config/yaml_node.h"

namespace graphnet::config {

/// The keys of one map of a document.
struct MapKeys {
  /// Where the map is: keys with dots between, "" for the root; "[]" stands for each item of a
  /// list, "*" for each key of a map.
  std::string path;
  std::vector<std::string> known;
  std::vector<std::string> required = {};  ///< of the known ones
};

/// Looks at the keys of all maps of a document at once. `root_path` is what messages put before the
/// paths. What is not there, or is no map, is left to who reads it.
///
/// errors   kInput: every unknown key at its position with the nearest known one, and what each map
///          lacks at the position of the map
base::Status check_keys(const YamlNode& root, const std::vector<MapKeys>& maps,
                        const std::string& root_path = "");

}  // namespace graphnet::config
