// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "base/subprocess.h"
#include "supervise/memory_group.h"

namespace graphnet::supervise {

/// A worker program that has loaded libtorch once and makes workers by forking, in milliseconds
/// where a fresh process takes 150. Started when first needed, started again if it died.
class Zygote {
 public:
  /// `group`: in which it lives, and so do its workers; null: none. `mark`: as
  /// WorkerSettings::mark.
  explicit Zygote(std::filesystem::path executable, std::shared_ptr<MemoryGroup> group = nullptr,
                  std::string mark = "")
      : executable_(std::move(executable)), group_(std::move(group)), mark_(std::move(mark)) {}

  /// A new worker: a child of this process, in a group of its own, with these two descriptors as
  /// its control channel and as its standard output and error.
  ///
  /// errors   kEnvironment: it does not start, does not answer, or cannot fork safely (it has more
  ///          than one thread); a fresh process may still do
  base::Result<base::Subprocess> fork(int control_fd, int output_fd);

  /// Whether what it forks now is in `group`.
  bool is_in(const MemoryGroup& group) const { return is_in_group_ && group_.get() == &group; }

  /// 0: it does not run.
  pid_t pid() const { return running_ ? running_->process.pid() : 0; }

 private:
  struct Running {
    base::Subprocess process;
    base::UniqueFd channel;
  };

  base::Status start();
  base::Result<base::Subprocess> ask(int control_fd, int output_fd);

  std::filesystem::path executable_;
  std::shared_ptr<MemoryGroup> group_;
  std::string mark_;
  std::optional<Running> running_;
  bool is_in_group_ = false;
};

}  // namespace graphnet::supervise
