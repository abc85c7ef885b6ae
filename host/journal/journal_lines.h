// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace graphnet::journal {

/// Schema of journal files. Rules as for records (record.h), with their own number:
///
///   1   no checks
///   2   every line, the header too, ends with a check (checked_line.h)
///
/// A file of version 1 that a later version appends to keeps its header; its new lines have checks.
inline constexpr const char* kJournalFamily = "graphnet.journal";
inline constexpr int kNewestJournalSchema = 2;

// A record has some 10 KB, a header less than one, and one that was merged of many runs as many.
// Longer lines are no journal.
inline constexpr std::size_t kMaxHeaderBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20;

/// What a journal is apart from its lines.
struct JournalHead {
  base::Json header;
  int version = 0;  ///< of the file, 1 to kNewestJournalSchema
  /// Sentences for the user: an incomplete last line, damaged lines, each with file and number.
  std::vector<std::string> notes;
};

/// Called with each line after the header, without line feed, and its number in the file, from 2
/// on.
using OnLine = std::function<base::Status(std::string_view line, std::size_t number)>;

/// Goes through a journal line by line without keeping it in memory.
///
/// A torn last line is left out, and so is a line whose check does not agree (damage costs that
/// record only): both are noted. Lines without check are visited in files of version 1; there a
/// line that is no JSON is an error of whoever parses it.
///
/// errors   kInput: no such file, no journal, newer than this version, a line above the limit, and
///          what `on_line` returns; with the line as "file:number"
base::Result<JournalHead> visit_journal(const std::filesystem::path& path, const OnLine& on_line);

/// "results.jsonl:7", as errors name a line.
std::string line_of(const std::filesystem::path& path, std::size_t number);

/// The header of a journal from its first line, which is without line feed.
///
/// errors   kInput if it is damaged, no header, or newer than this version
base::Result<JournalHead> parse_header(std::string_view line);

/// "'results.jsonl' cannot be read as a graphnet results file: REASON".
base::Status not_a_journal(const std::filesystem::path& path, const base::Status& reason);

}  // namespace graphnet::journal
