// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace graphnet::journal {

/// What a journal says of one task.
struct FinishedTask {
  std::string outcome;  ///< of the last record that counts
  int attempts = 0;     ///< the highest Record::attempt
  /// False if no record tells more than that there was a reason not to try; see was_tried().
  bool was_tried = false;
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

/// False for what may go otherwise the next time without anything in the task having changed:
/// `skipped` (other limits, more memory), or a plugin that was refused (plugin_failed without a
/// phase) and may have been mended beside its library. Finding out takes milliseconds.
bool was_tried(const std::string& outcome, const std::string& phase);

}  // namespace graphnet::journal
