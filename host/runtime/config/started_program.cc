// SPDX-License-Identifier: MIT
#include "config/started_program.h"

#include "graphnet/program_places.h"

namespace graphnet::config {

using base::Code;
using base::Status;

namespace {

std::string text_of_option(const base::Json& options, const std::string& name) {
  return name.empty() ? "" : options.value(name, std::string());
}

/// Why the program is not there; empty: it is.
std::string problem_of(const StartedProgram& program, const base::Json& options) {
  const ProgramPlace place =
      find_program(program.program, program.variable, text_of_option(options, program.option));
  if (!text_of_option(options, program.launcher_option).empty()) {
    if (place.is_named) return "";
    return "with option '" + program.launcher_option + "', option '" + program.option +
           "' must say where " + program.program + " is";
  }
  if (place.is_there) return "";
  if (!place.is_named) {
    return "there is no " + program.program + " (option '" + program.option + "', variable " +
           program.variable + ", PATH)";
  }
  return (place.named_by.empty() ? "option '" + program.option + "'" : place.named_by) +
         " names '" + place.file + "', which is no program";
}

}  // namespace

Status check_started_program(const StartedProgram& program, const base::Json& options) {
  const std::string problem = problem_of(program, options);
  if (problem.empty()) return Status::ok();
  Status missing(Code::kPlugin, program.name + " is not configured: " + problem);
  for (const std::string& hint : program.hints) missing.add_hint(hint);
  return missing;
}

}  // namespace graphnet::config
