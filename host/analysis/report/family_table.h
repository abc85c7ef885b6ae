// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "report/distribution.h"
#include "report/headline.h"
#include "report/result_row.h"
#include "report/text_table.h"

namespace graphnet::report {

/// What one backend made of the samples of one family.
struct FamilyEntry {
  std::string backend;
  int num_samples = 0;  ///< all that have a result, whatever it is
  int num_ok = 0;
  std::map<std::string, int> not_ok;  ///< by outcome, or by reason where it was not run
  GeometricMean common;               ///< of its speedups on the family's common samples
  std::vector<double> compile_ns;     ///< of the samples that are ok, ascending
  std::vector<double> peak_bytes;     ///< the same
};

struct Family {
  std::string name;
  int num_samples = 0;  ///< different ones
  int num_common = 0;   ///< those in Headline::common
  std::vector<FamilyEntry> entries;
};

/// The families of the results under a headline's conditions, and "all" after them.
///
/// order    by name; entries in the order of the headline's backends
std::vector<Family> families(const Report& report, const Headline& headline);

/// What a family table says of one backend in one family; Markdown and page show the same.
struct FamilyColumn {
  const char* name;
  bool is_number;  ///< shown to the right
  std::string (*text)(const Family& family, const FamilyEntry& entry);
};

/// In the order of the table.
const std::vector<FamilyColumn>& family_columns();

/// A row a family and backend, without backends that have no result there.
///
/// shapes   rows as long as family_columns()
std::vector<Cells> family_rows(const std::vector<Family>& families);

/// As a table of Markdown.
std::string family_markdown(const std::vector<Family>& families);

/// A cell of a Markdown table: nothing in it ends the cell or is markup; "-" if it is empty.
std::string markdown_cell(const std::string& text);

/// A line of a Markdown table; the cells are Markdown.
std::string markdown_row(const std::vector<std::string>& cells);

}  // namespace graphnet::report
