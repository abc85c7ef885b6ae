// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/record_outputs.h"
#include "cli/report_outputs.h"

namespace graphnet::cli {

/// Flags of `graphnet report` as text, filled by the parser.
struct ReportFlags {
  std::vector<std::string> inputs;
  std::optional<std::string> sql;
  bool csv = false;
  RecordOutputFlags records;
  ReportOutputFlags outputs;
};

/// `graphnet report RESULTS...`: what results files hold, as the table of a run or in another form.
/// `flags` must outlive the command.
Command report_command(ReportFlags& flags);

}  // namespace graphnet::cli
