// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "record/record.h"
#include "report/score_chart.h"

namespace graphnet::report {

/// A file or piece of memory that held the code in which threads were seen.
struct TimeShare {
  std::string module;
  double share = 0;  ///< of the samples of the sampler, 0 to 1
};

/// One sample with one backend, as reports show it. From a record or from a line of an upstream
/// log, which knows sample, outcome and speedup only.
///
/// units    nanoseconds; fractions 0 to 1
struct ResultRow {
  std::string sample;
  std::string family;
  std::string category;     ///< upstream's heuristic_tag; "unknown" without
  std::size_t backend = 0;  ///< index in Report::backends
  record::Word<record::Outcome> outcome;
  record::Counting counting = record::Counting::kCounted;
  std::string message;
  record::Verdict verdict;                     ///< who did the work
  record::Word<record::TimingVerdict> timing;  ///< kNone: no interval
  /// Why the row enters no average; empty: it does, or it failed. See score/row.h.
  std::string left_out;
  std::vector<record::Word<record::Flag>> flags;
  std::optional<double> speedup;
  std::optional<double> speedup_low;
  std::optional<double> speedup_high;
  std::optional<double> eager_ns;
  std::optional<double> plugin_ns;
  // Of single calls, waits included; none without them (JournalDepth::kBrief).
  std::optional<double> eager_p90_ns;
  std::optional<double> eager_p99_ns;
  std::optional<double> plugin_p90_ns;
  std::optional<double> plugin_p99_ns;
  std::optional<double> compile_ns;
  std::optional<double> bind_ns;
  std::optional<double> capture_ns;  ///< of protocols that replay
  std::optional<double> first_call_ns;
  std::optional<double> break_even_calls;
  std::optional<double> limit_share;   ///< of the machine's limit, reached by the plugin
  std::optional<double> peak_bytes;    ///< of the worker while the plugin had its phases
  std::optional<double> relative_rms;  ///< largest of the outputs
  int num_pairs = 0;
  std::string limited_by;  ///< see record::Roofline; empty: not known
  /// From which tolerance t on every output passes, by upstream's four schedules ("float16 -6,
  /// bfloat16 -6, float32 -5, float64 none"); empty: not compared.
  std::string levels;
  /// SHA-256 of inputs and outputs, of all together; empty without --digest.
  std::string inputs_digest;
  std::string eager_digest;
  std::string plugin_digest;
  // What the proof saw, see proof_report.h; empty without one.
  std::vector<TimeShare> time_shares;  ///< where the time went: the three largest
  std::string operators;  ///< of libtorch, the most frequent first: "aten::mul, 3 more"
  std::string entered;    ///< where the plugin's code ran: "JIT memory, libgn_x.so"

  bool is_ok() const { return counting == record::Counting::kCounted; }
  /// Neither ok nor a failure of the backend.
  bool is_not_run() const { return counting == record::Counting::kNotCounted; }
  bool counts_in_means() const { return is_ok() && left_out.empty() && speedup && *speedup > 0; }
};

/// Quantile of a side's timed calls, waits included; none if it has none.
std::optional<double> quantile_of_calls(const record::Record::Side& side, double part);

/// What a record says, without backend and left_out.
ResultRow result_row(const record::Record& record);

/// With how many threads a backend ran, and its other conditions as one text; a count of 0:
/// unknown.
struct BackendThreads {
  std::string conditions;
  int count = 0;
  std::string name;  ///< unique among those with the same count
};

/// Everything a report is made of.
struct Report {
  std::string title;
  /// Name and value: files, machine, protocol, versions.
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<std::string> backends;  ///< unique labels
  /// Of each backend; only backends with equal ones may be compared. See score::condition_texts().
  std::vector<std::string> conditions;
  /// Of each backend a label that is unique among those with equal conditions; empty: `backends`.
  std::vector<std::string> condition_names;
  std::vector<BackendThreads> threads;  ///< one a backend, in their order, or none at all
  std::vector<ResultRow> rows;          ///< any order, one a sample and backend
  std::vector<ScoreCurve> st;           ///< one a backend, in their order, or none at all
  std::vector<ScoreCurve> est;
  std::string score_caption;  ///< parameters of the scores
  /// Largest deviation of the controls (eager against itself) from 1; none without controls.
  std::optional<double> noise_floor;
  std::vector<std::string> notes;       ///< sentences for the reader
  std::vector<std::string> file_notes;  ///< of these, those on the files: damaged lines
};

}  // namespace graphnet::report
