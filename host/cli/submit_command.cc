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
#include "cli/exit_code.h"
#include "cli/flag_values.h"
#include "cli/output_file.h"
#include "cli/plugin_state.h"
#include "cli/run_command.h"
#include "cli/run_options.h"
#include "cluster/slurm.h"
#include "cluster/slurm_script.h"
#include "journal/run_id.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;
using cluster::SlurmRun;

namespace {

/// Flags of `graphnet submit` as text.
struct SubmitFlags {
  RunFlags run;  ///< measuring_flag_table() and jobs_flag(); `samples`: the positionals
  std::optional<std::string> engine;
  std::optional<std::string> shards;
  std::optional<std::string> folder;
  std::vector<std::string> sbatch;
  bool shares_nodes = false;
  bool dry_run = false;
};

constexpr std::uint64_t kMaxScriptBytes = std::uint64_t{64} << 20;

/// A submission, and the content of its files.
struct Submission {
  SlurmRun run;
  std::size_t num_samples = 0;
  std::string sample_list;
};

Result<int> read_shards(const std::optional<std::string>& text, std::size_t num_samples) {
  GN_ASSIGN_OR_RETURN(const std::optional<int> shards,
                      read_count("--shards", text, 1, cluster::kMaxShards));
  if (!shards) {
    return Status(Code::kUsage, "--shards is missing").add_hint("--shards 16: sixteen tasks");
  }
  return std::min(*shards,
                  static_cast<int>(std::min<std::size_t>(num_samples, cluster::kMaxShards)));
}

/// The samples as a file for `graphnet run`: what a folder holds later must not change the shards.
Result<std::string> sample_list(const std::vector<supervise::PlannedSample>& samples) {
  std::string text = "# written by graphnet submit; all shards read the same list\n";
  for (const auto& sample : samples) {
    std::error_code ignored;
    const std::string path = fs::absolute(sample.path, ignored).lexically_normal().string();
    if (path.find_first_of("\r\n") != std::string::npos || path.find(" #") != std::string::npos ||
        path.find("\t#") != std::string::npos) {
      return Status(Code::kInput, "'" + path + "' cannot stand in a list of samples");
    }
    text += path + "\n";
  }
  return text;
}

/// What follows "graphnet" in each task.
Result<std::vector<std::string>> run_words(const Context& context, const RunOptions& options,
                                           const std::optional<std::string>& jobs,
                                           const fs::path& list) {
  std::vector<std::string> words = {"run", list.string()};
  for (const auto& name : options.configs) {
    GN_ASSIGN_OR_RETURN(const fs::path file, config::find_config(context.installation, name));
    words.insert(words.end(), {"--config", fs::absolute(file).lexically_normal().string()});
  }
  words.insert(words.end(), options.repeat_flags.begin(), options.repeat_flags.end());
  const std::vector<std::string> plugins = plugin_flags(context);
  words.insert(words.end(), plugins.begin(), plugins.end());
  if (jobs) words.insert(words.end(), {"--jobs", *jobs});
  return words;
}

Result<Submission> prepare(const Context& context, const SubmitFlags& flags) {
  if (flags.engine.value_or("slurm") != "slurm") {
    return Status(Code::kUsage, "--engine must be slurm, got '" + *flags.engine + "'")
        .add_hint(
            "with any other: graphnet run --shard 1/8 --resume shard-1.jsonl, ... on each "
            "machine, then graphnet merge");
  }
  GN_ASSIGN_OR_RETURN(const RunOptions options, check_run_flags(flags.run, context.installation));
  GN_ASSIGN_OR_RETURN(const auto backends, read_backends(context, options));
  GN_ASSIGN_OR_RETURN(const auto samples, choose_samples(context, options, backends));
  GN_RETURN_IF_ERROR(check_path_text("--output", flags.folder));
  Submission submission;
  SlurmRun& run = submission.run;
  const fs::path folder =
      flags.folder ? fs::path(*flags.folder) : fs::path("results") / journal::new_run_id();
  run.folder = fs::absolute(folder).lexically_normal();
  run.program = base::executable_folder() / "graphnet";
  run.shares_nodes = flags.shares_nodes;
  for (const auto& text : flags.sbatch) {
    GN_ASSIGN_OR_RETURN(run.options.emplace_back(), cluster::parse_sbatch_option(text));
  }
  submission.num_samples = samples.size();
  GN_ASSIGN_OR_RETURN(run.shards, read_shards(flags.shards, samples.size()));
  GN_ASSIGN_OR_RETURN(submission.sample_list, sample_list(samples));
  GN_ASSIGN_OR_RETURN(run.run_words,
                      run_words(context, options, flags.run.jobs, run.sample_list()));
  return submission;
}

struct File {
  fs::path path;
  std::string content;
};

std::vector<File> files_of(const Submission& submission) {
  const SlurmRun& run = submission.run;
  return {{run.sample_list(), submission.sample_list},
          {run.array_file(), cluster::array_script(run)},
          {run.merge_file(), cluster::merge_script(run)}};
}

/// Writes the files; a folder that holds the same submission already is gone on with.
Status write_files(const Submission& submission) {
  const SlurmRun& run = submission.run;
  for (const fs::path& folder : {run.shard_folder(), run.log_folder()}) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
      return Status(Code::kEnvironment,
                    "cannot create '" + folder.string() + "': " + error.message());
    }
  }
  const std::vector<File> files = files_of(submission);
  for (const File& file : files) {
    std::error_code ignored;
    if (!fs::exists(file.path, ignored)) continue;
    const Result<std::string> old = base::read_file(file.path, kMaxScriptBytes);
    if (old.is_ok() && *old == file.content) continue;
    return Status(Code::kUsage, "'" + run.folder.string() + "' holds another submission: " +
                                    file.path.filename().string() + " differs")
        .add_hint("name another folder with --output");
  }
  for (const File& file : files) {
    GN_RETURN_IF_ERROR(base::write_file_atomic(file.path, file.content));
  }
  return Status::ok();
}

void print_dry_run(const Submission& submission) {
  const SlurmRun& run = submission.run;
  std::cout << submission.num_samples << " samples in " << run.shards << " shards; nothing is "
            << "written or submitted\n";
  for (const File& file : files_of(submission)) {
    if (file.path == run.sample_list()) continue;
    std::cout << "\n== " << file.path.string() << '\n' << file.content;
  }
  std::cout << "\n== submitted with\n"
            << base::shell_command(cluster::sbatch_words(run.array_file(), "")) << '\n'
            << base::shell_command(cluster::sbatch_words(run.merge_file(), "JOB")) << '\n';
}

Result<int> execute(const Context& context, const SubmitFlags& flags) {
  GN_ASSIGN_OR_RETURN(const Submission submission, prepare(context, flags));
  if (flags.dry_run) {
    print_dry_run(submission);
    return kExitDone;
  }
  GN_RETURN_IF_ERROR(write_files(submission));
  const SlurmRun& run = submission.run;
  GN_ASSIGN_OR_RETURN(const std::string array, cluster::submit_script(run.array_file(), ""));
  GN_ASSIGN_OR_RETURN(const std::string merge, cluster::submit_script(run.merge_file(), array));
  if (context.flags.json) {
    const base::Json result = {{"schema", "graphnet.submit/1"},
                               {"array_job", array},
                               {"merge_job", merge},
                               {"samples", submission.num_samples},
                               {"shards", run.shards},
                               {"folder", run.folder.string()},
                               {"results", run.results().string()}};
    std::cout << base::dump_json(result) << '\n';
    return kExitDone;
  }
  std::cout << "job " << array << ": " << submission.num_samples << " samples in " << run.shards
            << " shards; job " << merge << " merges them\nresults: " << run.results().string()
            << "\nwatch: squeue -j " << array << "," << merge
            << "    again, after a failure: the same command\n";
  return kExitDone;
}

}  // namespace

Command submit_command() {
  const auto flags = std::make_shared<SubmitFlags>();
  Command command;
  command.summary = "spread a run over the machines of a Slurm cluster";
  command.description =
      "Writes an array job whose tasks each run one shard (`graphnet run --shard I/N`), and a job\n"
      "that merges their results when all have ended; submits both with sbatch. A task that is\n"
      "stopped or requeued goes on where it was. The folder, the samples and this installation "
      "must\n"
      "be seen by all nodes under the same names. Each task has its node for itself, because "
      "neighbours\n"
      "disturb times.";
  command.usage = "submit [SAMPLE|DIR|LIST]... --config CONFIG --shards N [options]";
  command.positionals = {
      "SAMPLE|DIR|LIST", "as `graphnet run`", &flags->run.samples, {}, "SAMPLE|FILE"};
  command.flags = measuring_flag_table(flags->run);
  const std::vector<Flag> others = {
      {"--engine", "slurm", "who starts the tasks (default: slurm)", &flags->engine},
      {"--shards", "N", "number of tasks; more than machines, so that none waits long",
       &flags->shards},
      {"--sbatch", "OPTION",
       "a long option of sbatch for both jobs, such as partition=gpu; may repeat", &flags->sbatch},
      jobs_flag(flags->run),
      {"--share-nodes", "", "let other jobs use the nodes at the same time; times suffer",
       &flags->shares_nodes},
      {"-o,--output", "DIR", "folder for scripts, logs and results (default: results/<utc>-<id>)",
       &flags->folder},
      {"--dry-run", "", "print the scripts; write and submit nothing", &flags->dry_run},
  };
  command.flags.insert(command.flags.end(), others.begin(), others.end());
  command.examples = {
      {"graphnet submit samples --config nope.yaml --shards 16 --sbatch partition=cpu",
       "sixteen tasks on one partition"},
      {"graphnet submit list.txt --config nope.yaml --shards 200 --sbatch time=2:00:00 --dry-run",
       "what would be submitted"}};
  command.execute = [flags](const Context& context) { return execute(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
