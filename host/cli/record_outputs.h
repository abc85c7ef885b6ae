// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "record/record.h"

namespace graphnet::cli {

/// The forms of a report that show records one by one, as flags of `graphnet report`.
struct RecordOutputFlags {
  bool kernels = false;
  std::optional<std::string> perfetto;
};

/// `flags` must outlive the table.
std::vector<Flag> record_output_flags(RecordOutputFlags& flags);

/// Whether any form is asked for.
bool has_record_output(const RecordOutputFlags& flags);

/// Writes every form asked for: the proof to standard output, as JSON with --json; the trace to its
/// file, which is said on standard error.
///
/// errors   kUsage if both are to go to standard output; kEnvironment if the file cannot be written
base::Result<int> write_record_outputs(const Context& context,
                                       const std::vector<record::Record>& records,
                                       const RecordOutputFlags& flags);

}  // namespace graphnet::cli
