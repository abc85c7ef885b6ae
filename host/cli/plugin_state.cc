// SPDX-License-Identifier: MIT
#include "cli/plugin_state.h"

namespace graphnet::cli {

using base::Json;
using base::Status;
using config::PluginEntry;

std::vector<std::filesystem::path> plugin_folders(const Context& context) {
  return {context.flags.plugin_path.begin(), context.flags.plugin_path.end()};
}

config::PluginRegistry installed_plugins(const Context& context) {
  auto registry = config::PluginRegistry::scan(
      config::plugin_tiers(context.installation, plugin_folders(context), {}),
      context.installation.plugins_disable);
  registry.check_libraries(context.installation);
  return registry;
}

std::vector<std::string> plugin_flags(const Context& context) {
  std::vector<std::string> words;
  for (const auto& folder : context.flags.plugin_path) {
    words.insert(words.end(), {"--plugin-path", folder});
  }
  for (const auto& file : context.flags.trust_file) {
    words.insert(words.end(), {"--trust-file", file});
  }
  return words;
}

Status plugin_problem(const PluginEntry& entry) {
  return entry.problem;
}

std::string plugin_state(const PluginEntry& entry) {
  if (entry.state == PluginEntry::State::kDisabled) return "disabled";
  if (!plugin_problem(entry).is_ok()) return "broken";
  return entry.state == PluginEntry::State::kShadowed ? "shadowed" : "ok";
}

std::vector<std::string> usable_plugins(const config::PluginRegistry& registry) {
  std::vector<std::string> names;
  for (const auto& entry : registry.entries()) {
    if (plugin_state(entry) == "ok") names.push_back(entry.name);
  }
  return names;
}

Json plugin_json(const config::PluginRegistry& registry, const PluginEntry& entry) {
  Json object = Json::object();
  object["name"] = entry.name;
  object["state"] = plugin_state(entry);
  object["found_by"] = registry.tiers()[entry.tier].label;
  object["manifest"] = entry.file.string();
  if (entry.manifest) {
    object["version"] = entry.manifest->version;
    object["abi"] = {{"major", entry.manifest->abi_major}, {"minor", entry.manifest->abi_minor}};
    object["devices"] = entry.manifest->devices;
    object["weights"] = entry.manifest->weights;
    object["library"] = entry.manifest->library.string();
  }
  const Status problem = plugin_problem(entry);
  if (!problem.is_ok()) object["problem"] = problem.message();
  return object;
}

}  // namespace graphnet::cli
