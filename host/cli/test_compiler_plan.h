// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "cli/journaled_sweep.h"
#include "cli/test_compiler_command.h"

namespace graphnet::cli {

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
///          for the device, kEnvironment (E140) for a device that cannot be used
base::Result<PreparedRun> plan_test_compiler(const Context& context, const TestCompilerFlags& flags,
                                             const ModeSelection& selection);

}  // namespace graphnet::cli
