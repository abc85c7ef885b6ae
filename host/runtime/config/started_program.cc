// SPDX-License-Identifier: MIT
#include "config/started_program.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/text.h"

namespace graphnet::config {

namespace fs = std::filesystem;
using base::Code;
using base::Status;

namespace {

std::string text_of_option(const base::Json& options, const std::string& name) {
  return name.empty() ? "" : options.value(name, std::string());
}

std::string text_of_variable(const std::string& name) {
  const char* const value = name.empty() ? nullptr : std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

bool is_program(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

bool is_on_path(const std::string& program) {
  for (const std::string& folder : base::split(text_of_variable("PATH"), ':')) {
    if (!folder.empty() && is_program(fs::path(folder) / program)) return true;
  }
  return false;
}

/// Why the program is not there; empty: it is.
std::string problem_of(const StartedProgram& program, const base::Json& options) {
  const std::string given = text_of_option(options, program.option);
  const std::string named = given.empty() ? text_of_variable(program.variable) : given;
  if (!text_of_option(options, program.launcher_option).empty()) {
    if (!named.empty()) return "";
    return "with option '" + program.launcher_option + "', option '" + program.option +
           "' must say where " + program.program + " is";
  }
  if (named.empty()) {
    if (is_on_path(program.program)) return "";
    return "there is no " + program.program + " (option '" + program.option + "', variable " +
           program.variable + ", PATH)";
  }
  if (is_program(named)) return "";
  return (given.empty() ? program.variable : "option '" + program.option + "'") + " names '" +
         named + "', which is no program";
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
