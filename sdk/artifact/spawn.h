// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace graphnet::artifact {

/// A file descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor& operator=(int fd) {
    reset();
    fd_ = fd;
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }

  int get() const { return fd_; }
  void reset();

 private:
  int fd_;
};

/// A file that gets what a program prints, emptied.
///
/// errors   Failure UNAVAILABLE: it cannot be written
Descriptor open_messages(const std::string& file);

/// Starts a program without a fork of this process (threads and locks of libraries do not survive
/// one), with these descriptors as its input, output and messages. No signal is blocked or ignored
/// whatever this process does with them, and it leads a process group of its own.
///
/// argv          the first is looked for on PATH
/// environment   "NAME=value", all of it; empty: this process's
/// errors        Failure UNAVAILABLE: it cannot be started
pid_t spawn(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
            int input, int output, int messages);

}  // namespace graphnet::artifact
