// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

Command run_command();            ///< samples with backends, into a results file
Command test_compiler_command();  ///< upstream's program of that name, flag by flag, line by line
Command score_command();          ///< S(t), ES(t) and their parameters
Command compare_command();        ///< two results, sample by sample; exit code 1: a regression
Command evaluate_command();       ///< a run with report and scores in a folder, and its check
Command inspect_command();        ///< a sample's graph at any stage, and what its operators cost
Command explain_command();        ///< which statements of a sample gain or lose time
Command sample_command();         ///< samples checked and hashed without torch
Command plugin_command();         ///< the installed plugins
Command report_command();         ///< what results files hold, in many forms
Command repro_command();          ///< a folder that repeats one record, or whether it did
Command merge_command();          ///< one results file of several
Command submit_command();         ///< a run spread over machines
Command setup_command();          ///< wheels of libtorch and of plugins
Command doctor_command();         ///< what machine and installation offer and lack
Command completion_command();     ///< a script for a shell
Command help_command();           ///< commands and topics, as text, manual page or Markdown
Command complete_command();       ///< what the script asks for

// Upstream's programs for two machines.
Command test_reference_device_command();
Command test_target_device_command();

struct CommandRow {
  const char* name;
  Command (*make)();
};

/// All commands, in the order of `graphnet help`. A new one is a source file that holds its flags,
/// a declaration and a row here, and its line in CMakeLists.txt; the parser, help, manual pages and
/// completion follow.
// clang-format off
inline constexpr CommandRow kCommands[] = {
    {"run", run_command},
    {"test-compiler", test_compiler_command},
    {"test-reference-device", test_reference_device_command},
    {"test-target-device", test_target_device_command},
    {"score", score_command},
    {"compare", compare_command},
    {"evaluate", evaluate_command},
    {"inspect", inspect_command},
    {"explain", explain_command},
    {"sample", sample_command},
    {"plugin", plugin_command},
    {"report", report_command},
    {"repro", repro_command},
    {"merge", merge_command},
    {"submit", submit_command},
    {"setup", setup_command},
    {"doctor", doctor_command},
    {"completion", completion_command},
    {"help", help_command},
    {"__complete", complete_command},
};
// clang-format on

inline std::vector<Command> make_commands() {
  std::vector<Command> commands;
  for (const CommandRow& row : kCommands) {
    commands.push_back(row.make());
    commands.back().name = row.name;
  }
  return commands;
}

}  // namespace graphnet::cli
