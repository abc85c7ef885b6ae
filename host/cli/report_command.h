// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/report_outputs.h"

namespace graphnet::cli {

/// Flags of `graphnet report` as text.
struct ReportFlags {
  std::vector<std::string> results;
  ReportOutputFlags outputs;
};

/// `graphnet report`: results as a page, plots, Markdown or CSV. `flags` must outlive the command.
Command report_command(ReportFlags& flags);

}  // namespace graphnet::cli
