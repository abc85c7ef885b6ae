// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace graphnet::base {

/// How a process ended.
struct ExitState {
  std::optional<int> exit_code;  ///< set if it exited
  std::optional<int> signal;     ///< set if a signal ended it
  std::int64_t peak_rss_bytes = 0;
  /// "exit code 3", "SIGSEGV (segmentation fault)".
  std::string to_string() const;
};

/// A running child process in a process group of its own; killed with its group if still running
/// when the object goes away.
class Subprocess {
 public:
  struct Options {
    std::vector<std::string> arguments;  ///< argv; [0] is the path of the executable
    /// Extra variables "NAME=value" on top of the parent's environment.
    std::vector<std::string> environment;
    /// Descriptor of the parent that the child gets as number 3 (the control channel); -1: none.
    int control_fd = -1;
    /// Descriptor that the child gets as standard output and error; -1: the parent's own.
    int output_fd = -1;
    /// Descriptor that it gets as standard error instead; -1: as `output_fd` says.
    int error_fd = -1;
  };

  /// Starts a process; standard input is /dev/null.
  ///
  /// errors   kEnvironment if the process cannot be started (missing file, no memory)
  static Result<Subprocess> start(const Options& options);

  /// Takes over a child of this process that leads its own process group, however it came to be.
  ///
  /// errors   kEnvironment if it cannot be watched
  static Result<Subprocess> adopt(pid_t pid);

  Subprocess(Subprocess&& other) noexcept;
  Subprocess& operator=(Subprocess&&) = delete;
  ~Subprocess();

  pid_t pid() const { return pid_; }
  /// Polls as readable or hung up when the process has ended: a pidfd, or where the kernel has none
  /// (Linux before 5.3, gVisor) a pipe that a thread closes which waits for the process.
  int wait_fd() const { return end_.get(); }
  /// Sends a signal to the whole process group.
  void signal_group(int signal) const;
  /// Waits until it has ended; safe to call again. Kills what is left of the group.
  ExitState wait();

 private:
  explicit Subprocess(pid_t pid) : pid_(pid) {}
  Status watch();
  Status watch_by_thread();

  pid_t pid_ = -1;
  UniqueFd end_;
  std::thread waiter_;  // without pidfd; ends with the process
  std::optional<ExitState> ended_;
};

}  // namespace graphnet::base
