// SPDX-License-Identifier: MIT
#include "cluster/slurm.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "base/subprocess.h"

namespace graphnet::cluster {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr int kExitNotFound = 127;  // of env(1)

/// What was written to a descriptor, from its begin.
std::string content_of(int fd) {
  constexpr std::size_t kMaxBytes = 4096;
  std::string text(kMaxBytes, '\0');
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// "123" of what --parsable prints, "123" or "123;cluster", after any warnings.
std::string job_in(const std::string& output) {
  const std::string last = output.substr(output.rfind('\n') + 1);
  const std::string job = last.substr(0, last.find(';'));
  const bool is_number = !job.empty() && job.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? job : "";
}

}  // namespace

std::vector<std::string> sbatch_words(const std::filesystem::path& script,
                                      const std::string& after) {
  std::vector<std::string> words = {"sbatch", "--parsable"};
  if (!after.empty()) words.push_back("--dependency=afterany:" + after);
  words.push_back(script.string());
  return words;
}

Result<std::string> submit_script(const std::filesystem::path& script, const std::string& after) {
  const base::UniqueFd output(::memfd_create("sbatch", MFD_CLOEXEC));
  if (!output.is_open()) return Status(Code::kEnvironment, "no memory for the output of sbatch");
  base::Subprocess::Options options;
  options.arguments = sbatch_words(script, after);
  options.arguments.insert(options.arguments.begin(), "/usr/bin/env");
  options.output_fd = output.get();
  GN_ASSIGN_OR_RETURN(base::Subprocess child, base::Subprocess::start(options));
  const base::ExitState end = child.wait();
  if (end.exit_code == kExitNotFound) {
    return Status(Code::kEnvironment, "sbatch is not on PATH; submit from a machine with Slurm")
        .add_hint("--dry-run prints the scripts")
        .add_hint(
            "without Slurm: graphnet run --shard 1/8 --resume shard-1.jsonl, ... on each "
            "machine, then graphnet merge");
  }
  const std::string text = content_of(output.get());
  const std::string job = job_in(text);
  if (end.exit_code == 0 && !job.empty()) return job;
  Status refused(Code::kEnvironment, "sbatch did not take the job: " + end.to_string());
  if (!text.empty()) refused.add_context(text);
  return refused.add_context(script.string());
}

}  // namespace graphnet::cluster
