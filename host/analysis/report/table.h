// SPDX-License-Identifier: MIT
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "journal/control.h"
#include "record/record.h"
#include "report/run_tally.h"
#include "report/table_columns.h"
#include "report/terminal_text.h"

namespace graphnet::report {

struct TableStyle {
  bool color = false;
  int width = 0;  ///< terminal cells; 0: not a terminal, nothing is cut or wrapped
  /// Shows samples that fail the run (record::FailOn::kFailed) and nothing else.
  bool errors_only = false;
  std::vector<TableColumn> columns = default_columns();
};

/// What is known before the first sample runs; the column widths follow from it.
struct RunFacts {
  std::string version;   ///< of graphnet, "0.1.0"
  std::string protocol;  ///< "standard"; those of several plugins, "standard, upstream"
  std::string device;    ///< "cpu", "cuda:0"
  std::string hardware;  ///< "AMD EPYC 9B14"; may be empty
  std::string math;      ///< policy, "tf32"; those of several records; empty: the default
  int threads = 1;
  int jobs = 1;  ///< samples at a time
  unsigned seed = 123;
  std::vector<std::string> samples;  ///< names, in any order
  std::vector<std::string> plugins;  ///< variants as in Record::plugin_variant
  /// Environment variables in effect that change what is run, as "NAME=value".
  std::vector<std::string> overrides;
};

struct RunSummary {
  double elapsed_s = 0;            ///< 0: unknown, and not shown
  std::string results_path;        ///< empty if no file was written
  std::vector<std::string> notes;  ///< sentences for the reader, one line each
};

/// Where the cells of a row stand.
struct TableLayout {
  int width = 0;    ///< at which lines are cut and wrapped; 0: nowhere
  int sample = 0;   ///< longer names are shortened in their middle
  int backend = 0;  ///< the same
  /// There is no room for the sample in the row: it has a line of its own above its rows.
  bool is_grouped = false;
  bool is_cut = false;  ///< not even then: columns to the right are cut off
};

/// A default table takes at most 100 cells, one with chosen columns the whole terminal.
TableLayout layout_of(const TableStyle& style, const RunFacts& facts);

/// The table of `graphnet run`: one header, one row per record as it finishes, one summary.
///
/// Rows are written at once, so widths come from RunFacts and not from the rows. The row of a
/// sample that is not ok shows its message in place of the numbers; a message or remark that does
/// not fit is wrapped. Every text from a sample or a plugin is made printable first.
///
/// With method `paired` every speedup has its interval and a word (faster, slower, same, unstable);
/// one that differs from 1 by less than the last control's noise floor is dimmed and called noise.
/// Rows of method `upstream` have a spread instead of the word.
///
/// The summary has counts, then one table of means for each set of conditions (headline.h), then
/// why samples failed, and last a sentence that compares the backends.
///
/// order    header (by the constructor), earlier(), control() and row()..., summary() once
/// units    with method `upstream` "±" is the interquartile range of the plugin's trials as
///          percentage of their median
class RunTable {
 public:
  RunTable(std::ostream& out, TableStyle style, const RunFacts& facts);

  /// A control measurement, which holds for the rows after it.
  void control(const journal::Control& control);
  void row(const record::Record& record);
  /// A record from before this run: it counts in the summary and has no row.
  void earlier(const record::Record& record);
  void summary(const RunSummary& summary);

 private:
  void write_line(const std::string& line);
  void write_wrapped(const std::string& text, int indent, std::string_view coloured_part,
                     Colour colour);
  void write_ok(const std::string& names, const record::Record& record);
  void write_failed(const std::string& names, const record::Record& record);
  std::string names_of(const record::Record& record);
  void write_counts(const RunTally::Result& result, double elapsed_s);

  std::ostream& out_;
  TableStyle style_;
  TableLayout layout_;
  double noise_floor_ = 0;
  std::string last_sample_;    // whose line stands above the rows
  bool has_upstream_ = false;  // a speedup without pairs was shown
  RunTally tally_;
};

}  // namespace graphnet::report
