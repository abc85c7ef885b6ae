// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "cli/test_compiler_plan.h"

namespace graphnet::cli {

/// One of upstream's programs that run samples and print a log.
struct TestProgram {
  const char* name;    ///< as its lines about samples say it
  const char* prompt;  ///< first word of the lines that scripts read, unless --log-prompt says
};

/// Runs samples and prints upstream's log on standard error: of each sample beside eager or, with
/// TestCompilerFlags::reference_folder, of the plugin here (compiled) beside the reference's plugin
/// (eager). Returns the exit code.
///
/// errors   as plan_test_compiler()
base::Result<int> run_test_program(const Context& context, const TestCompilerFlags& flags,
                                   const ModeSelection& selection, const TestProgram& program);

}  // namespace graphnet::cli
