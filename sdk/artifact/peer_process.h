// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "artifact/spawn.h"

namespace graphnet::artifact {

/// A program that a plugin talks with through its input and output. It is killed, with all that it
/// started, at the end; if this process ends before, its input ends.
class PeerProcess {
 public:
  /// How long a call waits.
  struct Patience {
    std::chrono::steady_clock::time_point deadline;
    std::function<bool()> cancelled;  ///< asked ten times a second; may be empty
  };

  /// As run_child(); `messages`: file that gets what it prints as messages.
  ///
  /// errors   Failure UNAVAILABLE: it cannot be started
  PeerProcess(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
              const std::string& messages);
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;
  ~PeerProcess();

  /// errors   Failure RUNTIME_FAILED: it has ended, takes nothing until the deadline, or was
  ///          cancelled; the message says which, and by which signal or with which exit code it
  ///          ended
  void write(const void* data, std::size_t size, const Patience& patience);
  void read(void* data, std::size_t size, const Patience& patience);

 private:
  [[noreturn]] void explain(const char* verb);
  void wait_until_ready(short events, const Patience& patience, const char* verb);

  Descriptor ours_;
  std::string name_;
  pid_t pid_ = 0;
};

}  // namespace graphnet::artifact
