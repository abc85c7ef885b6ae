// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "cluster/shard.h"
#include "config/run_config.h"
#include "outputs/kept_outputs.h"
#include "record/outcome.h"
#include "report/table_columns.h"
#include "supervise/run_plan.h"

namespace graphnet::cli {

/// Most samples at a time: each has a process that holds libtorch.
inline constexpr int kMaxJobs = 64;

/// Says how many threads test-compiler uses where no flag does, as for upstream's torch.
inline constexpr const char* kThreadsVariable = "OMP_NUM_THREADS";

/// Flags of `graphnet run` as text, filled by the parser.
struct RunFlags {
  std::vector<std::string> samples;
  std::vector<std::string> configs;
  std::vector<std::string> sets;
  std::optional<std::string> protocol;
  std::optional<std::string> warmup;
  std::optional<std::string> trials;
  std::optional<std::string> threads;
  std::optional<std::string> timeout;
  std::optional<std::string> max_gflop;
  std::optional<std::string> proof;
  std::optional<std::string> output;
  std::optional<std::string> resume;
  std::optional<std::string> shard;
  std::optional<std::string> format;
  std::optional<std::string> fail_on;
  std::optional<std::string> isolate;
  std::optional<std::string> jobs;
  std::optional<std::string> devices;
  std::optional<std::string> columns;
  std::optional<std::string> match;
  std::optional<std::string> maxfail;
  std::optional<std::string> durations;
  std::optional<std::string> artifact_cache;
  std::optional<std::string> dump;
  std::optional<std::string> junit;
  std::optional<std::string> keep_outputs;
  std::optional<std::string> reference;
  bool exit_first = false;
  bool digest = false;
  bool dry_run = false;
  bool retry_failed = false;
};

using record::FailOn;

/// What standard output carries while samples run.
enum class OutputFormat { kTable, kGraphnetLog };

/// The same, typed and checked.
struct RunOptions {
  std::vector<std::string> samples;
  std::vector<std::string> configs;
  std::vector<std::string> sets;
  std::optional<std::string> protocol;
  bool is_first_run = false;  ///< see quicken_first_run()
  std::optional<int> warmup;
  std::optional<int> trials;
  std::optional<int> threads;  ///< 0: auto
  std::optional<config::TimeLimit> timeout;
  std::optional<double> flop_limit;  ///< of one call; 0: none
  std::optional<std::string> proof;
  std::optional<std::filesystem::path> output;
  std::optional<std::filesystem::path> resume;
  supervise::Retry retry = supervise::Retry::kUntried;
  std::optional<cluster::Shard> shard;
  OutputFormat format = OutputFormat::kTable;
  FailOn fail_on = FailOn::kFailed;
  std::optional<std::string> match;  ///< pattern for names of samples, see keep_matching()
  std::optional<int> max_failures;   ///< the run ends after so many; nothing: at none
  std::optional<std::filesystem::path> junit;
  std::optional<std::filesystem::path> artifact_cache;
  std::optional<std::filesystem::path> dump;
  std::optional<std::filesystem::path> keep_outputs;  ///< folder
  std::optional<std::filesystem::path> reference;     ///< such a folder
  std::vector<outputs::KeptFacts> kept;               ///< what it holds
  std::optional<int> num_slowest;  ///< of samples to list by their phases; 0: all of them
  bool forks_workers = true;
  int jobs = 1;  ///< samples at a time; 0: auto
  /// Over which the samples are spread, one at a time on each; empty: each config's own.
  std::vector<std::string> devices;
  std::vector<report::TableColumn> columns = report::default_columns();
  bool digest = false;
  bool dry_run = false;
  /// The flags above that change results, as words of a command line.
  std::vector<std::string> repeat_flags;
  /// The same command continues the run: where results go does not depend on the run.
  bool continues_itself = false;
};

/// The flags that decide what is run and how; targets point into `flags`.
std::vector<Flag> measuring_flag_table(RunFlags& flags);

/// How many samples at a time; the target points into `flags`.
Flag jobs_flag(RunFlags& flags);

/// The columns of a table of results; for `graphnet report` too.
Flag columns_flag(std::optional<std::string>& columns);

/// The table of flags of `graphnet run`: those above, and where results go; targets point into
/// `flags`.
std::vector<Flag> run_flag_table(RunFlags& flags);

/// errors   kUsage: a value of the wrong form, no --config, flags that exclude each other
base::Result<RunOptions> check_run_flags(const RunFlags& flags,
                                         const config::Installation& installation);

/// Chooses protocol smoke where neither samples nor a protocol were named, by flags or configs: the
/// bundled samples then only show that everything works, which must not take minutes.
void quicken_first_run(const config::Installation& installation, RunOptions& options);

/// Lets the flags win over a config.
///
/// errors   kInput: no such protocol; kUsage: a flag that the chosen protocol has no use for
base::Status apply_run_options(const RunOptions& options, const config::Installation& installation,
                               config::RunConfig& config);

/// Refuses more threads than this process may use cores: they would take turns, and times would say
/// nothing.
///
/// errors   kUsage if a flag or variable said so, kInput if a config did
base::Status check_threads(const config::RunConfig& config, int cores);

}  // namespace graphnet::cli
