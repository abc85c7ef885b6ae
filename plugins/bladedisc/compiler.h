// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "artifact/temporary_folder.h"
#include "bladedisc/options.h"
#include "graphnet/failure.h"

namespace graphnet::bladedisc {

/// What disc_compiler_main made of a module.
struct Compiled {
  std::string library;   ///< bytes of a shared object that exports main
  std::string metadata;  ///< bytes of its .pbtxt: constants by name
  std::string log;       ///< what it printed; the beginning left out if that is long
  bool is_cached = false;
};

/// It made nothing that can be run; what it printed says why.
class CompilerFailure : public Failure {
 public:
  CompilerFailure(const std::string& message, std::string log)
      : Failure(GN_STATUS_COMPILE_FAILED, message), log_(std::move(log)) {}

  const std::string& log() const { return log_; }

 private:
  std::string log_;
};

/// Starts disc_compiler_main on a module and waits for it; kills it, with all that it started, if
/// `cancelled` answers true or the options' time is up.
///
/// errors   Failure UNAVAILABLE: it cannot be started, no folder; CompilerFailure: it refuses the
///          module, dies, is cancelled or takes too long, or ends well without a library that
///          exports main and its metadata (its linker's failure is no failure of its own)
Compiled compile(const std::string& module, const Options& options, const std::string& program,
                 const std::vector<std::string>& pinned, const std::function<bool()>& cancelled);

/// What decides what is compiled from a module, beside it: the compiler's file (its SHA-256, or its
/// name where a launcher hides it), flags and pinned variables. One line.
std::string describe_compiler(const Options& options, const std::string& program,
                              const std::vector<std::string>& pinned);

/// What is wrong with a library, in a few words; empty: it is a shared object for x86-64 that
/// exports main.
std::string library_mistake(const std::string& bytes);

}  // namespace graphnet::bladedisc
