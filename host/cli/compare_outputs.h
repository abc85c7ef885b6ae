// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "base/result.h"
#include "cli/command.h"
#include "report/comparison.h"

namespace graphnet::cli {

/// `graphnet compare A B --outputs`: kept outputs of two folders, sample by sample, without a run:
/// A is the reference. Prints them and returns the exit code: 1 if `rule` counts what is broken and
/// something differs or cannot be compared, or what is missing and A has something that B lacks.
///
/// errors   kInput: a folder without kept outputs, or no sample that both have
base::Result<int> compare_outputs(const Context& context, const std::filesystem::path& a,
                                  const std::filesystem::path& b,
                                  const report::RegressionRule& rule);

}  // namespace graphnet::cli
