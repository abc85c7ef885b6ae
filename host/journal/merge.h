// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace graphnet::journal {

/// A journal made of others, and what was noticed on the way.
struct Merged {
  std::string text;  ///< the whole file
  std::size_t num_records = 0;
  std::size_t num_duplicates = 0;  ///< records that lost against another of the same task
  /// What keeps records from being compared: "plugin acme: 2 builds (0.1.0 1a2b3c4d, ...)".
  std::vector<std::string> conflicts;
  std::vector<std::string> notes;  ///< as JournalHead::notes, of all inputs
};

/// Makes one journal of several.
///
/// The text depends on the set of lines only: the order of the inputs, the order of their lines,
/// and how often a line occurs make no difference, and merging the result with any of the inputs
/// gives the same bytes again.
///
/// Of the records with one task key one is kept: one that settles it before one that
/// does not (record::leaves_open()), then the higher attempt, then the later time, then the greater
/// text. Records without a key stand for themselves. Lines are kept as they were written, keys that
/// this version does not know included; a check is added where there is none.
///
/// order    header {"schema", "record_schema", "merged": [the headers of the inputs]}, controls by
///          time, records by sample, plugin and time, so that the last of a sample and
///          a backend is the latest
/// errors   kInput as visit_journal(), and for a record that this version does not read
base::Result<Merged> merge_journals(const std::vector<std::filesystem::path>& inputs);

/// Merges into a file, which is replaced as a whole. What it holds already is merged too, so that
/// no record is ever lost.
///
/// errors   as merge_journals(); kEnvironment if the file cannot be written, or another process
///          appends to it
base::Result<Merged> merge_into(const std::filesystem::path& output,
                                std::vector<std::filesystem::path> inputs);

}  // namespace graphnet::journal
