// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// The forms of a report beyond the table, as flags of `graphnet report`.
struct ReportOutputFlags {
  std::optional<std::string> html;
  std::optional<std::string> plots;
  std::optional<std::string> junit;
  bool png = false;
  bool markdown = false;
  bool by_file = false;
};

/// `flags` must outlive the table.
std::vector<Flag> report_output_flags(ReportOutputFlags& flags);

/// Whether any form is asked for.
bool has_report_output(const ReportOutputFlags& flags);

/// Reads results and writes every form asked for: files as named, Markdown to standard output; what
/// was written is said on standard error.
///
/// errors   kUsage for flags that exclude each other; kInput for results; kEnvironment if a file
///          cannot be written, or PNG is asked for and its converter missing (found before anything
///          is read)
base::Result<int> write_report_outputs(const Context& context,
                                       const std::vector<std::string>& results,
                                       const ReportOutputFlags& flags);

/// Writes to `file` what `graphnet report RESULTS --junit FILE` does.
///
/// errors   as report::read_report(); kEnvironment if the file cannot be written
base::Status write_junit(const std::filesystem::path& results, const std::filesystem::path& file);

}  // namespace graphnet::cli
