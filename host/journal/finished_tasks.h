// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "record/outcome.h"

namespace graphnet::journal {

/// What a journal says of one task.
struct FinishedTask {
  record::Word<record::Outcome> outcome;  ///< of the last record that settles it, else of the last
  int attempts = 0;                       ///< the highest Record::attempt
  bool is_open = true;                    ///< no record settles it; see record::leaves_open()
};

/// The tasks of a journal by key.
struct FinishedTasks {
  std::unordered_map<std::string, FinishedTask> by_key;
  /// Records without key, from before there were keys; nothing is known to equal them.
  std::size_t num_without_key = 0;
  std::vector<std::string> notes;  ///< as JournalHead::notes
};

/// Reads which tasks are done, for --resume; much faster than read_journal(), because only the
/// first members of a record are parsed.
///
/// A file that does not exist, is empty, or was torn within its header holds nothing: whoever
/// starts again after a kill need not know how far it came.
///
/// errors   kInput as visit_journal()
base::Result<FinishedTasks> read_finished_tasks(const std::filesystem::path& path);

}  // namespace graphnet::journal
