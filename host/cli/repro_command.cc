// SPDX-License-Identifier: MIT
#include <cctype>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/plugin_state.h"
#include "cli/record_choice.h"
#include "cli/repro_folder.h"
#include "cli/results_files.h"
#include "cli/sample_selection.h"
#include "cli/version_text.h"
#include "config/library_identity.h"
#include "journal/repetition.h"
#include "measure/environment.h"
#include "report/terminal_text.h"
#include "sample/sample.h"
#include "supervise/ask_worker.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;
using journal::JournalContent;
using record::Record;

namespace {

/// Flags of `graphnet repro` as text.
struct ReproFlags {
  std::vector<std::string> results;
  std::optional<std::string> sample;
  std::optional<std::string> backend;
  std::optional<std::string> out;
  std::optional<std::string> check;
};

Result<std::vector<JournalContent>> read_journals(const std::vector<fs::path>& files) {
  std::vector<JournalContent> journals;
  for (const fs::path& file : files) {
    GN_ASSIGN_OR_RETURN(JournalContent journal, journal::read_journal(file));
    journals.push_back(std::move(journal));
  }
  return journals;
}

/// The sample's folder, where the run found it or among the bundled ones: the first whose files are
/// those of the record, else the first that is there.
Result<supervise::PlannedSample> find_sample(const Context& context, const Record& record) {
  std::vector<fs::path> folders = {record.sample_path};
  const auto bundled = context.installation.samples_folder();
  if (bundled) folders.push_back(*bundled / record.sample);
  std::optional<supervise::PlannedSample> found;
  for (const fs::path& folder : folders) {
    if (folder.empty() || !sample::is_sample(folder)) continue;
    supervise::PlannedSample sample = planned_sample(folder);
    if (sample.content_sha256 == record.sample_sha256) return sample;
    if (!found) found = std::move(sample);
  }
  if (found) return *found;
  return Status(Code::kInput, "the sample of this record is not here: '" + record.sample_path + "'")
      .add_hint("run this where the run was started, or put the sample's folder there");
}

/// The plugin as it is installed here, by its file or by its name; empty hash if it is not.
struct InstalledPlugin {
  std::string version;
  std::string sha256;
};

InstalledPlugin find_installed(const Context& context, const Record& record) {
  InstalledPlugin installed;
  fs::path library = record.plugin_library;
  const auto entry = installed_plugins(context).find(record.plugin);
  if (entry.is_ok() && entry->manifest) {
    installed.version = entry->manifest->version;
    std::error_code ignored;
    if (library.empty() || !fs::exists(library, ignored)) library = entry->manifest->library;
    // Another one of the name is not that whose file the record names.
    if (!fs::equivalent(library, entry->manifest->library, ignored)) installed.version.clear();
  }
  const auto identity = config::identify_library(library);
  if (identity.is_ok()) installed.sha256 = identity->sha256;
  return installed;
}

/// The record as this machine would begin it today.
Record as_of_here(const Context& context, const Record& record,
                  const supervise::PlannedSample& sample, const InstalledPlugin& plugin) {
  Record here = record;
  here.sample_sha256 = sample.content_sha256;
  here.plugin_version = plugin.version;
  here.plugin_sha256 = plugin.sha256;
  here.graphnet = version_number();
  here.environment =
      record::part_from_json<record::Environment>(measure::collect_environment(record.threads));
  const auto worker = context.installation.worker_executable();
  const Result<Json> described =
      worker.is_ok() ? supervise::ask_worker({*worker}, "describe") : Result<Json>(worker.status());
  if (!described.is_ok()) return here;
  const auto worker_runs = record::part_from_json<record::Environment>(*described);
  here.environment.libtorch = worker_runs.libtorch;
  here.environment.cpu_capability = worker_runs.cpu_capability;
  return here;
}

std::vector<std::string> warnings_of(const Context& context, const Record& record,
                                     const supervise::PlannedSample& sample) {
  const InstalledPlugin plugin = find_installed(context, record);
  std::vector<std::string> warnings;
  if (plugin.sha256.empty()) {
    warnings.push_back("plugin '" + record.plugin +
                       "' is not installed here; run.sh needs it (--plugin-path FOLDER)");
  }
  if (record.settings.empty()) {
    warnings.push_back(
        "the record is of an older graphnet and does not hold its limits; those of config.yaml are "
        "the defaults");
  }
  const Record here = as_of_here(context, record, sample, plugin);
  for (const auto& difference : journal::compare_repetition(record, here).conditions) {
    warnings.push_back("not as recorded: " + difference);
  }
  return warnings;
}

/// "repro-resnet10t-acme": letters that no shell and no file system minds.
std::string default_folder(const Record& record) {
  const fs::path sample = record.sample;
  std::string name = "repro-" + sample.filename().string() + "-" + record.backend_name();
  for (char& c : name) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' ||
                          c == '_' || c == '+' || c == '-';
    if (!is_plain) c = '_';
  }
  return name;
}

Result<int> make_folder(const Context& context, const ReproFlags& flags) {
  GN_ASSIGN_OR_RETURN(const std::vector<fs::path> files, find_results(flags.results));
  GN_ASSIGN_OR_RETURN(const auto journals, read_journals(files));
  ReproSource source;
  GN_ASSIGN_OR_RETURN(source.record, choose_record(journals, {flags.sample, flags.backend}));
  GN_ASSIGN_OR_RETURN(const supervise::PlannedSample sample, find_sample(context, source.record));
  source.sample = sample.path;
  source.program = base::executable_folder() / "graphnet";
  source.protocol = recorded_protocol(source.record, context.installation.config_folders());
  source.warnings = warnings_of(context, source.record, sample);
  const fs::path folder = flags.out.value_or(default_folder(source.record));
  GN_RETURN_IF_ERROR(write_repro_folder(folder, source));
  for (const auto& warning : source.warnings) {
    std::cerr << "warning: " << report::printable(warning) << '\n';
  }
  const std::string end = journal::end_of(source.record);
  if (context.flags.json) {
    const Json object = {{"schema", "graphnet.repro/1"},
                         {"folder", folder.string()},
                         {"sample", source.record.sample},
                         {"plugin", source.record.plugin},
                         {"end", end},
                         {"warnings", source.warnings}};
    std::cout << base::dump_json(object) << '\n';
  } else {
    std::cout << "wrote " << report::printable(folder.string()) << ": run "
              << report::printable(base::shell_command({(folder / "run.sh").string()}))
              << " to repeat\n  "
              << report::printable(source.record.sample + " with " + source.record.plugin + ": " +
                                   end)
              << '\n';
  }
  return kExitDone;
}

Result<Record> record_in(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return Status(Code::kInput, "no '" + file.string() + "'")
        .add_hint("graphnet repro RESULTS makes such a folder, its run.sh repeats the record");
  }
  GN_ASSIGN_OR_RETURN(const auto journals, read_journals({file}));
  // Whoever gives run.sh flags of their own repeats other tasks too; the last one is meant.
  if (journals[0].records.empty())
    return Status(Code::kInput, "no record in '" + file.string() + "'");
  const Record& last = journals[0].records.back();
  JournalContent only = {journals[0].header, {last}, {}, {}};
  return choose_record({only}, {});
}

void print_texts(const char* title, const std::vector<std::string>& texts) {
  if (!texts.empty()) std::cout << title << '\n';
  for (const auto& text : texts) std::cout << "  " << report::printable(text) << '\n';
}

Result<int> check_folder(const Context& context, const fs::path& folder) {
  GN_ASSIGN_OR_RETURN(const Record recorded, record_in(folder / kRecordedResult));
  GN_ASSIGN_OR_RETURN(const Record again, record_in(folder / kRepeatedResult));
  const journal::Repetition result = journal::compare_repetition(recorded, again);
  if (context.flags.json) {
    const Json object = {
        {"schema", "graphnet.repro_check/1"},    {"repeated", result.is_repeated},
        {"recorded", journal::end_of(recorded)}, {"again", journal::end_of(again)},
        {"differences", result.differences},     {"conditions", result.conditions}};
    std::cout << base::dump_json(object) << '\n';
  } else {
    const std::string now = report::printable(journal::end_of(again));
    std::cout << (result.is_repeated ? "repeated: " + now
                                     : "not repeated: " + now + ", was " +
                                           report::printable(journal::end_of(recorded)))
              << '\n';
    print_texts("also changed:", result.differences);
    print_texts("conditions changed:", result.conditions);
  }
  return result.is_repeated ? kExitDone : kExitSampleFailed;
}

Result<int> execute(const Context& context, const ReproFlags& flags) {
  if (!flags.check) return make_folder(context, flags);
  if (!flags.results.empty() || flags.sample || flags.backend || flags.out) {
    return Status(Code::kUsage, "--check takes no results and no other flag");
  }
  return check_folder(context, *flags.check);
}

}  // namespace

Command repro_command() {
  const auto flags = std::make_shared<ReproFlags>();
  Command command;
  command.summary = "make a folder that repeats one result";
  command.description =
      "Takes the record of one sample with one backend, whatever became of it, and writes a\n"
      "folder that holds all that its repetition needs but graphnet and the plugin: the sample's\n"
      "files, the config and the protocol with every key as it was, the record, versions, hashes\n"
      "and facts of the machine in README.md, and run.sh. That runs the pair and says whether it\n"
      "ended the same way: the same outcome and, if it was cut short, phase and signal (exit code\n"
      "0, else 1). What is not here as it was recorded (sample, plugin, versions, processor) is a\n"
      "warning, also in README.md.";
  command.usage = "repro RESULTS... [--sample SAMPLE] [--backend NAME] [options] | --check DIR";
  command.positionals = {
      "RESULTS", "results files, or folders of them", &flags->results, {}, "FILE"};
  command.flags = {
      {"--sample", "SAMPLE", "whose record; its name or the end of it", &flags->sample},
      {"--backend", "BACKEND", "with which backend; a plugin's name or variant", &flags->backend},
      {"--out", "DIR", "where to write; it must be empty (default: repro-SAMPLE-BACKEND)",
       &flags->out},
      {"--check", "DIR", "what run.sh ends with: say if its last run repeated the record",
       &flags->check},
  };
  command.examples = {
      {"graphnet repro results/night.jsonl --sample resnet10t.c3_in1k --backend xla",
       "repro-resnet10t.c3_in1k-xla with run.sh"},
      {"graphnet repro results --sample timm/resnet10t.c3_in1k --out bug && bug/run.sh",
       "make it and try it"},
      {"graphnet repro --check bug --json", "the same answer again, as JSON"}};
  command.execute = [flags](const Context& context) { return execute(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
