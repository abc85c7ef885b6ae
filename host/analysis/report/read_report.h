// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "journal/journal_file.h"
#include "report/result_row.h"
#include "score/score_set.h"

namespace graphnet::report {

struct ReadReportSettings {
  score::Settings score;
  bool by_file = false;  ///< one backend a file, see score/read_results.h
  /// kAll: with quantiles of single calls (ResultRow::eager_p90_ns and others), in twice the time.
  journal::JournalDepth depth = journal::JournalDepth::kBrief;
};

/// Reads results files (journals, upstream logs, folders of them), scores them, and gathers what a
/// report shows. Backends are the columns of the scores, in their order; of several results of a
/// sample the one that counts there is shown.
///
/// With a noise floor, a claim (faster, slower) below it becomes "noise". Categories are read from
/// the folders of the samples as far as they are still where the run found them.
///
/// errors   as score::read_results and score::score_rows
base::Result<Report> read_report(const std::vector<std::filesystem::path>& paths,
                                 const ReadReportSettings& settings);

}  // namespace graphnet::report
