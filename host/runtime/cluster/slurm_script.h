// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace graphnet::cluster {

/// A run that Slurm spreads over machines: one array job, each task a shard, and a job that merges
/// when all of them have ended, however they ended.
struct SlurmRun {
  std::filesystem::path program;  ///< graphnet, as the nodes see it
  /// What follows "graphnet" in each task, without --shard, --resume and --fail-on.
  std::vector<std::string> run_words;
  std::filesystem::path folder;  ///< absolute; holds scripts, logs, shards and the merged results
  int shards = 1;
  bool shares_nodes = false;  ///< other jobs may use the nodes at the same time
  /// Options of sbatch for both jobs, without dashes: "partition=gpu", "time=4:00:00".
  std::vector<std::string> options;

  std::filesystem::path sample_list() const { return folder / "samples.txt"; }
  std::filesystem::path shard_folder() const { return folder / "shards"; }
  std::filesystem::path log_folder() const { return folder / "log"; }
  std::filesystem::path array_file() const { return folder / "array.sh"; }
  std::filesystem::path merge_file() const { return folder / "merge.sh"; }
  std::filesystem::path results() const { return folder / "results.jsonl"; }
};

/// The array job. A task may be killed and started again at any moment, by Slurm (--requeue) or by
/// hand: it goes on with its shard's results file.
std::string array_script(const SlurmRun& run);

/// The job that makes results.jsonl of the shards' files.
std::string merge_script(const SlurmRun& run);

/// An option of sbatch as SlurmRun::options has it; leading dashes are taken off.
///
/// errors   kUsage: empty, or something that would end the line of a script
base::Result<std::string> parse_sbatch_option(const std::string& text);

}  // namespace graphnet::cluster
