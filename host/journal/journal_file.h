// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "journal/control.h"
#include "journal/record.h"

namespace graphnet::journal {

/// Append-only results file: line 1 is a header {"schema":"graphnet.journal/1", "record_schema",
/// "run_id", "created_utc", "graphnet", "host"}, every further line one record or
/// control.
class JournalFile {
 public:
  /// Creates the file (parents too) and writes the header, or opens an existing journal for
  /// appending after cutting off a torn last line.
  ///
  /// errors   kEnvironment (disk full, no permission), kInput if an existing file is no journal
  static base::Result<JournalFile> open(const std::filesystem::path& path,
                                        const base::Json& header);

  /// Appends one record as one line and syncs it to disk before returning.
  ///
  /// errors   kEnvironment; the file then ends with the last complete record
  base::Status append(const Record& record);
  base::Status append(const Control& control);

  const std::filesystem::path& path() const { return path_; }

 private:
  base::Status append_line(const base::Json& line);
  JournalFile(std::filesystem::path path, base::UniqueFd fd)
      : path_(std::move(path)), fd_(std::move(fd)) {}
  std::filesystem::path path_;
  base::UniqueFd fd_;
};

/// Reads all records; a torn last line is ignored (and reported in `notes`), any other bad line is
/// an error with its number.
struct JournalContent {
  base::Json header;
  std::vector<Record> records;
  std::vector<Control> controls;
  std::vector<std::string> notes;
};
base::Result<JournalContent> read_journal(const std::filesystem::path& path);

}  // namespace graphnet::journal
