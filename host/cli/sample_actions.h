// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"

namespace graphnet::cli {

/// Arguments of `graphnet sample` as text; the first is the action.
struct SampleFlags {
  std::vector<std::string> arguments;
  std::optional<std::string> by;
  std::optional<std::string> against;
  std::optional<std::string> apis;
  std::optional<std::string> output;
  bool no_redundancy = false;
  bool write = false;
};

/// The samples that the arguments name, broken ones included.
///
/// order    of the arguments, then of paths
/// errors   as validate::find_folders()
base::Result<std::vector<std::filesystem::path>> sample_folders(const SampleFlags& flags);

// Actions. A sample that cannot be read or written is reported on standard error and left out; the
// exit code is that of the last one.

/// Removes samples whose program another one has. Without --write only says which.
base::Result<int> dedup_samples(const Context& context, const SampleFlags& flags);

// Write samples below --output or, with --write, in place; without either they only say what would
// change.

/// Gives parameters and values upstream's names.
base::Result<int> rename_samples(const Context& context, const SampleFlags& flags);
/// Spells calls as --apis says.
base::Result<int> convert_samples(const Context& context, const SampleFlags& flags);

}  // namespace graphnet::cli
