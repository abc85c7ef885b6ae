// SPDX-License-Identifier: MIT
#pragma once

#include "base/status.h"

namespace graphnet::cli {

/// What the program returns to the shell. Outcomes of single samples never hide in it: they are in
/// the records and in the last line.
enum ExitCode : int {
  kExitDone = 0,          ///< done; nothing that --fail-on names
  kExitSampleFailed = 1,  ///< done, but some sample failed, or a comparison found a regression
  kExitUsage = 2,         ///< unknown flag, missing argument
  kExitInput = 3,         ///< a sample, config or results file is invalid
  kExitPlugin = 4,        ///< plugin not found, refused, or not able to do what is asked
  kExitEnvironment = 5,   ///< device, library, memory, disk
  kExitInternal = 70,     ///< a bug of ours
  // 128 + signal, as shells report it:
  kExitHangUp = 129,
  kExitInterrupted = 130,
  kExitClosedPipe = 141,  ///< standard output was closed; nothing is printed
  kExitTerminated = 143,
};

inline ExitCode exit_code_of(base::Code code) {
  switch (code) {
    case base::Code::kOk:
      return kExitDone;
    case base::Code::kUsage:
      return kExitUsage;
    case base::Code::kInput:
      return kExitInput;
    case base::Code::kUnsupported:
    case base::Code::kPlugin:
      return kExitPlugin;
    case base::Code::kEnvironment:
      return kExitEnvironment;
    case base::Code::kInternal:
      break;
  }
  return kExitInternal;
}

}  // namespace graphnet::cli
