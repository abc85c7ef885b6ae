// SPDX-License-Identifier: MIT
#include "score/score_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "record/left_out.h"
#include "score/bands.h"
#include "score/columns.h"
#include "score/formulas.h"
#include "score/shared_samples.h"

namespace graphnet::score {

using base::Code;
using base::Result;
using base::Status;

namespace {

/// Beyond rounding: logarithms of thousands of samples, added in two orders.
constexpr double kFormsAgree = 1e-9;

Status check(const Settings& settings) {
  if (!(settings.fail_base > 0) || !std::isfinite(settings.fail_base)) {
    return Status(Code::kUsage, "the contribution of a failed sample must be above 0");
  }
  if (!(settings.penalty >= 0) || !std::isfinite(settings.penalty)) {
    return Status(Code::kUsage, "the penalty of a slowdown must not be negative");
  }
  if (!(settings.confidence > 0) || !(settings.confidence < 1)) {
    return Status(Code::kUsage, "the confidence of bands must be between 0 and 1");
  }
  double sum = 0;
  for (const auto& [t, weight] : settings.weights) {
    if (!(weight >= 0) || !std::isfinite(weight)) {
      return Status(Code::kUsage,
                    "the weight of t = " + std::to_string(t) + " must not be negative");
    }
    if (t <= last_level(settings.interpretation) && t >= kFirstLevel) sum += weight;
  }
  if (!(sum > 0)) return Status(Code::kUsage, "no level that is scored has a weight");
  return Status::ok();
}

std::set<std::string> samples_of(const Column& column) {
  std::set<std::string> samples;
  for (const Row& row : column.rows) samples.insert(row.sample);
  return samples;
}

/// Moves rows whose sample another column does not count to the rows left out.
void keep_common_samples(std::vector<Column>& columns) {
  std::vector<std::set<std::string>> samples;
  for (const Column& column : columns) samples.push_back(samples_of(column));
  const std::set<std::string> common = common_samples(samples);
  for (Column& column : columns) {
    std::vector<Row> kept;
    for (Row& row : column.rows) {
      const bool is_common = common.count(row.sample) > 0;
      if (!is_common) {
        row.left_out = name_of(record::LeftOut::kNotInEveryColumn);
        row.can_be_kept = false;
      }
      (is_common ? kept : column.left_out).push_back(std::move(row));
    }
    column.rows = std::move(kept);
  }
}

/// Relative to the larger; numbers that both vanish are equal.
double difference(double a, double b) {
  return std::fabs(a - b) / std::max({a, b, std::numeric_limits<double>::min()});
}

/// Returns the largest relative difference of the two forms.
double compute(Column& column, const Settings& settings) {
  column.points = points_of(column.rows, settings);
  column.aggregate = weighted_aggregate(column.points, settings.weights);
  column.aggregate_band = fill_bands(column.rows, settings, column.points);
  double largest = 0;
  for (const Point& point : column.points) {
    largest = std::max({largest, difference(point.s_aggregated, point.s),
                        difference(point.es_aggregated, point.es)});
  }
  return largest;
}

void add_notes(ScoreSet& set) {
  std::set<std::set<std::string>> sample_sets;
  std::set<std::string> sources;
  for (const Column& column : set.columns) {
    sample_sets.insert(samples_of(column));
    const auto source = column.backend.facets.find("source");
    if (source != column.backend.facets.end()) sources.insert(source->second);
  }
  if (sample_sets.size() > 1) {
    set.notes.emplace_back("backends cover different samples; score --common counts those of all");
  }
  if (sources.size() > 1) {
    set.notes.emplace_back(
        "upstream's logs time eager through Python, records time it through C++: logs show larger "
        "speedups of small graphs");
  }
  if (set.settings.compat && set.largest_form_difference > kFormsAgree) {
    set.notes.emplace_back(
        "the aggregated and the per-sample form differ: as upstream's, only the aggregated one "
        "forgives eager failures");
  }
}

/// Reasons to keep that no row has; most likely mistyped.
std::vector<std::string> notes_on_keep(const std::vector<Row>& rows, const Settings& settings) {
  std::set<std::string> unknown = settings.keep;
  unknown.erase("all");
  for (const Row& row : rows) unknown.erase(row.left_out);
  std::vector<std::string> notes;
  for (const std::string& reason : unknown)
    notes.push_back("no result is left out as '" + reason + "'");
  return notes;
}

}  // namespace

std::map<std::string, int> Column::left_out_counts() const {
  std::map<std::string, int> counts;
  for (const Row& row : left_out) ++counts[row.left_out];
  return counts;
}

std::array<int, kNumFailures> Column::failure_counts() const {
  std::array<int, kNumFailures> counts = {};
  for (const Row& row : rows) {
    const bool is_wrong = row.failure == Failure::kNone && !row.correct[level_index(1)];
    ++counts[static_cast<std::size_t>(is_wrong ? Failure::kAccuracy : row.failure)];
  }
  return counts;
}

Result<ScoreSet> score_rows(std::vector<Row> rows, const Settings& settings) {
  GN_RETURN_IF_ERROR(check(settings));
  if (rows.empty()) return Status(Code::kInput, "there is no result to score");
  ScoreSet set;
  set.settings = settings;
  set.notes = notes_on_keep(rows, settings);
  set.columns = sort_into_columns(std::move(rows), settings);
  if (settings.common_samples) keep_common_samples(set.columns);
  for (Column& column : set.columns) {
    set.largest_form_difference = std::max(set.largest_form_difference, compute(column, settings));
  }
  if (!settings.compat && !(set.largest_form_difference <= kFormsAgree)) {
    return Status(Code::kInternal, "per-sample and aggregated scores differ by " +
                                       std::to_string(set.largest_form_difference));
  }
  add_notes(set);
  return set;
}

}  // namespace graphnet::score
