// SPDX-License-Identifier: MIT
#include "supervise/run_plan.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "base/file.h"
#include "base/sha256.h"

namespace graphnet::supervise {

using base::Code;
using base::Result;
using base::Status;

namespace {

/// Digest of a file of any length in bounded memory; plugins may carry hundreds of megabytes.
Result<std::string> file_sha256(const std::filesystem::path& path) {
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto failed = [&] {
    return Status(Code::kInput, "cannot read '" + path.string() + "': " + std::strerror(errno));
  };
  if (!fd.is_open()) return failed();
  base::Sha256 digest;
  std::string chunk(1U << 18U, '\0');
  while (true) {
    const ssize_t num_read = ::read(fd.get(), chunk.data(), chunk.size());
    if (num_read == 0) break;
    if (num_read < 0 && errno == EINTR) continue;
    if (num_read < 0) return failed();
    digest.update(chunk.data(), static_cast<std::size_t>(num_read));
  }
  return digest.finish();
}

/// What tells one build of a plugin from another.
struct LibraryIdentity {
  std::string sha256;
  std::string stamp;
};

std::string repeat_command(const PlannedSample& sample, const config::Backend& backend,
                           const PlanSettings& settings) {
  std::vector<std::string> words = {"graphnet", "run", sample.path, "--config",
                                    backend.config.file.string()};
  words.insert(words.end(), settings.repeat_flags.begin(), settings.repeat_flags.end());
  return shell_command(words);
}

/// What a worker may use; nothing for no limit.
std::optional<std::int64_t> worker_memory(const config::MemoryLimit& limit,
                                          std::uint64_t free_bytes) {
  using Kind = config::MemoryLimit::Kind;
  const std::uint64_t bytes = limit.kind == Kind::kAuto ? free_bytes / 8 * 7 : limit.num_bytes;
  if (limit.kind == Kind::kNone || bytes == 0) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

PlannedTask make_task(const PlannedSample& sample, const config::Backend& backend,
                      const LibraryIdentity& library, const PlanSettings& settings) {
  const config::RunConfig& config = backend.config;
  PlannedTask planned;
  planned.sample = sample;
  planned.plugin_sha256 = library.sha256;
  planned.library_stamp = library.stamp;
  planned.limits = config.timeouts;
  journal::Task& task = planned.task;
  task.sample_path = sample.path;
  task.plugin_library = backend.manifest.library.string();
  task.plugin_name = backend.manifest.name;
  task.plugin_version = backend.manifest.version;
  task.plugin_options = backend.options;
  task.device = config.device;
  task.threads = config.threads > 0 ? config.threads : settings.auto_threads;
  task.weights = config.weights;
  task.protocol = config.protocol.name;
  task.warmup = config.protocol.warmup;
  task.trials = config.protocol.trials;
  task.method = config.protocol.method;
  if (task.method == "paired") task.protocol_settings = config.protocol.paired;
  task.digest = settings.digest;
  task.memory_limit_bytes = worker_memory(config.limits.memory, settings.free_memory_bytes);
  if (config.limits.flop > 0) task.flop_limit = config.limits.flop;
  task.command = repeat_command(sample, backend, settings);
  task.run_id = settings.run_id;
  return planned;
}

/// What makes two results exchangeable, as text.
std::string identity(const std::string& sample, const std::string& plugin_sha256,
                     const journal::Task& task) {
  const base::Json parts = {
      sample,      plugin_sha256, task.plugin_name, task.plugin_version, task.plugin_options,
      task.device, task.threads,  task.weights,     task.protocol,       task.protocol_settings,
      task.warmup, task.trials};
  return base::dump_json(parts);
}

std::string identity(const journal::Record& record) {
  journal::Task task;
  task.plugin_name = record.plugin;
  task.plugin_version = record.plugin_version;
  task.plugin_options = record.plugin_options;
  task.device = record.device;
  task.threads = record.threads;
  task.weights = record.weights;
  task.protocol = record.protocol;
  task.protocol_settings = record.protocol_settings;
  task.warmup = record.warmup;
  task.trials = record.trials;
  return identity(record.sample, record.plugin_sha256, task);
}

std::string shell_word(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char byte : word) {
    if (byte == '\'') {
      quoted += "'\\''";
    } else {
      quoted += byte;
    }
  }
  return quoted + "'";
}

}  // namespace

Result<std::vector<PlannedTask>> make_plan(const std::vector<PlannedSample>& samples,
                                           const std::vector<config::Backend>& backends,
                                           const PlanSettings& settings) {
  std::vector<LibraryIdentity> libraries;
  for (const auto& backend : backends) {
    // The stamp first: a change while hashing must count as a change.
    LibraryIdentity library;
    library.stamp = file_stamp(backend.manifest.library);
    GN_ASSIGN_OR_RETURN(library.sha256, file_sha256(backend.manifest.library));
    libraries.push_back(std::move(library));
  }
  std::vector<PlannedTask> plan;
  plan.reserve(samples.size() * backends.size());
  for (const auto& sample : samples) {
    for (std::size_t i = 0; i < backends.size(); ++i) {
      plan.push_back(make_task(sample, backends[i], libraries[i], settings));
    }
  }
  return plan;
}

std::size_t drop_done(std::vector<PlannedTask>& plan, const std::vector<journal::Record>& records) {
  std::map<std::string, int> num_done;
  for (const auto& record : records) {
    // What was skipped may fit by now, or under other limits; finding out takes milliseconds.
    if (record.outcome != "skipped") ++num_done[identity(record)];
  }
  const std::size_t num_planned = plan.size();
  const auto is_done = [&](const PlannedTask& planned) {
    const auto done =
        num_done.find(identity(planned.sample.name, planned.plugin_sha256, planned.task));
    return done != num_done.end() && done->second-- > 0;
  };
  plan.erase(std::remove_if(plan.begin(), plan.end(), is_done), plan.end());
  return num_planned - plan.size();
}

std::string file_stamp(const std::filesystem::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return "";
  std::string text;
  for (const auto part :
       {static_cast<long long>(status.st_dev), static_cast<long long>(status.st_ino),
        static_cast<long long>(status.st_size), static_cast<long long>(status.st_mtim.tv_sec),
        static_cast<long long>(status.st_mtim.tv_nsec)}) {
    text += std::to_string(part) + ":";
  }
  return text;
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string command;
  for (const auto& word : words) command += (command.empty() ? "" : " ") + shell_word(word);
  return command;
}

}  // namespace graphnet::supervise
