// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "cli/journaled_sweep.h"

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
  std::filesystem::path kept_folder;       ///< as supervise::PlanSettings
  std::filesystem::path reference_folder;  ///< the same
};

/// How upstream's program takes its samples.
enum class SampleMode {
  kSingle,     ///< --model-path is a sample
  kRecursive,  ///< --model-path is a folder of samples, --allow-list names those to run
  kList,       ///< --model-path-prefix and --allow-list: every line is a path below the prefix
};

/// The samples of one call.
struct ModeSelection {
  SampleMode mode = SampleMode::kSingle;
  std::vector<std::filesystem::path> samples;
  std::vector<std::filesystem::path> missing;  ///< kList: lines without a folder
};

/// order    kRecursive: by path; kList: as listed
/// errors   kUsage for a missing flag, kInput for a path that does not exist
base::Result<ModeSelection> select_by_mode(const TestCompilerFlags& flags);

/// Everything the flags say besides the samples.
///
/// errors   kUsage, kInput for --config, kPlugin for a compiler that is not installed or not
///          for the device, kEnvironment for a device that cannot be used
base::Result<PreparedRun> plan_test_compiler(const Context& context, const TestCompilerFlags& flags,
                                             const ModeSelection& selection);

}  // namespace graphnet::cli
