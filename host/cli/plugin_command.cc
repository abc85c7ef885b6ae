// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/diagnostics.h"
#include "cli/exit_code.h"
#include "cli/plugin_check.h"
#include "cli/plugin_state.h"
#include "cli/plugin_template.h"
#include "report/terminal_text.h"
#include "report/text_table.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;
using config::PluginEntry;

namespace {

report::Cells row_of(const config::PluginRegistry& registry, const PluginEntry& entry) {
  report::Cells row = {entry.name,          "-", "-",
                       plugin_state(entry), "-", registry.tiers()[entry.tier].label,
                       entry.file.string()};
  if (entry.manifest) {
    row[1] = entry.manifest->version;
    row[2] =
        std::to_string(entry.manifest->abi_major) + "." + std::to_string(entry.manifest->abi_minor);
    row[4] = base::join(entry.manifest->devices, ",");
  }
  for (std::string& cell : row) cell = report::printable(cell);
  return row;
}

void print_json(const config::PluginRegistry& registry) {
  Json plugins = Json::array();
  for (const auto& entry : registry.entries()) plugins.push_back(plugin_json(registry, entry));
  Json object = Json::object();
  object["schema"] = "graphnet.plugins/1";
  object["plugins"] = std::move(plugins);
  std::cout << base::dump_json(object) << '\n';
}

void print_table(const config::PluginRegistry& registry, bool says_why) {
  std::vector<report::Cells> rows = {
      {"name", "version", "abi", "state", "devices", "found by", "file"}};
  for (const auto& entry : registry.entries()) rows.push_back(row_of(registry, entry));
  if (rows.size() == 1) {
    std::cout << "no plugins are installed\n";
  } else {
    std::cout << report::text_table(rows, "", rows.front().size());
  }
  for (const auto& entry : registry.entries()) {
    const Status problem = plugin_problem(entry);
    if (!problem.is_ok()) {
      std::vector<std::string> lines = base::split(problem.message(), '\n');
      lines[0] = entry.name + ": " + lines[0];
      for (std::size_t i = 0; i < lines.size(); ++i) {
        std::cerr << (i == 0 ? "" : "  ") << report::printable(lines[i]) << '\n';
      }
      for (const std::string& hint : problem.hints()) {
        std::cerr << "  try: " << report::printable(as_typed(hint)) << '\n';
      }
    }
  }
  if (!says_why) return;
  for (const auto& tier : registry.tiers()) {
    std::cerr << report::printable("searched " + tier.folder.string() + " (" + tier.label + ")")
              << '\n';
  }
}

/// "integer from 0 to 3", "one of fast, exact".
std::string type_text(const config::OptionSpec& spec) {
  if (spec.type == config::OptionSpec::Type::kChoice) {
    return "one of " + base::join(spec.choices, ", ");
  }
  std::string text = config::option_type_name(spec.type);
  if (!spec.min.is_null()) text += " from " + base::text_of(spec.min);
  if (!spec.max.is_null()) text += " to " + base::text_of(spec.max);
  return text;
}

Json info_json(const config::PluginRegistry& registry, const PluginEntry& entry) {
  Json object = plugin_json(registry, entry);
  object["schema"] = "graphnet.plugin/1";
  if (!entry.manifest) return object;
  object["vendor"] = entry.manifest->vendor;
  object["license"] = entry.manifest->license;
  object["capabilities"] = entry.manifest->capabilities;
  object["calls_libtorch"] = entry.manifest->calls_libtorch;
  object["needs"] = Json::array();
  for (const auto& needed : entry.manifest->needs) object["needs"].push_back(needed.soname);
  object["options"] = Json::array();
  for (const auto& spec : entry.manifest->options) {
    Json option = {{"name", spec.name},
                   {"type", config::option_type_name(spec.type)},
                   {"default", spec.default_value},
                   {"help", spec.help}};
    if (!spec.choices.empty()) option["choices"] = spec.choices;
    if (!spec.min.is_null()) option["min"] = spec.min;
    if (!spec.max.is_null()) option["max"] = spec.max;
    object["options"].push_back(std::move(option));
  }
  return object;
}

std::string info_row(const std::string& key, const std::string& value) {
  if (value.empty()) return "";
  return "  " + report::pad_right(key, 14) + report::printable(value) + "\n";
}

/// A message of several lines quotes the manifest.
std::string problem_rows(const std::string& message) {
  std::string text;
  if (message.empty()) return text;
  for (const std::string& line : base::split(message, '\n')) {
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    text += "  " + report::pad_right(text.empty() ? "problem" : "", 14) + line.substr(0, blanks) +
            report::printable(line.substr(blanks)) + "\n";
  }
  return text;
}

std::string info_text(const config::PluginRegistry& registry, const PluginEntry& entry) {
  const Status problem = plugin_problem(entry);
  std::string text = report::printable(entry.name) + "\n" + info_row("state", plugin_state(entry)) +
                     problem_rows(problem.message()) +
                     info_row("found by", registry.tiers()[entry.tier].label) +
                     info_row("manifest", entry.file.string());
  if (!entry.manifest) return text;
  const config::Manifest& manifest = *entry.manifest;
  text += info_row("version", manifest.version) + info_row("vendor", manifest.vendor) +
          info_row("license", manifest.license) + info_row("library", manifest.library.string()) +
          info_row("abi",
                   std::to_string(manifest.abi_major) + "." + std::to_string(manifest.abi_minor)) +
          info_row("devices", base::join(manifest.devices, ", ")) +
          info_row("weights", base::join(manifest.weights, ", ")) +
          info_row("capabilities", base::join(manifest.capabilities, ", "));
  if (!manifest.calls_libtorch.empty()) {
    text += info_row("calls libtorch", base::join(manifest.calls_libtorch, ", "));
  }
  for (const auto& needed : manifest.needs) text += info_row("needs", needed.soname);
  text += manifest.options.empty() ? info_row("options", "none")
                                   : "\noptions, as backend.options.<name> of a run config:\n";
  for (const auto& spec : manifest.options) {
    text += "  " +
            report::printable(spec.name + ": " + type_text(spec) +
                              " (default: " + base::text_of(spec.default_value) + ")") +
            "\n      " + report::printable(spec.help) + "\n";
  }
  return text;
}

Result<int> list_plugins(const Context& context, bool says_why) {
  const auto registry = installed_plugins(context);
  if (context.flags.json) {
    print_json(registry);
  } else {
    print_table(registry, says_why || context.flags.verbosity > 0);
  }
  return kExitDone;
}

/// `shown` is a plugin's name, or what tables call it with its options: "acme+fast".
Result<int> show_plugin(const Context& context, const std::string& shown) {
  const std::string name = shown.substr(0, shown.find('+'));
  const auto registry = installed_plugins(context);
  for (const auto& entry : registry.entries()) {
    if (entry.name != name) continue;
    std::cout << (context.flags.json ? base::dump_json(info_json(registry, entry)) + "\n"
                                     : info_text(registry, entry));
    return plugin_problem(entry).is_ok() ? kExitDone : kExitPlugin;
  }
  return registry.find(name).status();
}

struct PluginFlags {
  std::vector<std::string> arguments;
  std::optional<std::string> language;
  bool on_lowering = false;
  std::optional<std::string> into;
  std::optional<std::string> level;
  std::optional<std::string> junit;
  std::optional<std::string> cases;
  std::vector<std::string> samples;
  std::vector<std::string> settings;
  bool why = false;
};

Result<TemplateKind> template_kind(const PluginFlags& flags) {
  const std::string language = flags.language.value_or("c++");
  if (language != "c++" && language != "c") {
    return Status(Code::kUsage, "--lang must be c++ or c, got '" + language + "'");
  }
  if (flags.on_lowering && language == "c") {
    return Status(Code::kUsage, "--lowering is a C++ library and excludes --lang c");
  }
  if (flags.on_lowering) return TemplateKind::kLowering;
  return language == "c" ? TemplateKind::kC : TemplateKind::kCpp;
}

/// The commands from the sources to a result.
std::string next_steps(const Context& context, const std::string& name, const std::string& folder) {
  const auto prefix = context.installation.sdk_prefix();
  const fs::path build = context.installation.executable_folder.parent_path();
  const std::string sdk = prefix ? prefix->string() : (build / "sdk_prefix").string();
  std::string text;
  if (!prefix) {
    text += "  cmake --install " + build.string() + " --component sdk --prefix " + sdk + "\n";
  }
  return text + "  cmake -S " + folder + " -B " + folder + "/build -DCMAKE_PREFIX_PATH=" + sdk +
         "\n  cmake --build " + folder + "/build\n  " +
         as_typed("graphnet plugin check " + folder + "/build/lib/graphnet/plugins/" + name) +
         "\n  " + as_typed("graphnet run --config " + folder + "/run.yaml") + "\n";
}

Result<int> new_plugin(const Context& context, const PluginFlags& flags) {
  const std::string& name = flags.arguments[1];
  const std::string folder = flags.into.value_or(name);
  GN_ASSIGN_OR_RETURN(const TemplateKind kind, template_kind(flags));
  GN_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                      write_plugin_template(context.installation, kind, name, folder));
  if (context.flags.json) {
    std::cout << base::dump_json({{"schema", "graphnet.new_plugin/1"},
                                  {"name", name},
                                  {"folder", folder},
                                  {"files", files}})
              << '\n';
    return kExitDone;
  }
  std::cout << report::printable("wrote " + folder + ": " + base::join(files, ", ")) << "\nnext:\n"
            << report::printable_lines(next_steps(context, name, folder));
  return kExitDone;
}

const char* word_of(PluginFinding::State state) {
  constexpr const char* kWords[] = {"passed", "warning", "failed", "skipped"};
  return kWords[static_cast<std::size_t>(state)];
}

Json findings_json(const std::string& plugin, const std::vector<PluginFinding>& findings) {
  Json rows = Json::array();
  for (const PluginFinding& each : findings) {
    rows.push_back({{"level", each.level},
                    {"check", each.check},
                    {"state", word_of(each.state)},
                    {"message", each.message}});
  }
  return {{"schema", "graphnet.plugin_check/1"}, {"plugin", plugin}, {"checks", std::move(rows)}};
}

Result<int> check(const Context& context, const PluginFlags& flags) {
  PluginCheckScope scope;
  if (flags.level) {
    const std::string& text = *flags.level;
    if (text.size() != 1 || text[0] < '0' || text[0] > '0' + kLastPluginLevel) {
      return Status(Code::kUsage, "--level must be 0 to 3, got '" + text + "'");
    }
    scope.last_level = text[0] - '0';
  }
  if (flags.cases) scope.cases = *flags.cases;
  scope.samples = flags.samples;
  scope.settings = flags.settings;
  const std::string& plugin = flags.arguments[1];
  GN_ASSIGN_OR_RETURN(const std::vector<PluginFinding> findings,
                      check_plugin(context, plugin, scope));
  bool has_failed = false;
  for (const PluginFinding& each : findings) {
    has_failed |= each.state == PluginFinding::State::kFailed;
    if (context.flags.json) continue;
    const std::vector<std::string> lines = base::split(each.message, '\n');
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string head = "level " + std::to_string(each.level) + "  " +
                               report::pad_right(each.check, 12) +
                               report::pad_right(word_of(each.state), 8);
      std::cout << (i == 0 ? head : std::string(head.size(), ' ')) << report::printable(lines[i])
                << '\n';
    }
  }
  if (flags.junit) {
    GN_RETURN_IF_ERROR(base::write_file_atomic(*flags.junit, junit_of(findings, plugin)));
  }
  const std::string next = next_check(findings, plugin, scope.last_level);
  if (context.flags.json) {
    std::cout << base::dump_json(findings_json(plugin, findings)) << '\n';
  } else if (!next.empty()) {
    std::cout << "next: " << report::printable(as_typed(next)) << '\n';
  }
  return has_failed ? kExitPlugin : kExitDone;
}

Result<int> execute(const Context& context, const PluginFlags& flags) {
  const std::vector<std::string>& arguments = flags.arguments;
  if (arguments.empty()) {
    return Status(Code::kUsage, "plugin needs an action").add_hint("graphnet plugin list");
  }
  const bool is_new = arguments[0] == "new";
  if (!is_new && (flags.language || flags.on_lowering || flags.into)) {
    return Status(Code::kUsage, "--lang, --lowering and --into belong to plugin new")
        .add_hint("graphnet plugin new acme --lang c++");
  }
  if (arguments.size() == 1 && arguments[0] == "list") return list_plugins(context, flags.why);
  if (arguments.size() == 2 && arguments[0] == "info") return show_plugin(context, arguments[1]);
  if (arguments.size() == 2 && is_new) return new_plugin(context, flags);
  if (arguments.size() == 2 && arguments[0] == "check") return check(context, flags);
  if (arguments[0] == "info") {
    return Status(Code::kUsage, "plugin info needs the name of one plugin")
        .add_hint("graphnet plugin info nope");
  }
  if (arguments[0] == "check") {
    return Status(Code::kUsage, "plugin check needs a plugin's library or folder")
        .add_hint("graphnet plugin check build/lib/graphnet/plugins/acme");
  }
  if (is_new) {
    return Status(Code::kUsage, "plugin new needs one name").add_hint("graphnet plugin new acme");
  }
  return Status(Code::kUsage, "unknown action '" + base::join(arguments, " ") + "'")
      .add_hint("graphnet plugin list");
}

}  // namespace

Command plugin_command() {
  const auto flags = std::make_shared<PluginFlags>();
  Command command;
  command.summary = "list or describe plugins, begin a new one, or check one";
  command.description =
      "list: name, version, ABI, state (ok, shadowed by an earlier folder, disabled, broken), "
      "devices,\nfile. A broken plugin is a row with its reason below the table; --why adds the "
      "folders searched.\ninfo: everything its manifest says, options with type and default "
      "included; exit code 4 if\nthe plugin is broken or disabled.\nnew: a project that builds "
      "against the installed SDK (CMake, manifest, a plugin that computes\nten operators, run "
      "config) in a folder that does not exist yet, and the commands to build\nand check it.\n"
      "check: level 0 manifest, exports, needed libraries; 1 loading and compiling, with each "
      "value "
      "of\nthe options too; 2 the conformance cases, a few of them with little memory; 3 the "
      "control sample\nin several forms and the bundled samples, with proof. Exit code 4 if one "
      "fails. Unsupported operators\nare no failure; wrong results, flags, crashes and unexpected "
      "passes of gaps are.\n"
      "GRAPHNET_PLUGIN_PATH: more "
      "folders, separated by colons. GRAPHNET_PLUGINS_ONLY: plugin files or\nfolders to use and no "
      "others. GRAPHNET_PLUGINS_DISABLE: patterns of names that are not\nused, separated by "
      "commas. A plugin whose files others could change is broken, see --trust-file.";
  command.usage = "plugin list | info PLUGIN | new NAME | check FILE.so|DIR [options]";
  command.positionals = {"ACTION [PLUGIN]",
                         "list, or info, new or check with a name",
                         &flags->arguments,
                         {"list", "info", "new", "check"},
                         "PLUGIN"};
  command.flags = {
      {"--lang", "c++|c", "of the sources that new writes (default: c++)", &flags->language},
      {"--lowering", "", "new: on graphnet's lowered graph, which covers every operator",
       &flags->on_lowering},
      {"--into", "DIR", "new: the folder to make (default: NAME)", &flags->into},
      {"--level", "0|1|2|3", "check: the last level (default: 3)", &flags->level},
      {"--cases", "PATTERN",
       "check: of level 2 the conformance cases like it: 'reduce/*' (default: *)", &flags->cases},
      {"--samples", "SAMPLE|DIR|LIST",
       "check: of level 3 other samples than the bundled; may repeat", &flags->samples},
      {"--set", "KEY=VALUE", "check: of levels 1 and 3, a value of the run configs; may repeat",
       &flags->settings},
      {"--junit", "FILE", "check: write the findings as JUnit XML too", &flags->junit},
      {"--why", "", "list: the folders searched, and why a plugin is not used", &flags->why}};
  command.examples = {{"graphnet plugin list", "what `backend: {name: ...}` can name"},
                      {"graphnet plugin info nope", "its devices, weights modes and options"},
                      {"graphnet plugin new acme --lang c", "a plugin in C, to be filled"},
                      {"graphnet plugin check acme/build/lib/graphnet/plugins/acme --level 1",
                       "does it load and compile?"},
                      {"graphnet plugin check acme.so --set device=cuda --set timeouts.compile=20s",
                       "on a GPU, and a hang is found sooner"}};
  command.execute = [flags](const Context& context) { return execute(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
