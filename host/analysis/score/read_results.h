// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/journal_file.h"
#include "score/row.h"

namespace graphnet::score {

struct ReadSettings {
  bool compat = false;   ///< classify as upstream does; see record_row.h and upstream_log_row.h
  bool by_file = false;  ///< one column a file: facet "file", its name without extension
  journal::JournalDepth depth = journal::JournalDepth::kBrief;
  /// Gets each journal once its rows are made; those of its records have the
  /// numbers from `first_row` on, in their order.
  std::function<void(const journal::JournalContent&, std::size_t first_row)> on_journal = {};
};

/// Rows of results files, in the order of reading.
struct Results {
  std::vector<Row> rows;
  std::size_t num_files = 0;
  std::vector<std::string> notes;  ///< sentences for the reader: torn lines, files without samples
};

/// Reads results of graphnet (journals) and logs of upstream's benchmark programs, told apart by
/// their first byte. A folder stands for the `.jsonl`, `.log` and `.txt` files in it, by name.
///
/// order    files as given
/// errors   kInput: a path does not exist or cannot be read, a journal is broken or newer, a file
///          is named that holds neither records nor a Processing line, a folder holds no results
base::Result<Results> read_results(const std::vector<std::filesystem::path>& paths,
                                   const ReadSettings& settings);

}  // namespace graphnet::score
