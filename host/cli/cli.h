// SPDX-License-Identifier: MIT
#pragma once

namespace graphnet::cli {

/// The whole program: parses the command line, runs the command, prints an error if there is one.
/// Ignores SIGPIPE for the process. Returns the exit code (exit_code.h); no exception escapes.
int run_main(int argc, char** argv);

}  // namespace graphnet::cli
