// SPDX-License-Identifier: MIT
#include "cli/plugin_command.h"

#include <algorithm>
#include <array>
#include <iostream>

#include "base/text.h"
#include "cli/exit_code.h"
#include "config/elf_header.h"
#include "config/plugin_registry.h"
#include "report/terminal_text.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;
using config::PluginEntry;

namespace {

using Row = std::array<std::string, 7>;
constexpr std::array<const char*, 7> kHeadings = {"name",    "version",  "abi", "state",
                                                  "devices", "found by", "file"};

/// Why a plugin cannot be used; ok if it can.
Status problem_of(const PluginEntry& entry) {
  return entry.manifest ? config::check_shared_library(entry.manifest->library) : entry.problem;
}

std::string state_of(const PluginEntry& entry) {
  if (!problem_of(entry).is_ok()) return "broken";
  return entry.state == PluginEntry::State::kShadowed ? "shadowed" : "ok";
}

Row row_of(const config::PluginRegistry& registry, const PluginEntry& entry) {
  Row row = {entry.name,         "-", "-", state_of(entry), "-", registry.tiers()[entry.tier].label,
             entry.file.string()};
  if (entry.manifest) {
    row[1] = entry.manifest->version;
    row[2] =
        std::to_string(entry.manifest->abi_major) + "." + std::to_string(entry.manifest->abi_minor);
    row[4] = base::join(entry.manifest->devices, ",");
  }
  return row;
}

std::string table_text(std::vector<Row> rows) {
  Row headings;
  std::copy(kHeadings.begin(), kHeadings.end(), headings.begin());
  rows.insert(rows.begin(), std::move(headings));
  std::array<int, 7> widths = {};
  for (Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = report::printable(row[i]);
      widths[i] = std::max(widths[i], report::display_width(row[i]));
    }
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      text += report::pad_right(row[i], widths[i]) + "  ";
    }
    text += row.back() + "\n";
  }
  return text;
}

Json entry_json(const config::PluginRegistry& registry, const PluginEntry& entry) {
  Json object = Json::object();
  object["name"] = entry.name;
  object["state"] = state_of(entry);
  object["found_by"] = registry.tiers()[entry.tier].label;
  object["manifest"] = entry.file.string();
  if (entry.manifest) {
    object["version"] = entry.manifest->version;
    object["abi"] = {{"major", entry.manifest->abi_major}, {"minor", entry.manifest->abi_minor}};
    object["devices"] = entry.manifest->devices;
    object["weights"] = entry.manifest->weights;
    object["library"] = entry.manifest->library.string();
  }
  const Status problem = problem_of(entry);
  if (!problem.is_ok()) object["problem"] = problem.message();
  return object;
}

void print_json(const config::PluginRegistry& registry) {
  Json plugins = Json::array();
  for (const auto& entry : registry.entries()) plugins.push_back(entry_json(registry, entry));
  Json object = Json::object();
  object["schema"] = "graphnet.plugins/1";
  object["plugins"] = std::move(plugins);
  std::cout << base::dump_json(object) << '\n';
}

void print_table(const Context& context, const config::PluginRegistry& registry) {
  std::vector<Row> rows;
  for (const auto& entry : registry.entries()) rows.push_back(row_of(registry, entry));
  if (rows.empty()) {
    std::cout << "no plugins are installed\n";
  } else {
    std::cout << table_text(std::move(rows));
  }
  for (const auto& entry : registry.entries()) {
    const Status problem = problem_of(entry);
    if (!problem.is_ok()) {
      std::cerr << report::printable(entry.name + ": " + problem.message()) << '\n';
    }
  }
  if (context.flags.verbosity == 0) return;
  for (const auto& tier : registry.tiers()) {
    std::cerr << report::printable("searched " + tier.folder.string() + " (" + tier.label + ")")
              << '\n';
  }
}

Result<int> execute(const Context& context, const std::vector<std::string>& arguments) {
  if (arguments.size() != 1 || arguments[0] != "list") {
    return Status(Code::kUsage, arguments.empty()
                                    ? "plugin needs an action"
                                    : "unknown action '" + base::join(arguments, " ") + "'")
        .add_hint("graphnet plugin list");
  }
  const std::vector<fs::path> folders(context.flags.plugin_path.begin(),
                                      context.flags.plugin_path.end());
  const auto registry =
      config::PluginRegistry::scan(config::plugin_tiers(context.installation, folders, {}));
  if (context.flags.json) {
    print_json(registry);
  } else {
    print_table(context, registry);
  }
  return kExitDone;
}

}  // namespace

Command plugin_command(std::vector<std::string>& arguments) {
  Command command;
  command.name = "plugin";
  command.summary = "list the installed plugins";
  command.description =
      "list: name, version, ABI, state (ok, shadowed by an earlier folder, broken), devices, "
      "file.\n"
      "A broken plugin is a row with its reason below the table; -v adds the folders searched.";
  command.usage = "plugin list [options]";
  command.positionals = {"ACTION", "list", &arguments};
  command.examples = {{"graphnet plugin list", "what `backend: {name: ...}` can name"}};
  command.execute = [&arguments](const Context& context) { return execute(context, arguments); };
  return command;
}

}  // namespace graphnet::cli
