// SPDX-License-Identifier: MIT
#include "cli/reference_run.h"

#include <algorithm>
#include <set>

#include "base/log.h"
#include "base/text.h"
#include "report/reference_text.h"
#include "report/terminal_text.h"
#include "sample/sample.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;
using record::Record;

namespace {

constexpr const char* kFlag = "--reference";

void warn(const std::string& text) {
  base::log(base::LogLevel::kWarning, "reference", report::printable(text));
}

std::vector<std::string> distinct(const std::vector<outputs::KeptFacts>& kept,
                                  const ValueOf& value_of) {
  std::set<std::string> values;
  for (const outputs::KeptFacts& facts : kept) values.insert(value_of(facts.record));
  return {values.begin(), values.end()};
}

void choose_reference_samples(RunOptions& options) {
  std::set<std::string> seen;
  for (const outputs::KeptFacts& facts : options.kept) {
    const Record& record = facts.record;
    if (!seen.insert(record.sample).second) continue;
    options.samples.push_back(sample::is_sample(record.sample_path) ? record.sample_path
                                                                    : record.sample);
  }
}

void choose_reference_configs(RunOptions& options) {
  options.configs = distinct(options.kept, [](const Record& record) { return record.plugin; });
  if (options.configs.size() > 1) return;
  for (const auto& [key, value] : options.kept.front().record.plugin_options.items()) {
    const std::string set = "backend.options." + key + "=" + base::dump_json(value);
    // What the user says comes later, and wins.
    options.sets.insert(options.sets.begin(), set);
    options.repeat_flags.insert(options.repeat_flags.begin(), {"--set", set});
  }
}

/// A setting that the reference has, and the run may have otherwise.
struct Setting {
  const char* key;  ///< of a run config; what lies below it counts too
  std::string (*there)(const Record& record);
  std::string (*here)(const config::RunConfig& config);
  Status (*take)(const Record& record, const config::Installation& installation,
                 config::RunConfig& config);
};

std::string calls_text(const std::string& method, int warmup, int trials) {
  if (method != "upstream") return "";
  return " (" + std::to_string(warmup) + " warm-up calls, " + std::to_string(trials) + " trials)";
}

Status take_protocol(const Record& record, const config::Installation& installation,
                     config::RunConfig& config) {
  GN_ASSIGN_OR_RETURN(config.protocol,
                      config::find_protocol(record.protocol, installation.config_folders()));
  if (config.protocol.method == "upstream") {
    config.protocol.warmup = record.warmup;
    config.protocol.trials = record.trials;
  } else if (config.protocol.paired != record.protocol_settings) {
    warn("the settings of protocol " + record.protocol + " are not those of the reference");
  }
  return Status::ok();
}

const Setting kSettings[] = {
    {"protocol",
     [](const Record& record) {
       const bool is_upstream = record.protocol_settings.empty();
       return record.protocol +
              calls_text(is_upstream ? "upstream" : "", record.warmup, record.trials);
     },
     [](const config::RunConfig& config) {
       return config.protocol.name +
              calls_text(config.protocol.method, config.protocol.warmup, config.protocol.trials);
     },
     take_protocol},
    {"threads", [](const Record& record) { return std::to_string(record.threads); },
     [](const config::RunConfig& config) {
       return config.threads == 0 ? std::string("auto") : std::to_string(config.threads);
     },
     [](const Record& record, const config::Installation&, config::RunConfig& config) {
       config.threads = record.threads;
       return Status::ok();
     }},
    {"weights", [](const Record& record) { return record.weights; },
     [](const config::RunConfig& config) { return config.weights; },
     [](const Record& record, const config::Installation&, config::RunConfig& config) {
       config.weights = record.weights;
       return Status::ok();
     }},
    {"math", [](const Record& record) { return record.math.text(); },
     [](const config::RunConfig& config) { return config.math.text(); },
     [](const Record& record, const config::Installation&, config::RunConfig& config) {
       config.math = record.math;
       return Status::ok();
     }},
};

/// Where the value came from; empty: it is a default.
std::string origin_of(const config::RunConfig& config, const std::string& key) {
  const auto found = config.origins.lower_bound(key);
  const bool is_below = found != config.origins.end() &&
                        (found->first == key || found->first.rfind(key + ".", 0) == 0);
  return is_below ? found->second : "";
}

/// The records of the config's plugin.
std::vector<outputs::KeptFacts> kept_of_plugin(const RunOptions& options,
                                               const config::RunConfig& config) {
  if (config.backend.name.empty()) return options.kept;
  std::vector<outputs::KeptFacts> kept;
  for (const outputs::KeptFacts& facts : options.kept) {
    if (facts.record.plugin == config.backend.name) kept.push_back(facts);
  }
  return kept;
}

}  // namespace

Result<std::string> agreed_value(const std::vector<outputs::KeptFacts>& kept,
                                 const std::string& what, const ValueOf& value_of) {
  const std::vector<std::string> values = distinct(kept, value_of);
  if (values.size() == 1) return values.front();
  return Status(Code::kUsage,
                "the reference has several " + what + ": " + base::join(values, ", "));
}

Status open_reference(RunOptions& options) {
  if (!options.reference) return Status::ok();
  std::error_code ignored;
  if (options.keep_outputs && fs::equivalent(*options.keep_outputs, *options.reference, ignored)) {
    return Status(Code::kUsage,
                  "--keep-outputs and --reference name the same folder: what is "
                  "compared would be replaced");
  }
  Result<outputs::KeptFolder> content = outputs::read_kept_folder(*options.reference);
  if (!content.is_ok()) return std::move(content).status().add_context(kFlag);
  for (const Status& broken : content->unreadable) warn(broken.message());
  if (content->kept.empty()) {
    return Status(Code::kInput, "no file of '" + options.reference->string() + "' can be used")
        .add_context(kFlag);
  }
  options.kept = std::move(content->kept);
  if (options.samples.empty()) choose_reference_samples(options);
  if (options.configs.empty()) choose_reference_configs(options);
  // The values that are taken from it repeat the run too.
  const std::string folder = fs::absolute(*options.reference, ignored).string();
  options.repeat_flags.insert(options.repeat_flags.end(), {kFlag, folder});
  return Status::ok();
}

Status take_reference_values(const RunOptions& options, const config::Installation& installation,
                             config::RunConfig& config) {
  if (!options.reference) return Status::ok();
  const auto kept = kept_of_plugin(options, config);
  if (kept.empty()) {
    warn("the reference has no outputs of plugin '" + config.backend.name + "', it has those of " +
         base::join(distinct(options.kept, [](const Record& record) { return record.plugin; }),
                    ", "));
    return Status::ok();
  }
  for (const Setting& setting : kSettings) {
    const std::string origin = origin_of(config, setting.key);
    const std::string here = setting.here(config);
    if (!origin.empty()) {
      for (const std::string& there : distinct(kept, setting.there)) {
        if (there == here) continue;
        warn(std::string(setting.key) + " is " + here + " (" + origin + "), in the reference " +
             there + ": the ratio of times is not of like with like");
      }
      continue;
    }
    Result<std::string> there = agreed_value(kept, setting.key, setting.there);
    if (!there.is_ok()) {
      return std::move(there).status().add_context(kFlag).add_hint(
          std::string("say which, with a flag or with --set ") + setting.key + "=...");
    }
    if (*there == here) continue;
    Status taken = setting.take(kept.front().record, installation, config);
    if (!taken.is_ok()) return taken.add_context(kFlag);
    const bool is_protocol = std::string_view(setting.key) == "protocol";
    config.origins[is_protocol ? "protocol.name" : setting.key] = kFlag;
  }
  return Status::ok();
}

Status forget_refused(const std::vector<supervise::PlannedTask>& plan) {
  for (const supervise::PlannedTask& planned : plan) {
    if (planned.refusal.is_ok() || planned.task.kept_file.empty()) continue;
    GN_RETURN_IF_ERROR(outputs::remove_kept(planned.task.kept_file));
  }
  return Status::ok();
}

bool fails_by_outputs(const Record& record, FailOn fail_on) {
  if (fail_on == FailOn::kNever) return false;
  const record::Reference& reference = record.checks.reference;
  if (fail_on == FailOn::kAny && !reference.missing.empty()) return true;
  return reference.differs() || !record.checks.outputs_not_kept.empty();
}

void OutputsTally::add(const Record& record) {
  const std::string who = record.sample + " " + record.backend_name() + ": ";
  if (!record.checks.outputs_not_kept.empty()) {
    lines_.push_back(who + "outputs not kept: " + record.checks.outputs_not_kept);
  }
  if (!has_reference_) return;
  const record::Reference& reference = record.checks.reference;
  tally_.add(reference);
  const std::string line = is_empty(reference) ? "not compared: " + record.outcome.text()
                                               : report::reference_line(reference);
  if (!line.empty()) lines_.push_back(who + line);
}

std::vector<std::string> OutputsTally::notes() const {
  std::vector<std::string> notes;
  if (has_reference_) notes.push_back("reference: " + tally_.text());
  notes.insert(notes.end(), lines_.begin(), lines_.end());
  return notes;
}

}  // namespace graphnet::cli
