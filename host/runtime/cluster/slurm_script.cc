// SPDX-License-Identifier: MIT
#include "cluster/slurm_script.h"

#include <algorithm>

#include "base/text.h"

namespace graphnet::cluster {

using base::Code;
using base::Result;
using base::Status;

namespace {

std::string directive(const std::string& option) {
  return "#SBATCH --" + option + "\n";
}

/// File name patterns of sbatch: a percent sign begins a replacement.
std::string file_pattern(const std::filesystem::path& path) {
  std::string pattern;
  for (const char byte : path.string()) pattern += byte == '%' ? "%%" : std::string(1, byte);
  return pattern;
}

std::string user_directives(const SlurmRun& run) {
  std::string text;
  for (const auto& option : run.options) text += directive(option);
  return text;
}

}  // namespace

std::string array_script(const SlurmRun& run) {
  const std::string count = std::to_string(run.shards);
  std::vector<std::string> words = {run.program.string()};
  words.insert(words.end(), run.run_words.begin(), run.run_words.end());
  std::string text = "#!/bin/bash\n";
  text += directive("job-name=graphnet");
  text += directive("array=1-" + count);
  text += directive("requeue");
  if (!run.shares_nodes) text += directive("exclusive");
  text += directive("open-mode=append");
  text += directive("output=\"" + file_pattern(run.log_folder()) + "/shard-%a.txt\"");
  text += user_directives(run);
  text += "# One shard of a run; started again, it goes on where it was.\n";
  text += "shard=${SLURM_ARRAY_TASK_ID:?this script is an array job of Slurm}\n";
  text += "exec " + base::shell_command(words) + " \\\n";
  text += "  --shard \"$shard/" + count + "\" --fail-on never \\\n";
  text += "  --resume " + base::shell_command({run.shard_folder().string()}) +
          "/\"shard-$shard.jsonl\"\n";
  return text;
}

std::string merge_script(const SlurmRun& run) {
  std::string text = "#!/bin/bash\n";
  text += directive("job-name=graphnet-merge");
  text += directive("requeue");
  text += directive("open-mode=append");
  text += directive("output=\"" + file_pattern(run.log_folder()) + "/merge.txt\"");
  text += user_directives(run);
  text += "exec " +
          base::shell_command({run.program.string(), "merge", "--output", run.results().string(),
                               run.shard_folder().string()}) +
          "\n";
  return text;
}

Result<std::string> parse_sbatch_option(const std::string& text) {
  const std::size_t begin = std::min(text.find_first_not_of('-'), text.size());
  const std::string option = text.substr(begin);
  const bool is_plain = std::none_of(option.begin(), option.end(),
                                     [](unsigned char byte) { return byte < ' ' || byte == 0x7f; });
  if (!option.empty() && is_plain) return option;
  return Status(Code::kUsage, "--sbatch takes one long option of sbatch, such as partition=gpu");
}

}  // namespace graphnet::cluster
