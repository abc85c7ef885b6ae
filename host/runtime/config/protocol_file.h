// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "config/yaml_node.h"

namespace graphnet::config {

inline constexpr const char* kProtocolSchema = "graphnet/protocol/v1";

/// Key of method paired: the plugin's timed calls are launches of one captured graph.
inline constexpr const char* kReplayKey = "replay";

/// How the two sides are timed. The initial value is configs/protocols/standard.yaml, where every
/// key is explained; a unit test compares the two.
struct Protocol {
  std::string name = "standard";         ///< as chosen: a name, or the path of a file
  std::string method = "paired";         ///< "paired" or "upstream"
  int warmup = 3;                        ///< method upstream
  int trials = 5;                        ///< method upstream
  base::Json paired = default_paired();  ///< method paired, for measure::paired_settings()

  /// Every key of method paired.
  ///
  /// units    durations in nanoseconds with "_ns" added to the key, sizes in bytes with "_bytes"
  /// order    of the table in protocol_file.cc
  static base::Json default_paired();

  /// True if the plugin's call is captured once and replayed: on a CUDA device only, and only with
  /// plugins that say in their manifest that they are `graph_capturable`.
  bool replays() const;
};

/// Reads a protocol as a run config gives it: a name, or a map of `name` and keys that override the
/// file's. Without `name` the overrides are over standard.yaml.
///
/// A name without a slash is protocols/<name>.yaml in the first folder that has it; any other is a
/// file, relative to `base_folder`.
///
/// errors   kInput with position: no such protocol (nearest suggested), unknown key, wrong value
base::Result<Protocol> read_protocol(const YamlNode& node,
                                     const std::vector<std::filesystem::path>& config_folders,
                                     const std::filesystem::path& base_folder,
                                     std::map<std::string, std::string>& origins);

/// The protocol of that name with the file's values alone, for flags.
///
/// errors   kInput, as above
base::Result<Protocol> find_protocol(const std::string& name,
                                     const std::vector<std::filesystem::path>& config_folders);

/// Names of protocols/*.yaml in these folders; sorted, each once.
std::vector<std::string> list_protocols(const std::vector<std::filesystem::path>& config_folders);

/// Key and value of each setting of its method, as a file would have them ("time", "2s").
std::vector<std::pair<std::string, std::string>> protocol_settings(const Protocol& protocol);

}  // namespace graphnet::config
