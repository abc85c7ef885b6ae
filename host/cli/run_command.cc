// SPDX-License-Identifier: MIT
#include "cli/run_command.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>

#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/device_check.h"
#include "cli/device_list.h"
#include "cli/diagnostics.h"
#include "cli/exit_code.h"
#include "cli/journaled_sweep.h"
#include "cli/output_file.h"
#include "cli/plan_text.h"
#include "cli/plugin_state.h"
#include "cli/reference_run.h"
#include "cli/report_outputs.h"
#include "cli/run_view.h"
#include "cli/sample_selection.h"
#include "cli/version_text.h"
#include "cluster/shard.h"
#include "journal/finished_tasks.h"
#include "journal/journal_file.h"
#include "journal/run_id.h"
#include "measure/environment.h"
#include "report/terminal_text.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;
using supervise::PlannedSample;

namespace {

/// An error if there is no backend whose plugin can be used. One that cannot is left out of a run
/// with others: its samples are recorded as plugin_failed.
Status check_any_usable(const std::vector<config::Backend>& backends) {
  Status error;
  for (const auto& backend : backends) {
    if (backend.problem.is_ok()) return Status::ok();
    if (error.is_ok()) {
      error = backend.problem;
    } else {
      error.add_context("of " + backend.config.file.string() + ": " + backend.problem.message());
    }
  }
  return error;
}

}  // namespace

namespace {

/// An error if the configs do not have one math policy: their rows would stand in one table.
Status check_one_policy(const std::vector<config::RunConfig>& configs) {
  for (const auto& run_config : configs) {
    const config::RunConfig& first = configs.front();
    if (run_config.math == first.math) continue;
    return Status(Code::kUsage, "a run has one math policy, and that of " + first.file.string() +
                                    " is " + first.math.text() + ", that of " +
                                    run_config.file.string() + " " + run_config.math.text())
        .add_hint("give it for all: --set math.tf32=true");
  }
  return Status::ok();
}

/// The configs, the flags applied; one that is named several times is there once, with a note.
Result<std::vector<config::RunConfig>> read_configs(const Context& context,
                                                    const RunOptions& options) {
  std::vector<config::RunConfig> configs;
  std::map<fs::path, int> uses;
  for (const auto& name : options.configs) {
    GN_ASSIGN_OR_RETURN(const fs::path file, config::find_config(context.installation, name));
    std::error_code ignored;
    const int use = ++uses[fs::weakly_canonical(file, ignored)];
    if (use == 2) {
      base::log(base::LogLevel::kWarning, "config",
                report::printable(file.string() + " is given several times and is run once"));
    }
    if (use > 1) continue;
    GN_ASSIGN_OR_RETURN(
        config::RunConfig run_config,
        config::read_run_config(file, options.sets, context.installation.config_folders()));
    GN_RETURN_IF_ERROR(apply_run_options(options, context.installation, run_config));
    GN_RETURN_IF_ERROR(take_reference_values(options, context.installation, run_config));
    configs.push_back(std::move(run_config));
  }
  GN_RETURN_IF_ERROR(check_one_policy(configs));
  return configs;
}

Result<std::vector<config::Backend>> examine_backends(const Context& context,
                                                      std::vector<config::RunConfig> configs) {
  const std::vector<fs::path> folders = plugin_folders(context);
  std::vector<config::Backend> backends;
  for (config::RunConfig& run_config : configs) {
    GN_ASSIGN_OR_RETURN(
        config::Backend backend,
        config::examine_backend(context.installation, folders, std::move(run_config)));
    backends.push_back(std::move(backend));
  }
  GN_RETURN_IF_ERROR(check_any_usable(backends));
  return backends;
}

}  // namespace

Result<std::vector<config::Backend>> read_backends(const Context& context,
                                                   const RunOptions& options) {
  GN_ASSIGN_OR_RETURN(auto configs, read_configs(context, options));
  return examine_backends(context, std::move(configs));
}

namespace {

/// Says once and in full why plugins are left out. Returns how many.
int print_refusals(const Context& context, const std::vector<config::Backend>& backends) {
  int num_refused = 0;
  for (const auto& backend : backends) {
    if (backend.problem.is_ok()) continue;
    Status shown = backend.problem;
    const bool is_unsupported = shown.code() == base::Code::kUnsupported;
    print_error(
        shown.add_context(std::string("its samples are recorded as ") +
                          (is_unsupported ? "unsupported" : "plugin_failed") + ", the others run"),
        context.error.color);
    ++num_refused;
  }
  return num_refused;
}

}  // namespace

Result<std::vector<PlannedSample>> choose_samples(const Context& context, const RunOptions& options,
                                                  const std::vector<config::Backend>& backends) {
  std::vector<std::string> arguments = options.samples;
  if (arguments.empty()) {
    for (const auto& backend : backends) {
      for (const auto& path : backend.config.samples) arguments.push_back(path.string());
    }
  }
  if (arguments.empty()) {
    GN_ASSIGN_OR_RETURN(std::string bundled, default_samples(context.installation));
    arguments.push_back(std::move(bundled));
  }
  GN_ASSIGN_OR_RETURN(auto samples, select_samples(context.installation, arguments));
  if (options.match) GN_RETURN_IF_ERROR(keep_matching(*options.match, samples));
  return samples;
}

namespace {

fs::path results_path(const RunOptions& options, const std::string& run_id) {
  if (options.resume) return *options.resume;
  if (options.output) return *options.output;
  return default_results(run_id);
}

/// What a user who goes on with a results file should know of it.
std::vector<std::string> resume_notes(const journal::FinishedTasks& finished) {
  std::vector<std::string> notes = finished.notes;
  if (finished.num_without_key > 0) {
    notes.push_back(std::to_string(finished.num_without_key) +
                    " records of the results file were written by a version without task keys; "
                    "their samples are run again");
  }
  return notes;
}

/// Leaves the samples of one shard, with all their backends. The plan of all samples is made first:
/// a sample that is named twice has two keys, in whichever shards they land.
void take_shard(cluster::Shard shard, PreparedRun& run) {
  std::vector<double> costs;
  for (const PlannedSample& sample : run.samples) costs.push_back(sample.cost);
  const std::size_t num_backends = run.backends.size();
  std::vector<PlannedSample> samples;
  std::vector<supervise::PlannedTask> plan;
  for (const std::size_t sample : cluster::shard_members(costs, shard)) {
    samples.push_back(run.samples[sample]);
    const auto first = run.plan.begin() + static_cast<std::ptrdiff_t>(sample * num_backends);
    plan.insert(plan.end(), first, first + static_cast<std::ptrdiff_t>(num_backends));
  }
  run.notes.push_back("shard " + std::to_string(shard.number) + " of " +
                      std::to_string(shard.count) + ": " + std::to_string(samples.size()) + " of " +
                      std::to_string(run.samples.size()) + " samples");
  run.samples = std::move(samples);
  run.plan = std::move(plan);
}

/// Samples at a time. By itself: one takes times while others are compiled, and some more where
/// cores are left.
int jobs_of(const RunOptions& options, const PreparedRun& run) {
  if (!options.devices.empty()) return options.jobs;  // each has tasks of its own
  const int threads = run.plan.empty() ? 1 : run.plan.front().task.threads;
  const int wanted =
      options.jobs > 0 ? options.jobs : 1 + measure::affinity_cores() / std::max(1, threads);
  return std::clamp(wanted, 1,
                    static_cast<int>(std::clamp<std::size_t>(run.plan.size(), 1, kMaxJobs)));
}

Status check_output_files(const RunOptions& options) {
  if (options.junit) GN_RETURN_IF_ERROR(check_output_file("--junit", *options.junit));
  if (options.keep_outputs && !options.dry_run) {
    GN_RETURN_IF_ERROR(make_output_folder("--keep-outputs", *options.keep_outputs));
  }
  if (options.output) return check_output_file("--output", *options.output);
  return options.resume ? check_output_file("--resume", *options.resume) : Status::ok();
}

/// A backend whose library is not here is left out like one whose plugin cannot be used. A device
/// that cannot be used ends the run: others that it serves would fail one by one.
Status check_machine_of_all(const Context& context, const std::vector<std::string>& devices,
                            std::vector<config::Backend>& backends) {
  for (config::Backend& backend : backends) {
    if (backend.problem.is_ok()) backend.problem = backend.unavailable;
  }
  GN_RETURN_IF_ERROR(check_any_usable(backends));
  for (const config::Backend& backend : backends) {
    if (backend.problem.is_ok()) GN_RETURN_IF_ERROR(check_machine(context, backend));
  }
  for (const std::string& device : devices) GN_RETURN_IF_ERROR(check_device(context, device));
  return Status::ok();
}

Result<PreparedRun> prepare(const Context& context, const RunOptions& options,
                            const OnPlan& on_plan) {
  PreparedRun run;
  GN_RETURN_IF_ERROR(check_output_files(options));
  GN_ASSIGN_OR_RETURN(auto configs, read_configs(context, options));
  for (const auto& run_config : configs) {
    GN_RETURN_IF_ERROR(check_threads(run_config, measure::affinity_cores()));
  }
  GN_ASSIGN_OR_RETURN(run.backends, examine_backends(context, std::move(configs)));
  if (!options.dry_run) {
    GN_RETURN_IF_ERROR(check_machine_of_all(context, options.devices, run.backends));
  }
  if (run.backends.size() < options.configs.size()) {
    run.notes.push_back("a config is named twice with --config and runs once");
  }
  GN_ASSIGN_OR_RETURN(run.samples, choose_samples(context, options, run.backends));
  spread_over_devices(options.devices, options.shard, run.samples);
  run.devices = options.devices;
  run.run_id = journal::new_run_id();
  run.results = results_path(options, run.run_id);
  run.forks_workers = options.forks_workers;
  run.continues_itself = options.continues_itself;
  supervise::PlanSettings settings = plan_settings(run.run_id);
  settings.digest = options.digest;
  if (options.artifact_cache) settings.artifact_cache = fs::absolute(*options.artifact_cache);
  if (options.dump) settings.dump_folder = fs::absolute(*options.dump);
  if (options.keep_outputs) settings.kept_folder = fs::absolute(*options.keep_outputs);
  if (options.reference) settings.reference_folder = fs::absolute(*options.reference);
  settings.repeat_flags = options.repeat_flags;
  const std::vector<std::string> plugins = plugin_flags(context);
  settings.repeat_flags.insert(settings.repeat_flags.end(), plugins.begin(), plugins.end());
  run.plan = supervise::make_plan(run.samples, run.backends, settings);
  if (options.is_first_run) {
    run.notes.push_back(
        "protocol smoke, because no samples were named; --protocol standard measures better");
  }
  if (options.shard) take_shard(*options.shard, run);
  if (on_plan) GN_RETURN_IF_ERROR(on_plan(run.plan));
  if (options.resume) {
    GN_ASSIGN_OR_RETURN(const auto finished, journal::read_finished_tasks(*options.resume));
    run.num_already_done = supervise::drop_done(run.plan, finished, options.retry);
    for (auto& note : resume_notes(finished)) run.notes.push_back(std::move(note));
  }
  run.jobs = jobs_of(options, run);
  if (!options.dry_run) GN_RETURN_IF_ERROR(forget_refused(run.plan));
  return run;
}

report::RunFacts facts_of(const Context& context, const PreparedRun& run,
                          const std::string& hardware) {
  report::RunFacts facts;
  facts.overrides = context.installation.overrides();
  facts.version = version_number();
  const config::Backend& first = run.backends.front();
  facts.device = run.devices.empty() ? first.config.device : base::join(run.devices, ", ");
  if (!first.config.math.is_default()) facts.math = first.config.math.text();
  facts.hardware = hardware;
  facts.jobs = run.jobs;
  facts.threads = run.plan.empty() ? 1 : run.plan.front().task.threads;
  for (const auto& sample : run.samples) facts.samples.push_back(sample.name);
  std::vector<std::string> protocols;
  for (const auto& backend : run.backends) {
    facts.plugins.push_back(backend.variant);
    const std::string& protocol = backend.config.protocol.name;
    const auto known = std::find(protocols.begin(), protocols.end(), protocol);
    if (known == protocols.end()) protocols.push_back(protocol);
  }
  facts.protocol = base::join(protocols, ", ");
  return facts;
}

/// The command line that continues this run: as given, with --resume in place of --output.
std::string continue_command(const Context& context, const PreparedRun& run) {
  std::vector<std::string> words = {"graphnet"};
  if (run.continues_itself) {
    words.insert(words.end(), context.words.begin() + 1, context.words.end());
    return as_typed(base::shell_command(words));
  }
  bool is_value = false;
  for (std::size_t i = 1; i < context.words.size(); ++i) {
    const std::string& word = context.words[i];
    const bool is_flag = word == "-o" || word == "--output" || word == "--resume";
    const bool is_joined = word.rfind("--output=", 0) == 0 || word.rfind("--resume=", 0) == 0 ||
                           (word.rfind("-o", 0) == 0 && word.size() > 2);
    if (!is_value && !is_flag && !is_joined) words.push_back(word);
    is_value = is_flag;
  }
  words.insert(words.end(), {"--resume", run.results.string()});
  return as_typed(base::shell_command(words));
}

report::RunSummary summarize(const Context& context, const PreparedRun& run,
                             const supervise::SweepEnd& end, bool is_at_max_failures,
                             std::chrono::steady_clock::time_point started) {
  report::RunSummary summary;
  summary.elapsed_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  summary.results_path = run.results.string();
  summary.notes = run.notes;
  if (run.num_already_done > 0) {
    summary.notes.push_back("skipped " + base::counted(run.num_already_done, "existing result"));
  }
  if (end.num_left > 0) {
    const char* const why = end.signal != 0      ? "interrupted: "
                            : is_at_max_failures ? "stopped by --maxfail: "
                                                 : "stopped: ";
    summary.notes.push_back(why + std::to_string(end.num_left) + " of " +
                            std::to_string(run.plan.size()) +
                            " not run; continue with: " + continue_command(context, run));
  }
  return summary;
}

int exit_code_of(const supervise::SweepEnd& end, const RunView& view) {
  if (end.signal != 0) return 128 + end.signal;
  return view.has_failed() ? kExitSampleFailed : kExitDone;
}

/// Seconds that a sample takes with one backend, roughly, by the sizes that its files tell.
double cost_of(const supervise::PlannedSample& sample, const PreparedRun& run) {
  std::int64_t pairs_ns = 0;
  for (const auto& backend : run.backends) {
    const config::Protocol& protocol = backend.config.protocol;
    if (protocol.method != "paired") continue;
    pairs_ns = std::max(pairs_ns, protocol.paired.value("time_ns", std::int64_t{0}));
  }
  return sample.cost + static_cast<double>(pairs_ns) / 1e9;
}

std::vector<report::PlannedPair> planned_pairs(const PreparedRun& run) {
  std::vector<report::PlannedPair> pairs;
  for (const auto& planned : run.plan) {
    pairs.push_back(
        {planned.sample.name, planned.task.plugin_variant, cost_of(planned.sample, run)});
  }
  return pairs;
}

/// Counts what the results file held before; the sweep has opened it, so it exists.
Status count_earlier(const PreparedRun& run, RunView& view) {
  GN_ASSIGN_OR_RETURN(const journal::JournalContent earlier,
                      journal::read_journal(run.results, journal::JournalDepth::kBrief));
  std::map<std::string, double> costs;
  for (const auto& sample : run.samples) costs[sample.name] = cost_of(sample, run);
  for (const record::Record& record : earlier.records) view.earlier(record, costs[record.sample]);
  return Status::ok();
}

Result<int> sweep(const Context& context, const RunOptions& options, const PreparedRun& run) {
  const auto started = std::chrono::steady_clock::now();
  GN_ASSIGN_OR_RETURN(JournaledSweep sweep, JournaledSweep::open(context, run));
  RunView view(context, options, facts_of(context, run, sweep.hardware()), planned_pairs(run));
  if (options.resume) GN_RETURN_IF_ERROR(count_earlier(run, view));
  const Result<supervise::SweepEnd> end = sweep.run(view);
  if (!end.is_ok()) {
    view.hide();
    return end.status();
  }
  report::RunSummary summary = summarize(context, run, *end, view.is_at_max_failures(), started);
  for (std::string& note : view.output_notes()) summary.notes.push_back(std::move(note));
  view.finish(summary);
  if (options.junit) {
    const Status written = write_junit(run.results, *options.junit);
    if (!written.is_ok() && end->signal == 0) return written;
    if (!written.is_ok()) print_error(written, context.error.color);
  }
  return exit_code_of(*end, view);
}

Result<int> execute(const Context& context, const RunFlags& flags) {
  GN_ASSIGN_OR_RETURN(RunOptions options, check_run_flags(flags, context.installation));
  GN_RETURN_IF_ERROR(open_reference(options));
  quicken_first_run(context.installation, options);
  if (context.flags.json && flags.format) {
    return Status(Code::kUsage, "--json and --format exclude each other");
  }
  return run_samples(context, options);
}

}  // namespace

Result<int> run_samples(const Context& context, const RunOptions& options, const OnPlan& on_plan) {
  GN_ASSIGN_OR_RETURN(const PreparedRun run, prepare(context, options, on_plan));
  const int num_refused = print_refusals(context, run.backends);
  if (!options.dry_run) return sweep(context, options, run);
  if (context.flags.json) {
    std::cout << base::dump_json(plan_json(run.plan)) << '\n';
  } else {
    std::cout << plan_text(run.backends, run.samples, run.plan, measure::affinity_cores(),
                           context.flags.verbosity > 0);
  }
  return num_refused > 0 ? kExitPlugin : kExitDone;
}

Command run_command() {
  const auto flags = std::make_shared<RunFlags>();
  Command command;
  command.summary = "measure and verify samples with one or more backends";
  command.description =
      "Runs each sample eagerly, compiles and runs it with the backend that a config names, "
      "compares\nand times both, and appends one record per pair to a results file. Each pair runs "
      "in a process\nof its own: a crash, a hang or a lack of memory costs that pair and nothing "
      "else. With several\nconfigs, a plugin whose files cannot be used costs its own pairs only; "
      "with one the run ends at\nonce. Ctrl-C lets the running pair finish and ends the run; a "
      "second one stops that pair too.\n\nThe end of a run compares the backends on the samples "
      "that "
      "all of them did. --columns chooses\nwhat the table shows; graphnet help words explains the "
      "columns.";
  command.usage = "run [SAMPLE|DIR|LIST]... --config CONFIG [options]";
  command.positionals = {
      "SAMPLE|DIR|LIST",
      "a sample or a folder of samples, by path or by its name in tables, or a text file with one "
      "per line and # comments (default: the config's samples, else the bundled ones with protocol "
      "smoke)",
      &flags->samples,
      {},
      "SAMPLE|FILE"};
  command.flags = run_flag_table(*flags);
  command.examples = {
      {"graphnet run --config nope", "the control on the bundled samples"},
      {"graphnet run timm -k resnet --config nope -x --durations 5",
       "samples by name; end at the first failure; what took longest"},
      {"graphnet run samples/timm --config one.yaml --config two.yaml",
       "two backends on every sample of a folder"},
      {"graphnet run list.txt --config nope.yaml --protocol smoke --json | jq .outcome",
       "records on standard output instead of the table"},
      {"graphnet run --config nope.yaml --protocol upstream --format graphnet-log > nope.log",
       "what the dataset's own analysis scripts read"},
      {"graphnet run timm --config nope --keep-outputs kept",
       "on one machine; on another one, with that folder: graphnet run --reference kept"},
      {"graphnet run timm --config nope --junit run.xml", "for the test view of a build server"},
      {"graphnet run --config nope.yaml --dry-run -v", "every value and where it comes from"},
  };
  command.execute = [flags](const Context& context) { return execute(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
