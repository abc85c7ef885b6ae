// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"

namespace graphnet::cli {

/// Flags of `graphnet test-compiler` as text: upstream's, then ours.
struct TestCompilerFlags {
  std::optional<std::string> model_path;
  std::optional<std::string> compiler;
  std::optional<std::string> device;
  std::optional<std::string> warmup;
  std::optional<std::string> trials;
  std::optional<std::string> log_prompt;
  std::optional<std::string> allow_list;
  std::optional<std::string> model_path_prefix;
  std::optional<std::string> config;
  bool kernel_time = false;
  std::optional<std::string> threads;
  std::optional<std::string> timeout;
  std::optional<std::string> output;
};

/// `graphnet test-compiler`: upstream's program of that name, flag by flag and line by line.
/// `flags` must outlive the command.
Command test_compiler_command(TestCompilerFlags& flags);

}  // namespace graphnet::cli
