// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/sample_actions.h"
#include "index/entry.h"

namespace graphnet::cli {

/// A sample that was left out, and why.
struct LeftOutSample {
  std::filesystem::path folder;
  std::string problem;
};

/// Prints it as an error.
LeftOutSample leave_out(const Context& context, const std::filesystem::path& folder,
                        base::Status problem);

/// {"path": ..., "problem": ...} each.
base::Json left_out_json(const std::vector<LeftOutSample>& samples);

/// What an index or a selection is made of.
struct SampleEntries {
  std::vector<index::Tree> trees;  ///< as given
  std::vector<index::Entry> entries;
  std::vector<LeftOutSample> left_out;
};

/// Reads the samples at or below the arguments behind the action, with progress. What cannot be
/// read is reported and left out, and so is a second sample of one path and type.
///
/// order    entries as index::sort_entries()
/// errors   kInput: nothing there, or no sample that can be read
base::Result<SampleEntries> read_sample_entries(const Context& context, const SampleFlags& flags,
                                                std::optional<index::SampleType> type);

/// --type.
///
/// errors   kUsage
base::Result<std::optional<index::SampleType>> read_sample_type(const SampleFlags& flags);

/// Whether --output names a file that can be made; nothing is replaced.
///
/// errors   as check_output_file(); kUsage: it is there already
base::Status check_new_output(const SampleFlags& flags);

}  // namespace graphnet::cli
