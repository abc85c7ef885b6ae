// SPDX-License-Identifier: MIT
#include "cli/plugin_command.h"

#include <algorithm>
#include <array>
#include <iostream>

#include "base/text.h"
#include "cli/exit_code.h"
#include "config/plugin_registry.h"
#include "config/preflight.h"
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
const Row kHeadings = {"name", "version", "abi", "state", "devices", "found by", "file"};

/// A plugin that was found, looked at without running its code.
struct Found {
  const PluginEntry& entry;
  std::string tier;
  Status problem;  ///< why it cannot be used; ok if it can

  const char* state() const {
    if (!problem.is_ok()) return "broken";
    return entry.state == PluginEntry::State::kShadowed ? "shadowed" : "ok";
  }
};

Found look_at(const Context& context, const config::PluginRegistry& registry,
              const PluginEntry& entry) {
  Found found = {entry, registry.tiers()[entry.tier].label, entry.problem};
  if (!found.problem.is_ok() || !entry.manifest) return found;
  const Result<fs::path> worker = context.installation.worker_executable();
  found.problem = config::preflight(*entry.manifest, worker.is_ok() ? *worker : fs::path());
  return found;
}

Row row_of(const Found& found) {
  const PluginEntry& entry = found.entry;
  Row row = {entry.name, "-", "-", found.state(), "-", found.tier, entry.file.string()};
  if (entry.manifest) {
    row[1] = entry.manifest->version;
    row[2] =
        std::to_string(entry.manifest->abi_major) + "." + std::to_string(entry.manifest->abi_minor);
    row[4] = base::join(entry.manifest->devices, ",");
  }
  return row;
}

std::string table_text(std::vector<Row> rows) {
  rows.insert(rows.begin(), kHeadings);
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

Json entry_json(const Found& found) {
  const PluginEntry& entry = found.entry;
  Json object = Json::object();
  object["name"] = entry.name;
  object["state"] = found.state();
  object["found_by"] = found.tier;
  object["manifest"] = entry.file.string();
  if (entry.manifest) {
    object["version"] = entry.manifest->version;
    object["abi"] = {{"major", entry.manifest->abi_major}, {"minor", entry.manifest->abi_minor}};
    object["devices"] = entry.manifest->devices;
    object["weights"] = entry.manifest->weights;
    object["library"] = entry.manifest->library.string();
  }
  if (!found.problem.is_ok()) {
    object["problem"] = found.problem.message();
    object["hints"] = found.problem.hints();
  }
  return object;
}

void print_json(const std::vector<Found>& plugins) {
  Json rows = Json::array();
  for (const Found& found : plugins) rows.push_back(entry_json(found));
  Json object = Json::object();
  object["schema"] = "graphnet.plugins/1";
  object["plugins"] = std::move(rows);
  std::cout << base::dump_json(object) << '\n';
}

void print_problem(const Found& found) {
  if (found.problem.is_ok()) return;
  std::cerr << report::printable(found.entry.name + ": " + found.problem.message()) << '\n';
  for (const std::string& hint : found.problem.hints()) {
    std::cerr << "  try: " << report::printable(hint) << '\n';
  }
}

void print_table(const Context& context, const config::PluginRegistry& registry,
                 const std::vector<Found>& plugins) {
  std::vector<Row> rows;
  for (const Found& found : plugins) rows.push_back(row_of(found));
  if (rows.empty()) {
    std::cout << "no plugins are installed\n";
  } else {
    std::cout << table_text(std::move(rows)) << std::flush;
  }
  for (const Found& found : plugins) print_problem(found);
  if (context.flags.verbosity == 0) return;
  for (const auto& tier : registry.tiers()) {
    std::cerr << report::printable("searched " + tier.folder.string() + " (" + tier.label + ")")
              << '\n';
  }
}

/// What an option accepts: "fp32 | fp16", "integer >= 64".
std::string accepted(const config::OptionSpec& spec) {
  if (spec.type == config::OptionSpec::Type::kChoice) return base::join(spec.choices, " | ");
  std::string text = config::option_type_name(spec.type);
  if (!spec.min.is_null()) text += " >= " + base::dump_json(spec.min);
  if (!spec.max.is_null()) text += " <= " + base::dump_json(spec.max);
  return text;
}

Json info_json(const Found& found) {
  Json object = entry_json(found);
  if (!found.entry.manifest) return object;
  const config::Manifest& manifest = *found.entry.manifest;
  object["vendor"] = manifest.vendor;
  object["license"] = manifest.license;
  object["capabilities"] = manifest.capabilities;
  object["options"] = Json::array();
  for (const auto& option : manifest.options) {
    object["options"].push_back({{"name", option.name},
                                 {"accepts", accepted(option)},
                                 {"default", option.default_value},
                                 {"help", option.help}});
  }
  object["needs"] = Json::array();
  for (const auto& need : manifest.needs) {
    object["needs"].push_back({{"soname", need.soname}, {"hint", need.hint}});
  }
  return object;
}

void print_info(const Found& found) {
  const auto line = [](const std::string& key, const std::string& value) {
    if (value.empty()) return;
    std::cout << report::pad_right(key, 14) << report::printable(value) << '\n';
  };
  line("name", found.entry.name);
  line("state", found.state());
  line("found by", found.tier);
  line("manifest", found.entry.file.string());
  if (found.entry.manifest) {
    const config::Manifest& manifest = *found.entry.manifest;
    line("library", manifest.library.string());
    line("version", manifest.version);
    line("abi", std::to_string(manifest.abi_major) + "." + std::to_string(manifest.abi_minor));
    line("vendor", manifest.vendor);
    line("license", manifest.license);
    line("devices", base::join(manifest.devices, ", "));
    line("weights", base::join(manifest.weights, ", "));
    line("capabilities", base::join(manifest.capabilities, ", "));
    for (const auto& need : manifest.needs) line("needs", need.soname + ": " + need.hint);
    for (const auto& option : manifest.options) {
      line("option", option.name + ": " + accepted(option) + ", default " +
                         base::dump_json(option.default_value) + "; " + option.help);
    }
  }
  std::cout << std::flush;
  print_problem(found);
}

Result<int> info(const Context& context, const config::PluginRegistry& registry,
                 const std::string& name) {
  for (const auto& entry : registry.entries()) {
    if (entry.name != name) continue;
    const Found found = look_at(context, registry, entry);
    if (context.flags.json) {
      std::cout << base::dump_json(info_json(found)) << '\n';
    } else {
      print_info(found);
    }
    return kExitDone;
  }
  return registry.find(name).status();
}

Result<int> execute(const Context& context, const std::vector<std::string>& arguments) {
  const bool is_list = arguments.size() == 1 && arguments[0] == "list";
  const bool is_info = arguments.size() == 2 && arguments[0] == "info";
  if (!is_list && !is_info) {
    return Status(Code::kUsage, arguments.empty()
                                    ? "plugin needs an action"
                                    : "unknown action '" + base::join(arguments, " ") + "'")
        .add_hint("graphnet plugin list")
        .add_hint("graphnet plugin info NAME");
  }
  const std::vector<fs::path> folders(context.flags.plugin_path.begin(),
                                      context.flags.plugin_path.end());
  const auto registry =
      config::PluginRegistry::scan(config::plugin_tiers(context.installation, folders, {}));
  if (is_info) return info(context, registry, arguments[1]);
  std::vector<Found> plugins;
  for (const auto& entry : registry.entries()) {
    plugins.push_back(look_at(context, registry, entry));
  }
  if (context.flags.json) {
    print_json(plugins);
  } else {
    print_table(context, registry, plugins);
  }
  return kExitDone;
}

}  // namespace

Command plugin_command(std::vector<std::string>& arguments) {
  Command command;
  command.name = "plugin";
  command.summary = "list the installed plugins, or describe one";
  command.description =
      "list: name, version, ABI, state (ok, shadowed by an earlier folder, broken), devices, "
      "file.\n"
      "A broken plugin is a row with its reason below the table; -v adds the folders searched.\n"
      "info NAME: all of that for one plugin, with its options and what it needs.\n"
      "Neither runs any code of a plugin.";
  command.usage = "plugin list | info NAME [options]";
  command.positionals = {"ACTION", "list, or info and a plugin's name", &arguments};
  command.examples = {{"graphnet plugin list", "what `backend: {name: ...}` can name"},
                      {"graphnet plugin info nope", "its version, files and options"}};
  command.execute = [&arguments](const Context& context) { return execute(context, arguments); };
  return command;
}

}  // namespace graphnet::cli
