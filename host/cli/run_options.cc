// SPDX-License-Identifier: MIT
#include "cli/run_options.h"

#include <utility>

#include "base/text.h"
#include "cli/device_list.h"
#include "cli/flag_values.h"
#include "cli/output_file.h"
#include "config/quantity.h"

namespace graphnet::cli {

using base::Code;
using base::Result;
using base::Status;

namespace {

Result<FailOn> read_fail_on(const std::optional<std::string>& text) {
  if (!text || *text == "failed") return FailOn::kFailed;
  if (*text == "any") return FailOn::kAny;
  if (*text == "error") return FailOn::kError;
  if (*text == "never") return FailOn::kNever;
  return Status(Code::kUsage, "--fail-on must be any, failed, error or never, got '" + *text + "'");
}

Result<OutputFormat> read_format(const std::optional<std::string>& text) {
  if (!text || *text == "table") return OutputFormat::kTable;
  if (*text == "graphnet-log") return OutputFormat::kGraphnetLog;
  return Status(Code::kUsage, "--format must be table or graphnet-log, got '" + *text + "'");
}

Result<std::optional<std::string>> read_proof(const std::optional<std::string>& text) {
  if (!text || *text == "full" || *text == "counts" || *text == "none") return text;
  return Status(Code::kUsage, "--proof must be full, counts or none, got '" + *text + "'");
}

Status no_config(const config::Installation& installation) {
  Status error(Code::kUsage, "no backend given: --config is missing");
  error.add_hint("for example --config nope.yaml");
  const std::vector<std::string> names = config::list_configs(installation);
  if (!names.empty()) error.add_hint("configs at hand: " + base::join(names, ", "));
  return error;
}

std::vector<std::string> repeat_flags(const RunFlags& flags) {
  std::vector<std::string> words;
  for (const auto& set : flags.sets) words.insert(words.end(), {"--set", set});
  const std::pair<const char*, const std::optional<std::string>&> valued[] = {
      {"--protocol", flags.protocol}, {"--warmup", flags.warmup},
      {"--trials", flags.trials},     {"--threads", flags.threads},
      {"--timeout", flags.timeout},   {"--max-gflop", flags.max_gflop},
      {"--proof", flags.proof}};
  for (const auto& [name, value] : valued) {
    if (value) words.insert(words.end(), {name, *value});
  }
  if (flags.digest) words.emplace_back("--digest");
  return words;
}

Status read_numbers(const RunFlags& flags, RunOptions& options) {
  GN_ASSIGN_OR_RETURN(options.warmup, read_count("--warmup", flags.warmup, 0, kMaxCalls));
  GN_ASSIGN_OR_RETURN(options.trials, read_count("--trials", flags.trials, 1, kMaxCalls));
  GN_ASSIGN_OR_RETURN(options.threads,
                      read_count("--threads", flags.threads, 1, kMaxThreads, "auto"));
  if (flags.max_gflop) {
    const bool is_none = *flags.max_gflop == "none";
    const Result<double> flop =
        config::parse_flop(is_none ? *flags.max_gflop : *flags.max_gflop + "G");
    if (!flop.is_ok()) {
      return Status(Code::kUsage,
                    "--max-gflop must be a number above 0 or none, got '" + *flags.max_gflop + "'");
    }
    options.flop_limit = *flop;
  }
  GN_ASSIGN_OR_RETURN(options.timeout, read_time_limit("--timeout", flags.timeout));
  GN_ASSIGN_OR_RETURN(options.max_failures, read_count("--maxfail", flags.maxfail, 1, kMaxCalls));
  if (flags.exit_first && options.max_failures.value_or(1) != 1) {
    return Status(Code::kUsage, "-x is short for --maxfail 1, and --maxfail is " + *flags.maxfail);
  }
  if (flags.exit_first) options.max_failures = 1;
  GN_ASSIGN_OR_RETURN(options.num_slowest,
                      read_count("--durations", flags.durations, 0, kMaxCalls));
  return Status::ok();
}

}  // namespace

std::vector<Flag> measuring_flag_table(RunFlags& flags) {
  return {
      {"-c,--config", "CONFIG",
       "the run config; repeat it to run several backends side by side (files are not merged). A "
       "name without a slash, with or without .yaml, is looked up in ., "
       "$XDG_CONFIG_HOME/graphnet/configs and the bundled configs",
       &flags.configs},
      {"--set", "KEY=VALUE",
       "override a config key of every --config, such as backend.options.level=3; may repeat",
       &flags.sets},
      {"--protocol", "PROTOCOL|FILE",
       "how to time: smoke (quick), standard (default), kernel (hot and cold caches, narrow), "
       "replay (launches of a captured CUDA graph), "
       "upstream (as the dataset's own benchmark), or a protocol file",
       &flags.protocol},
      {"--warmup", "N", "protocol upstream: warm-up calls (default: 3)", &flags.warmup},
      {"--trials", "N", "protocol upstream: timed calls (default: 5)", &flags.trials},
      {"--threads", "N|auto", "size of the thread pool; auto: the cores this process may use",
       &flags.threads},
      {"--timeout", "S",
       "limit of compile and of run, each; seconds, or with unit: 500ms, 10m, none (default: 600)",
       &flags.timeout},
      {"--max-gflop", "N|none", "skip samples above N GFLOP a call (default: the config's, 2000)",
       &flags.max_gflop},
      {"--proof", "full|counts|none",
       "how to find out which code did the work: full, counts (operators that libtorch's "
       "dispatcher sees), none (default: the config's, full)",
       &flags.proof},
      {"-k,--match", "PATTERN",
       "of the samples only those whose name contains PATTERN or, with *, ? or [, is like it",
       &flags.match},
      {"--digest", "", "add SHA-256 of inputs and outputs to the records", &flags.digest},
  };
}

Flag jobs_flag(RunFlags& flags) {
  return {"-j,--jobs", "N|auto",
          "samples that are loaded, compiled and checked at a time, as far as memory allows; "
          "others pause while one is timed; auto: 1 + cores / threads (default: 1)",
          &flags.jobs};
}

Flag columns_flag(std::optional<std::string>& columns) {
  std::vector<std::string> names;
  for (const report::TableColumn& column : report::table_columns()) names.emplace_back(column.name);
  return {"--columns", "NAME,...",
          "columns of the table behind the outcome, after the default ones if the list begins with "
          "+: " +
              base::join(names, ", "),
          &columns, names};
}

std::vector<Flag> run_flag_table(RunFlags& flags) {
  std::vector<Flag> table = measuring_flag_table(flags);
  const std::vector<Flag> others = {
      {"-o,--output", "FILE",
       "results as JSONL; an existing file is appended to (default: results/<utc>-<id>.jsonl)",
       &flags.output},
      {"--resume", "FILE",
       "continue a results file: tasks that it holds are not run again; the file need not exist",
       &flags.resume},
      {"--retry-failed", "", "with --resume: run again what did not end ok", &flags.retry_failed},
      {"--junit", "FILE",
       "at the end, write the results file as JUnit XML, a test case for each sample and backend",
       &flags.junit},
      {"--shard", "I/N", "run part I of N, costliest sample first; all parts cost about the same",
       &flags.shard},
      {"--format", "table|graphnet-log",
       "what standard output carries: a table, or the lines of the dataset's own benchmark "
       "(default: table; --json: records)",
       &flags.format},
      {"--fail-on", "any|failed|error|never",
       "which outcomes make the exit code 1: any: not ok; failed: also ignores skipped; error: "
       "also ignores unsupported; never (default: failed)",
       &flags.fail_on},
      {"--maxfail", "N", "end the run after N results that --fail-on names", &flags.maxfail},
      {"-x", "", "the same as --maxfail 1", &flags.exit_first},
      {"--artifact-cache", "DIR",
       "load what a backend compiled in an earlier run, and keep what it compiles in this one; a "
       "loaded executable has no compile time",
       &flags.artifact_cache},
      {"--dump", "DIR",
       "have backends write what they hand to their compilers below DIR/SAMPLE/BACKEND; that is "
       "part of the compile time",
       &flags.dump},
      {"--keep-outputs", "DIR",
       "keep the outputs of both sides in DIR/SAMPLE/BACKEND.safetensors, with what it takes to "
       "run them again",
       &flags.keep_outputs},
      {"--reference", "DIR",
       "compare outputs and times with those that another run kept in DIR; samples, config and "
       "settings that are not given are taken from it",
       &flags.reference},
      {"--durations", "N", "at the end, the N slowest samples by phase; 0: all", &flags.durations},
      {"--isolate", "fork|fresh",
       "where each sample runs: a process forked from one that has loaded libtorch, or a fresh one "
       "(default: fork)",
       &flags.isolate},
      jobs_flag(flags),
      {"--devices", "cuda:N,...",
       "spread the samples over these devices, one at a time on each; in place of each config's "
       "device",
       &flags.devices},
      columns_flag(flags.columns),
      {"--dry-run", "", "print the plan with every value; run nothing", &flags.dry_run},
  };
  table.insert(table.end(), others.begin(), others.end());
  return table;
}

namespace {

Status read_files(const RunFlags& flags, RunOptions& options) {
  if (flags.output && flags.resume) {
    return Status(Code::kUsage,
                  "--output and --resume exclude each other: --resume appends to its "
                  "own file");
  }
  if (flags.retry_failed && !flags.resume) {
    return Status(Code::kUsage, "--retry-failed needs --resume FILE");
  }
  if (flags.output == "-") {
    return Status(Code::kUsage, "--output must be a file")
        .add_hint("--json writes the records to standard output");
  }
  const std::pair<const char*, const std::optional<std::string>*> paths[] = {
      {"--output", &flags.output},       {"--resume", &flags.resume},
      {"--junit", &flags.junit},         {"--artifact-cache", &flags.artifact_cache},
      {"--dump", &flags.dump},           {"--keep-outputs", &flags.keep_outputs},
      {"--reference", &flags.reference},
  };
  for (const auto& [flag, path] : paths) GN_RETURN_IF_ERROR(check_path_text(flag, *path));
  if (flags.output) options.output = *flags.output;
  if (flags.resume) options.resume = *flags.resume;
  if (flags.junit) options.junit = *flags.junit;
  if (flags.artifact_cache) options.artifact_cache = *flags.artifact_cache;
  if (flags.dump) options.dump = *flags.dump;
  if (flags.keep_outputs) options.keep_outputs = *flags.keep_outputs;
  if (flags.reference) options.reference = *flags.reference;
  return Status::ok();
}

Status read_jobs(const RunFlags& flags, RunOptions& options) {
  GN_ASSIGN_OR_RETURN(const std::optional<int> jobs,
                      read_count("--jobs", flags.jobs, 1, kMaxJobs, "auto"));
  options.jobs = jobs.value_or(1);
  if (!flags.devices) return Status::ok();
  if (flags.jobs) {
    return Status(Code::kUsage, "--jobs and --devices exclude each other: each device has one job");
  }
  GN_ASSIGN_OR_RETURN(options.devices, read_devices(*flags.devices));
  options.jobs = static_cast<int>(options.devices.size());
  options.sets.push_back("device=" + options.devices.front());
  return Status::ok();
}

}  // namespace

Result<RunOptions> check_run_flags(const RunFlags& flags,
                                   const config::Installation& installation) {
  if (flags.configs.empty() && !flags.reference) return no_config(installation);
  RunOptions options;
  options.samples = flags.samples;
  options.configs = flags.configs;
  options.sets = flags.sets;
  GN_RETURN_IF_ERROR(read_numbers(flags, options));
  GN_ASSIGN_OR_RETURN(options.fail_on, read_fail_on(flags.fail_on));
  GN_ASSIGN_OR_RETURN(options.format, read_format(flags.format));
  GN_RETURN_IF_ERROR(read_files(flags, options));
  if (flags.isolate && flags.isolate != "fork" && flags.isolate != "fresh") {
    return Status(Code::kUsage, "--isolate takes fork or fresh, not '" + *flags.isolate + "'");
  }
  GN_RETURN_IF_ERROR(read_jobs(flags, options));
  if (flags.reference && !flags.columns) {
    GN_ASSIGN_OR_RETURN(options.columns, report::columns_named("+reference,ratio"));
  }
  if (flags.columns) {
    GN_ASSIGN_OR_RETURN(options.columns, report::columns_named(*flags.columns));
  }
  options.forks_workers = flags.isolate.value_or("fork") == "fork";
  if (flags.shard) {
    GN_ASSIGN_OR_RETURN(options.shard, cluster::parse_shard(*flags.shard));
  }
  if (flags.retry_failed) options.retry = supervise::Retry::kFailed;
  GN_ASSIGN_OR_RETURN(options.proof, read_proof(flags.proof));
  options.protocol = flags.protocol;
  options.match = flags.match;
  options.digest = flags.digest;
  options.dry_run = flags.dry_run;
  options.repeat_flags = repeat_flags(flags);
  return options;
}

namespace {

Status check_upstream_only(const RunOptions& options, const config::Protocol& protocol) {
  if (protocol.method == "upstream") return Status::ok();
  const bool is_log = options.format == OutputFormat::kGraphnetLog;
  if (!options.warmup && !options.trials && !is_log) return Status::ok();
  const std::string flag = options.warmup   ? "--warmup"
                           : options.trials ? "--trials"
                                            : "--format graphnet-log";
  return Status(Code::kUsage, flag + " needs protocol upstream, this run uses '" + protocol.name +
                                  "', which chooses the number of calls itself")
      .add_hint("add --protocol upstream");
}

}  // namespace

void quicken_first_run(const config::Installation& installation, RunOptions& options) {
  if (!options.samples.empty() || options.protocol || options.warmup || options.trials ||
      options.format == OutputFormat::kGraphnetLog) {
    return;
  }
  for (const auto& name : options.configs) {
    const auto file = config::find_config(installation, name);
    if (!file.is_ok()) return;  // reported by who reads it for the run
    const auto config = config::read_run_config(*file, options.sets, installation.config_folders());
    if (!config.is_ok() || !config->samples.empty()) return;
    const auto chosen = config->origins.lower_bound("protocol");
    if (chosen != config->origins.end() && chosen->first.rfind("protocol", 0) == 0) return;
  }
  if (!config::find_protocol("smoke", installation.config_folders()).is_ok()) return;
  options.protocol = "smoke";
  options.is_first_run = true;
  options.repeat_flags.insert(options.repeat_flags.end(), {"--protocol", "smoke"});
}

Status apply_run_options(const RunOptions& options, const config::Installation& installation,
                         config::RunConfig& config) {
  if (options.protocol) {
    GN_ASSIGN_OR_RETURN(config.protocol,
                        config::find_protocol(*options.protocol, installation.config_folders()));
    config.origins["protocol.name"] = options.is_first_run ? "no samples named" : "--protocol";
  }
  GN_RETURN_IF_ERROR(check_upstream_only(options, config.protocol));
  if (options.warmup) {
    config.protocol.warmup = *options.warmup;
    config.origins["protocol.warmup"] = "--warmup";
  }
  if (options.trials) {
    config.protocol.trials = *options.trials;
    config.origins["protocol.trials"] = "--trials";
  }
  if (options.threads) {
    config.threads = *options.threads;
    config.origins["threads"] = "--threads";
  }
  if (options.flop_limit) {
    config.limits.flop = *options.flop_limit;
    config.origins["limits.flop"] = "--max-gflop";
  }
  if (options.proof) {
    config.proof = *options.proof;
    config.origins["proof"] = "--proof";
  }
  if (!options.timeout) return Status::ok();
  for (const char* phase : {"compile", "run", "time"}) {
    config.timeouts[phase] = *options.timeout;
    config.origins[std::string("timeouts.") + phase] = "--timeout";
  }
  return Status::ok();
}

Status check_threads(const config::RunConfig& config, int cores) {
  for (const auto& [key, count] : {std::pair<const char*, int>{"threads", config.threads},
                                   {"compile_threads", config.compile_threads}}) {
    if (count <= cores) continue;
    const auto origin = config.origins.find(key);
    const std::string where = origin == config.origins.end() ? key : origin->second;
    const bool is_flag = where.rfind("--", 0) == 0 || where == kThreadsVariable;
    const std::string what = is_flag ? where : where + ": " + key;
    return Status(is_flag ? Code::kUsage : Code::kInput,
                  what + " is " + std::to_string(count) + ", and this process may use " +
                      std::to_string(cores) + (cores == 1 ? " core" : " cores") +
                      ": threads that share a core cannot be timed")
        .add_hint("auto uses all of them");
  }
  return Status::ok();
}

}  // namespace graphnet::cli
