// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "journal/control.h"
#include "journal/sync_schedule.h"
#include "record/record.h"

namespace graphnet::journal {

/// Append-only results file: line 1 is a header {"schema":"graphnet.journal/2", "record_schema",
/// "run_id", "created_utc", "graphnet", "host", "command" of the run}, every further line one
/// record or control; each ends with a check (checked_line.h).
///
/// The process that writes may be killed at any moment: the file then holds every record that was
/// appended. When the machine itself dies, it holds those that were synced, see SyncRule.
class JournalFile {
 public:
  /// Creates the file (parents too) and writes the header, or opens an existing journal for
  /// appending after cutting off a torn last line.
  ///
  /// errors   kEnvironment (disk full, no permission), kInput if an existing file is no journal
  static base::Result<JournalFile> open(const std::filesystem::path& path, const base::Json& header,
                                        SyncRule rule = {});

  JournalFile(JournalFile&&) = default;
  JournalFile& operator=(JournalFile&&) = delete;
  ~JournalFile();

  /// Appends one record as one line, and syncs it to disk before returning unless records come
  /// faster than SyncRule's limit.
  ///
  /// errors   kEnvironment; the file then ends with the last complete record
  base::Status append(const record::Record& record);
  base::Status append(const Control& control);

  /// Brings to disk what append() has left out; also done when the object goes away.
  ///
  /// errors   kEnvironment
  base::Status sync();

  const std::filesystem::path& path() const { return path_; }
  std::size_t num_syncs() const { return schedule_.num_syncs(); }

 private:
  base::Status append_line(const base::Json& line);
  JournalFile(std::filesystem::path path, base::UniqueFd fd, SyncRule rule);

  std::filesystem::path path_;
  base::UniqueFd fd_;
  SyncSchedule schedule_;
};

/// Reads all records. A torn last line and damaged lines are left out and reported in `notes`; a
/// sound line that is no record of this or an older version is an error with its number.
struct JournalContent {
  base::Json header;
  std::vector<record::Record> records;
  std::vector<Control> controls;
  std::vector<std::string> notes;
};
/// What to read of each record.
enum class JournalDepth {
  kAll,
  kBrief,  ///< all but the durations of single calls, in half the time; see brief_line.h
};
base::Result<JournalContent> read_journal(const std::filesystem::path& path,
                                          JournalDepth depth = JournalDepth::kAll);

}  // namespace graphnet::journal
