// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace graphnet::artifact {

/// A program that a plugin compiles with.
struct ChildProgram {
  std::vector<std::string> argv;         ///< the first is looked for on PATH
  std::vector<std::string> environment;  ///< "NAME=value", all of it; empty: this process's
  std::string messages;                  ///< file that gets what it prints
};

/// How it ended.
struct ChildEnd {
  int exit_code = 0;
  int signal = 0;             ///< that it died by; 0: none
  bool is_cancelled = false;  ///< it was killed because `cancelled` said so

  bool is_success() const { return exit_code == 0 && signal == 0 && !is_cancelled; }
};

/// Starts a program without a fork of this process (threads and locks of libraries do not survive
/// one) and waits for it. It has no input, no signal blocked or ignored whatever this process does
/// with them, and a process group of its own, which is killed with all that is in it if `cancelled`
/// answers true.
///
/// errors   Failure UNAVAILABLE: it cannot be started, or nobody tells how it ended
ChildEnd run_child(const ChildProgram& program, const std::function<bool()>& cancelled = nullptr);

}  // namespace graphnet::artifact
