// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>

#include "base/file.h"
#include "base/result.h"

namespace graphnet::supervise {

/// What the signals that arrived ask for; each value includes those before it.
enum class Wish {
  kNone,
  kFinish,  ///< Ctrl-C: start nothing more
  kStop,    ///< Ctrl-C again, or SIGTERM or SIGHUP: stop what is running
  kKill,    ///< once more: without a grace
};

/// Ctrl-C and termination as something to poll for: while this object lives, SIGINT, SIGTERM and
/// SIGHUP do not end the program but make fd() readable. A signal that was ignored at start (nohup)
/// stays ignored.
///
/// threads  create it before any other thread: the signal mask is inherited
class Interrupt {
 public:
  /// errors   kEnvironment if the system has no descriptor left
  static base::Result<Interrupt> create();

  Interrupt(Interrupt&& other) noexcept;
  Interrupt& operator=(Interrupt&&) = delete;
  ~Interrupt();

  int fd() const { return fd_.get(); }
  /// Takes what has arrived; call when fd() is readable or at any time.
  void read();
  /// The first signal that arrived; 0 for none yet.
  int signal() const { return signal_; }
  Wish wish() const { return wish_; }

 private:
  Interrupt(base::UniqueFd fd, const sigset_t& previous)
      : fd_(std::move(fd)), previous_(previous) {}

  base::UniqueFd fd_;
  sigset_t previous_;
  int signal_ = 0;
  Wish wish_ = Wish::kNone;
};

}  // namespace graphnet::supervise
