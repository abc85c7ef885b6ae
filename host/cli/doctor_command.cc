// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/device_check.h"
#include "cli/device_doctor.h"
#include "cli/diagnostics.h"
#include "cli/exit_code.h"
#include "cli/plugin_state.h"
#include "cli/run_options.h"
#include "cli/version_text.h"
#include "config/resolve_backend.h"
#include "measure/environment.h"
#include "report/terminal_text.h"
#include "supervise/ask_worker.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Json;
using base::Result;
using base::Status;

namespace {

/// Flags of `graphnet doctor` as text.
struct DoctorFlags {
  std::optional<std::string> device;  ///< "" for the first one
  std::optional<std::string> config;
};

/// A config that `run --config NAME` finds, and why it would not run.
struct ConfigState {
  std::string name;
  std::string file;
  std::string device;
  Status problem;
};

/// Everything found out, before it is shown.
struct Diagnosis {
  Json environment;
  std::optional<std::uint64_t> disk_free_bytes;  ///< of the current folder
  Json worker = Json::object();
  Status worker_problem;
  config::PluginRegistry registry;
  std::vector<ConfigState> configs;

  bool is_ready() const { return worker_problem.is_ok() && !usable_plugins(registry).empty(); }

  /// Why samples would not run on a device, or on any of a kind ("cuda"); ok if they would.
  Status device_problem(const std::string& name) const {
    if (!worker_problem.is_ok()) return worker_problem;
    if (name == "cpu") return Status::ok();
    const Json cuda = worker.value("cuda", Json::object());
    const Json device = cuda.value("device", Json::object());
    const std::string reason = device.value("problem", cuda.value("reason", ""));
    if (reason.empty()) return Status::ok();
    return Status(base::Code::kEnvironment, "device '" + name + "' cannot be used: " + reason)
        .add_hint("graphnet doctor --device");
  }
};

Result<Json> ask_worker(const Context& context) {
  GN_ASSIGN_OR_RETURN(const fs::path executable, context.installation.worker_executable());
  return supervise::ask_worker({executable}, "describe");
}

/// What `run --config NAME` finds out before the first sample, in its order but for the device.
Status examine_config(const Context& context, const Diagnosis& found, ConfigState& state) {
  GN_ASSIGN_OR_RETURN(const fs::path file, config::find_config(context.installation, state.name));
  state.file = file.string();
  GN_ASSIGN_OR_RETURN(config::RunConfig run_config,
                      config::read_run_config(file, {}, context.installation.config_folders()));
  state.device = run_config.device;
  GN_RETURN_IF_ERROR(check_threads(run_config, measure::affinity_cores()));
  GN_ASSIGN_OR_RETURN(const config::Backend backend,
                      config::resolve_backend(context.installation, plugin_folders(context),
                                              std::move(run_config)));
  GN_RETURN_IF_ERROR(backend.unavailable);
  GN_RETURN_IF_ERROR(found.device_problem(state.device));
  return check_device(context, state.device);
}

Diagnosis examine(const Context& context) {
  Diagnosis found;
  found.environment = measure::collect_environment(measure::affinity_cores());
  std::error_code failure;
  const fs::space_info space = fs::space(".", failure);
  if (!failure) found.disk_free_bytes = space.available;
  Result<Json> worker = ask_worker(context);
  if (worker.is_ok()) {
    found.worker = std::move(worker).value();
  } else {
    found.worker_problem = std::move(worker).status();
  }
  found.registry = installed_plugins(context);
  for (const auto& name : config::list_configs(context.installation)) {
    ConfigState state;
    state.name = name;
    state.problem = examine_config(context, found, state);
    found.configs.push_back(std::move(state));
  }
  return found;
}

/// The kinds of devices on which a plugin would run here.
std::vector<std::string> would_run_on(const Diagnosis& found, const config::PluginEntry& entry) {
  std::vector<std::string> kinds;
  if (plugin_state(entry) != "ok" || !entry.manifest) return kinds;
  for (const std::string& kind : entry.manifest->devices) {
    if (found.device_problem(kind).is_ok()) kinds.push_back(kind);
  }
  return kinds;
}

Json config_json(const ConfigState& state) {
  Json entry = {{"name", state.name}, {"file", state.file}, {"ready", state.problem.is_ok()}};
  if (!state.problem.is_ok()) entry["problem"] = state.problem.message();
  return entry;
}

Json diagnosis_json(const Diagnosis& found) {
  Json object = Json::object();
  object["schema"] = "graphnet.doctor/1";
  object["ready"] = found.is_ready();
  object["graphnet"] = version_number();
  object["environment"] = found.environment;
  if (found.disk_free_bytes) object["disk_free_bytes"] = *found.disk_free_bytes;
  object["worker"] = found.worker;
  if (!found.worker_problem.is_ok()) {
    object["worker"]["problem"] = found.worker_problem.to_string();
  }
  object["plugins"] = Json::array();
  for (const auto& entry : found.registry.entries()) {
    object["plugins"].push_back(plugin_json(found.registry, entry));
    object["plugins"].back()["would_run_on"] = would_run_on(found, entry);
  }
  object["configs"] = Json::array();
  for (const auto& state : found.configs) object["configs"].push_back(config_json(state));
  return object;
}

/// The text form: rows "  what      value".
class DoctorText {
 public:
  DoctorText(const Diagnosis& found, bool color) : found_(found), color_(color) {}

  std::string take() {
    text_ = "graphnet " + version_number() + "\n";
    add_machine();
    add_worker();
    add_plugins();
    add_configs();
    text_ += found_.is_ready() ? as_typed("ready: graphnet run --config " + ready_config() + "\n")
                               : "not ready: see what is missing above\n";
    return std::move(text_);
  }

 private:
  void row(const std::string& what, const std::string& value) {
    text_ += "  " + report::pad_right(what, 12) + value + "\n";
  }

  std::string state(const std::string& word, bool is_good) const {
    return report::coloured(word, is_good ? report::Colour::kOk : report::Colour::kFailed, color_);
  }

  std::string text_of(const Json& object, const char* key) const {
    const auto value = object.find(key);
    if (value == object.end()) return "unknown";
    return report::printable(base::text_of(*value));
  }

  void add_machine() {
    const Json& machine = found_.environment;
    row("processor", text_of(machine, "cpu_model") + ", " + text_of(machine, "logical_cores") +
                         " of " + text_of(machine, "cores_online") + " cores for this process");
    if (const auto load = machine.find("load_average_1m"); load != machine.end()) {
      std::array<char, 32> text = {};
      std::snprintf(text.data(), text.size(), "%.1f", load->get<double>());
      row("load", std::string(text.data()) + " in the last minute");
    }
    if (machine.contains("cpu_governor")) row("clock", text_of(machine, "cpu_governor"));
    if (const auto memory = machine.find("memory_bytes"); memory != machine.end()) {
      row("memory", base::format_bytes(memory->get<std::uint64_t>()));
    }
    if (found_.disk_free_bytes) {
      row("disk", base::format_bytes(*found_.disk_free_bytes) + " free in the current folder");
    }
    row("kernel", text_of(machine, "kernel"));
  }

  void add_worker() {
    const Status& problem = found_.worker_problem;
    if (problem.is_ok()) {
      row("libtorch", text_of(found_.worker, "libtorch") + " with " +
                          text_of(found_.worker, "cpu_capability") + " kernels, " +
                          state("ok", true));
      add_cuda();
      return;
    }
    row("libtorch", state("missing", false) + ": " + report::printable(problem.message()));
    for (const auto& line : problem.context()) row("", "at:  " + report::printable(line));
    for (const auto& line : problem.hints()) row("", "try: " + report::printable(as_typed(line)));
  }

  void add_cuda() {
    const auto cuda = found_.worker.find("cuda");
    if (cuda == found_.worker.end()) return;
    const auto device = cuda->find("device");
    if (device == cuda->end()) return row("cuda", "none: " + text_of(*cuda, "reason"));
    if (device->contains("problem")) {
      return row("cuda", state("broken", false) + ": " + text_of(*device, "problem"));
    }
    row("cuda", text_of(*cuda, "devices") + " devices, the first: " + text_of(*device, "name") +
                    ", self-test " + text_of(*device, "self_test"));
    const Json& cupti = (*device)["cupti"];
    const std::string reason = cupti.contains("reason") ? ": " + text_of(cupti, "reason") : "";
    row("", "tracing by CUPTI: " + text_of(cupti, "state") + reason);
  }

  void add_plugins() {
    std::string what = "plugins";
    for (const auto& entry : found_.registry.entries()) {
      const std::string word = plugin_state(entry);
      std::string value = report::pad_right(report::printable(entry.name), kNameWidth) +
                          state(word, word == "ok" || word == "shadowed");
      if (entry.manifest) value += ", " + report::printable(entry.manifest->version);
      const Status problem = plugin_problem(entry);
      row(what, value + (word == "ok" ? ", " + devices_text(entry) : ""));
      if (!problem.is_ok()) add_reason(problem);
      what.clear();
    }
    if (!what.empty()) row(what, state("none", false) + " is installed");
  }

  void add_configs() {
    std::string what = "configs";
    for (const auto& config : found_.configs) {
      const bool is_ready = config.problem.is_ok();
      row(what, report::pad_right(report::printable(config.name), kNameWidth) +
                    (is_ready ? state("would run", true) + " on " + report::printable(config.device)
                              : state("would not run", false)));
      if (!is_ready) add_reason(config.problem);
      what.clear();
    }
  }

  /// "would run on cpu, not on cuda".
  std::string devices_text(const config::PluginEntry& entry) const {
    const std::vector<std::string> kinds = would_run_on(found_, entry);
    std::vector<std::string> others;
    for (const std::string& kind : entry.manifest->devices) {
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) others.push_back(kind);
    }
    if (kinds.empty()) return "would not run on " + base::join(others, ", ");
    return "would run on " + base::join(kinds, ", ") +
           (others.empty() ? "" : ", not on " + base::join(others, ", "));
  }

  /// Why a plugin or config would not run, and what to do, below its row.
  void add_reason(const Status& problem) {
    const std::string& message = problem.message();
    const std::string indent(kNameWidth, ' ');
    row("", indent + "because: " + report::printable(message.substr(0, message.find('\n'))));
    if (problem.hints().empty()) return;
    row("", indent + "try: " + report::printable(as_typed(problem.hints().front())));
  }

  /// The control if it would run: a compiler may take minutes for the bundled samples.
  std::string ready_config() const {
    std::string ready;
    for (const auto& config : found_.configs) {
      if (!config.problem.is_ok()) continue;
      if (ready.empty() || config.name == kControlConfig) ready = config.name;
    }
    return ready.empty() ? "CONFIG" : report::printable(ready);
  }

  static constexpr int kNameWidth = 18;
  static constexpr const char* kControlConfig = "nope.yaml";
  const Diagnosis& found_;
  bool color_;
  std::string text_;
};

/// Whether a run with one config would begin; why not is the command's own error.
Result<int> diagnose_config(const Context& context, const std::string& name) {
  Diagnosis found;
  GN_ASSIGN_OR_RETURN(found.worker, ask_worker(context));
  ConfigState state;
  state.name = name;
  GN_RETURN_IF_ERROR(examine_config(context, found, state));
  if (context.flags.json) {
    std::cout << base::dump_json(config_json(state)) << '\n';
  } else {
    std::cout << report::printable(fs::path(state.file).filename().string()) << " would run on "
              << report::printable(state.device) << '\n';
  }
  return kExitDone;
}

Result<int> execute(const Context& context, const DoctorFlags& flags) {
  if (flags.device && flags.config) {
    return Status(base::Code::kUsage, "--device and --config exclude each other");
  }
  if (flags.device) return diagnose_device(context, *flags.device);
  if (flags.config) return diagnose_config(context, *flags.config);
  const Diagnosis found = examine(context);
  if (context.flags.json) {
    std::cout << base::dump_json(diagnosis_json(found)) << '\n';
  } else {
    std::cout << DoctorText(found, context.out.color).take();
  }
  return found.is_ready() ? kExitDone : kExitEnvironment;
}

}  // namespace

Command doctor_command() {
  const auto flags = std::make_shared<DoctorFlags>();
  Command command;
  command.summary = "show what this machine and installation offer and what is missing";
  command.description =
      "Looks at processor, memory, disk, libtorch, CUDA, plugins and configs, and says which "
      "plugin\n"
      "and config would run and why others would not. Changes nothing and runs no plugin code: a\n"
      "compiler that cannot be loaded shows only in a run. Exit code 5 if samples cannot be run: "
      "no libtorch, or no usable plugin; "
      "with\n"
      "--device if they cannot be run on that device. With --config the exit code is that of a "
      "run\n"
      "which cannot begin: 4 if the plugin or its compiler's library is missing, 5 if the device "
      "is.";
  command.usage = "doctor [options]";
  command.flags = {{"--device", "[cuda:N]",
                    "look at one device instead (default: cuda:0): driver, libraries and tools of "
                    "CUDA, what tracing sees, signals that threads block",
                    &flags->device},
                   {"--config", "CONFIG",
                    "look at one config instead: whether a run with it would begin, and why not",
                    &flags->config}};
  command.examples = {{"graphnet doctor", "the first thing to attach to a bug report"},
                      {"graphnet doctor --device", "why samples do not run on the GPU"}};
  command.execute = [flags](const Context& context) { return execute(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
