// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "graphnet/plugin.h"

namespace graphnet::bladedisc {

/// The plugin's options; plugin.yaml says what each is for.
struct Options {
  std::string compiler;               ///< as given; empty: looked for
  std::string runner;                 ///< the same
  std::vector<std::string> launcher;  ///< words before both programs; empty: they are started here
  std::string share_folder;           ///< empty: TMPDIR
  std::string cache_folder;           ///< empty: none
  bool multi_cc = false;
  std::chrono::seconds compile_timeout{0};  ///< 0: the host's alone
  std::chrono::seconds answer_timeout{0};
};

/// errors   Failure INVALID_ARGUMENT
Options read_options(const gn_option* options, std::uint64_t num_options);

/// The two programs of a BladeDISC environment.
struct Programs {
  std::string compiler;  ///< disc_compiler_main
  std::string runner;    ///< gn-disc-run
};

/// By option, environment variable (GRAPHNET_DISC_COMPILER, GRAPHNET_DISC_RUNNER) or PATH. With a
/// launcher both have to be named, because this side cannot see their files.
///
/// errors   Failure UNAVAILABLE: bladedisc is not configured, and the commands that do it
Programs find_programs(const Options& options);

/// "NAME=value" of what changes DISC's results and is not left to its defaults.
///
/// source   flags of the compiler and of RAL at the last commit, 2024-08-27
std::vector<std::string> pinned_variables(MathPolicy math);

/// The whole environment of a program of BladeDISC's: the pinned variables, and of this process's
/// what programs need and what begins with DISC_ or TAO_ (RAL and the compiler read those).
std::vector<std::string> program_environment(const std::vector<std::string>& pinned);

/// The words of a command: with a launcher, which passes no environment on, `env` sets the pinned
/// variables on its other side.
std::vector<std::string> command_of(const std::vector<std::string>& launcher,
                                    const std::vector<std::string>& pinned,
                                    const std::string& program);

}  // namespace graphnet::bladedisc
