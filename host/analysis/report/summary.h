// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/distribution.h"
#include "report/result_row.h"
#include "report/speedup_charts.h"

namespace graphnet::report {

/// What became of the samples of one backend.
struct BackendSummary {
  std::string name;
  int num_samples = 0;  ///< without those not run
  int num_ok = 0;
  std::map<std::string, int> failures;  ///< by outcome
  std::map<std::string, int> not_run;   ///< by outcome
  std::map<std::string, int> left_out;  ///< ok but in no mean, by reason
  std::map<std::string, int> timing;    ///< ok, by word; "no interval" without one
  std::map<std::string, int> verdicts;  ///< ok, without what is in brackets
  std::map<std::string, int> flags;
  GeometricMean speedup;
  double median_speedup = 0;  ///< 0 without any
  // Of ok samples.
  std::vector<double> compile_ns;  ///< ascending
  double eager_sum_ns = 0;         ///< of one call of each sample that has both times
  double plugin_sum_ns = 0;        ///< of the same samples
};

/// One a backend, in the order of Report::backends.
std::vector<BackendSummary> summarise(const Report& report);

/// "mixed(aten.add)" is "mixed"; "none" if there is no verdict.
std::string verdict_kind(const record::Verdict& verdict);

/// "3 crashed, 1 timed_out", the most frequent first; empty if there are none.
std::string counts_text(const std::map<std::string, int>& counts);

/// "0.987", "1.000", "12.35", "123.5": digits that a ratio of times can have.
std::string ratio_text(double ratio);

/// "1.234x [1.201, 1.262]", "1.234x (no interval)", "-".
std::string mean_text(const GeometricMean& mean);

std::vector<SpeedupGroup> speedup_groups(const Report& report);
ScatterInput scatter_input(const Report& report, std::size_t x_backend, std::size_t y_backend);

/// Rows by the key, largest group first.
using GroupKey = std::string ResultRow::*;
std::vector<GroupRow> group_rows(const Report& report, GroupKey key);

}  // namespace graphnet::report
