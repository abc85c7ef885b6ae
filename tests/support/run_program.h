// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/subprocess.h"

namespace graphnet::tests {

/// What a program left behind.
struct ProgramEnd {
  base::ExitState state;
  std::string output;  ///< standard output and error, in the order written
};

inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Starts a program with its output in `log`.
inline base::Result<base::Subprocess> start_program(const std::vector<std::string>& arguments,
                                                    const std::vector<std::string>& environment,
                                                    const std::filesystem::path& log) {
  const base::UniqueFd file(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  base::Subprocess::Options options;
  options.arguments = arguments;
  options.environment = environment;
  options.output_fd = file.get();
  return base::Subprocess::start(options);
}

/// Runs a program to its end.
inline ProgramEnd run_program(const std::vector<std::string>& arguments,
                              const std::vector<std::string>& environment,
                              const std::filesystem::path& log) {
  auto child = start_program(arguments, environment, log);
  if (!child.is_ok()) return {{}, child.status().to_string()};
  ProgramEnd end;
  end.state = child->wait();
  end.output = read_text(log);
  return end;
}

}  // namespace graphnet::tests
