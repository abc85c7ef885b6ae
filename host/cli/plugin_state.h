// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/command.h"
#include "config/plugin_registry.h"

namespace graphnet::cli {

/// The folders of --plugin-path.
std::vector<std::filesystem::path> plugin_folders(const Context& context);

/// The flags of this command line that decide which plugins are found and used, as its words.
std::vector<std::string> plugin_flags(const Context& context);

/// The plugins that this command line can name.
config::PluginRegistry installed_plugins(const Context& context);

/// Why a plugin cannot be used; ok if it can. Runs none of its code.
base::Status plugin_problem(const config::PluginEntry& entry);

/// "ok", "shadowed" (by an earlier folder), "disabled" (by GRAPHNET_PLUGINS_DISABLE) or "broken".
std::string plugin_state(const config::PluginEntry& entry);

/// Names of the plugins whose state is "ok", in the order of the registry.
std::vector<std::string> usable_plugins(const config::PluginRegistry& registry);

/// What `plugin list --json` says of one plugin.
base::Json plugin_json(const config::PluginRegistry& registry, const config::PluginEntry& entry);

}  // namespace graphnet::cli
