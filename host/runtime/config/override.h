// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/status.h"
#include "config/yaml_node.h"

namespace graphnet::config {

/// Applies one --set KEY=VALUE to a parsed config: KEY is dotted ("backend.options.level"), VALUE
/// is YAML on one line. Maps on the way are created; a later override wins. Whether the key is
/// known is decided by whoever reads the tree, and the error then names --set.
///
/// errors   kUsage without '=' or with an empty or overlong part of KEY; kInput for a VALUE that is
///          no YAML, or for a KEY that leads through a value that is no map
base::Status apply_override(YamlNode& root, const std::string& text);

}  // namespace graphnet::config
