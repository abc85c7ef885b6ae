// SPDX-License-Identifier: MIT
#pragma once

#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "journal/control.h"
#include "record/record.h"
#include "report/run_tally.h"
#include "report/table_columns.h"

namespace graphnet::report {

struct TableStyle {
  bool color = false;
  int width = 0;  ///< terminal cells; 0: not a terminal, nothing is cut
};

/// What is known before the first sample runs; the column widths follow from it.
struct RunFacts {
  std::string version;            ///< of graphnet, "0.1.0"
  std::string protocol;           ///< "standard"; those of several plugins, "standard, upstream"
  std::set<std::string> methods;  ///< of the protocols: "paired", "upstream"
  bool has_replays = false;       ///< one of them replays captured calls: there is a column more
  std::string device;             ///< "cpu", "cuda:0"
  std::string hardware;           ///< "AMD EPYC 9B14"; may be empty
  std::string math;               ///< policy, "tf32"; those of several records; empty: the default
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

/// The table of `graphnet run`: one header, one row per record as it finishes, one summary.
///
/// Rows are written at once, so widths come from RunFacts and not from the rows. The row of a
/// sample that is not ok shows its message in place of the numbers. Every text from a sample or a
/// plugin is made printable first.
///
/// With method `paired` every speedup has its interval and a word (faster, slower, same, unstable);
/// one that differs from 1 by less than the last control's noise floor is dimmed and called noise.
/// Where captured calls are replayed, `capture` is what capturing and instantiating the graph took.
/// In a run with both methods the rows of `upstream` have a spread in the place of the word.
///
/// order    header (by the constructor), control() and row()..., summary() once
/// units    with method `upstream` "±" is the interquartile range of the plugin's trials as
///          percentage of their median
class RunTable {
 public:
  RunTable(std::ostream& out, TableStyle style, const RunFacts& facts);

  /// A control measurement, which holds for the rows after it.
  void control(const journal::Control& control);
  void row(const record::Record& record);
  void summary(const RunSummary& summary);

 private:
  void write_line(const std::string& line);
  void write_counts(double elapsed_s);
  void write_speedups();

  std::ostream& out_;
  TableStyle style_;
  bool has_upstream_;
  std::vector<TableColumn> columns_;
  double noise_floor_ = 0;
  int sample_width_ = 0;
  int plugin_width_ = 0;
  RunTally tally_;
};

}  // namespace graphnet::report
