// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "score/interpretation.h"
#include "score/row.h"

namespace graphnet::score {

/// How to score.
struct Settings {
  double penalty = 0;      ///< p, upstream's negative_speedup_penalty: slowdowns count s^(p+1)
  double fail_base = 0.1;  ///< b, upstream's fpdb: what a failed sample contributes
  InterpretationKind interpretation = InterpretationKind::kDefault;
  /// Level to weight, for the weighted aggregate of ES(t); levels without a score are left out and
  /// the rest is normalised.
  std::map<int, double> weights = upstream_weights();
  /// Reasons (Row::left_out) whose rows are counted all the same; "all" names every one.
  std::set<std::string> keep;
  bool common_samples = false;  ///< count only samples that every column counts
  /// Upstream's behaviour: a sample that is listed twice counts twice, every reason is kept, and
  /// the aggregated form forgives eager failures where the per-sample form does not.
  bool compat = false;
  int resamples = 1000;  ///< for the bands; 0: no bands
  double confidence = 0.95;
  std::uint64_t seed = 123;
};

/// An interval; low == high == the value itself without resamples.
struct Band {
  double low = 0;
  double high = 0;
};

/// Upstream's macro parameters of one column at one level.
///
/// source   GraphNet bench samples_statistics; GraphNet technical report, appendices B and C
struct MacroParameters {
  int samples = 0;    ///< N
  int correct = 0;    ///< M, at this level
  int slowdowns = 0;  ///< K: correct and slower than eager
  double alpha = 1;   ///< geometric mean of all correct speedups, 1 if none
  double beta = 1;    ///< geometric mean of the correct speedups below 1, 1 if none
  double lambda = 1;  ///< M / N
  double eta = 0;     ///< K / M, 0 if M is 0
  /// What an error contributes to ES(t): b up to t = 0, then b^(share not forgiven).
  double gamma = 0;
  /// Share of each failure among the errors, by Failure's value; at levels above 1 those of t = 1.
  std::array<double, kNumFailures> pi = {};
};

/// One level of a column.
struct Point {
  int t = 0;
  double s = 0;   ///< S(t), per-sample form
  double es = 0;  ///< ES(t), per-sample form; equal to s below t = 1
  Band s_band;    ///< percentiles over resampled samples
  Band es_band;
  double s_aggregated = 0;   ///< S(t) from the macro parameters
  double es_aggregated = 0;  ///< ES(t) from the macro parameters
  MacroParameters macro;     ///< at t
};

/// Everything known of one backend under one set of conditions.
struct Column {
  std::string label;  ///< unique in the set: the backend's name and the facets that tell it apart
  Backend backend;
  std::vector<Row> rows;      ///< counted, by sample
  std::vector<Row> left_out;  ///< not counted, by sample; the reason is in the row
  int superseded = 0;         ///< earlier results of a sample that has a later one
  /// t ascending from -10 to the interpretation's last level; empty if no row is counted.
  std::vector<Point> points;
  /// Weighted mean of log10 ES(t) over Settings::weights.
  double aggregate = 0;
  Band aggregate_band;

  /// Number of rows in left_out by reason, and of counted rows by failure (kAccuracy: those without
  /// a failure of their own that are wrong at t = 1).
  std::map<std::string, int> left_out_counts() const;
  std::array<int, kNumFailures> failure_counts() const;
};

struct ScoreSet {
  Settings settings;
  std::vector<Column> columns;  ///< by label
  /// Largest relative difference of the two forms over all columns, levels, S and ES. Both are the
  /// same number computed in two ways; only with Settings::compat it may exceed rounding.
  double largest_form_difference = 0;
  std::vector<std::string> notes;  ///< sentences for the reader
};

/// Scores rows, column by column.
///
/// A row counts unless it has a reason to be left out that Settings::keep does not name. Of several
/// rows with equal sample and backend the last one counts. A row that is correct at some level but
/// has no speedup is left out ("no speedup"). Nothing is dropped without a count.
///
/// S(t) is the geometric mean over a column's rows of s if correct at t (s^(p+1) if s < 1), else b.
/// ES(t) equals it below t = 1; from there on correctness and speedup are those of t = 1, and a
/// failure that the interpretation forgives at t contributes 1 in place of b.
///
/// order    rows in the order of reading: later ones supersede earlier ones. Equal rows and
/// settings
///          give equal results to the bit, bands included
/// errors   kUsage for settings out of range (b > 0, p >= 0, finite, a weight above 0); kInput if
///          there is no row; kInternal if the two forms differ by more than rounding without compat
/// source   GraphNet bench analysis_util, calculate_es_scores, aggregate_es_scores
base::Result<ScoreSet> score_rows(std::vector<Row> rows, const Settings& settings);

}  // namespace graphnet::score
