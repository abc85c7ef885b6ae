// SPDX-License-Identifier: MIT
#include "report/table_columns.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>

#include "base/text.h"
#include "record/left_out.h"
#include "report/terminal_text.h"
#include "score/evidence.h"

namespace graphnet::report {

using record::LeftOut;
using record::Record;
using record::TimingVerdict;

namespace {

std::string duration_or_dash(const std::optional<double>& nanoseconds) {
  return nanoseconds ? base::format_duration(*nanoseconds) : "-";
}

// Digits that the spread does not cover are not shown: whole per cents from 10 on. Empty if there
// is none.
std::string spread_text(const Record::Side& side) {
  const bool has_spread = side.iqr_ns && (side.trials_ns.empty() || side.trials_ns.size() > 1);
  if (!side.median_ns || !has_spread || !(*side.median_ns > 0)) return "";
  const double percent = 100 * *side.iqr_ns / *side.median_ns;
  char spread[32];
  std::snprintf(spread, sizeof spread, percent < 9.95 ? "± %.1f %%" : "± %.0f %%", percent);
  return spread;
}

std::string median_text(const Record::Side& side) {
  const std::string spread = spread_text(side);
  return duration_or_dash(side.median_ns) + (spread.empty() ? "" : " " + spread);
}

// "1.25x [1.23, 1.27]"; without an interval "1.25x", without a speedup "-".
std::string speedup_text(const Record& record) {
  if (!record.speedup) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2fx", *record.speedup);
  if (!record.timing.speedup_low) return text;
  char interval[64];
  std::snprintf(interval, sizeof interval, " [%.3g, %.3g]", record.timing.speedup_low.value_or(0),
                record.timing.speedup_high.value_or(0));
  return std::string(text) + interval;
}

std::string timing_text(const Record& record, double noise_floor) {
  if (!record.timing.has_pairs()) return spread_text(record.plugin_side);
  if (is_noise(record, noise_floor)) return name_of(TimingVerdict::kNoise);
  if (record.timing.verdict != TimingVerdict::kSame) return record.timing.verdict.text();
  char text[32];
  std::snprintf(text, sizeof text, "same ±%.1f %%", 100 * record.timing.same_within.value_or(0));
  return text;
}

// The largest error of an element, as "3e-7"; "0" if there is none, "-" if it is not known.
std::string error_text(const Record& record) {
  const auto found = record.correctness.find("largest_error");
  if (found == record.correctness.end() || !found->is_array()) return "-";
  double largest = -1;
  for (const base::Json& error : *found) {
    if (error.is_string()) return printable(error.get<std::string>());  // inf
    if (error.is_number()) largest = std::max(largest, error.get<double>());
  }
  if (largest <= 0) return largest < 0 ? "-" : "0";
  char text[32];
  std::snprintf(text, sizeof text, "%.0e", largest);
  const char sign[2] = {text[2] == '-' ? '-' : '\0', '\0'};
  return text[0] + ("e" + std::string(sign)) + std::to_string(std::atoi(text + 3));
}

constexpr TableColumn kColumns[] = {
    {"error", Align::kRight, 5, Shown::kAlways,
     [](const Record& record, double) { return error_text(record); }},
    {"compile", Align::kRight, 9, Shown::kAlways,
     [](const Record& record, double) { return duration_or_dash(record.plugin_side.compile_ns); }},
    {"capture", Align::kRight, 9, Shown::kReplays,
     [](const Record& record, double) { return duration_or_dash(record.plugin_side.capture_ns); }},
    {"first call", Align::kRight, 10, Shown::kAlways,
     [](const Record& record, double) {
       return duration_or_dash(record.plugin_side.first_call_ns);
     }},
    {"median", Align::kRight, 10, Shown::kPaired,
     [](const Record& record, double) { return duration_or_dash(record.plugin_side.median_ns); }},
    {"speedup [interval]", Align::kLeft, 23, Shown::kPaired,
     [](const Record& record, double) { return speedup_text(record); }},
    {"timing", Align::kLeft, 11, Shown::kPaired, timing_text},
    {"e2e median", Align::kLeft, 18, Shown::kUpstream,
     [](const Record& record, double) { return median_text(record.plugin_side); }},
    {"speedup", Align::kRight, 7, Shown::kUpstream,
     [](const Record& record, double) { return speedup_text(record); }},
    {"verdict", Align::kLeft, 0, Shown::kAlways,
     [](const Record& record, double) { return record.verdict.text(); }},
};

// "no evidence in 1 of 3 outputs (nan)"; empty if all lend it, or none, which is `degenerate`.
std::string evidence_text(const Record& record) {
  const auto words = record.correctness.find("evidence");
  if (record.degenerate || words == record.correctness.end() || !words->is_array()) return "";
  std::size_t without = 0;
  std::set<std::string> reasons;
  for (const base::Json& word : *words) {
    if (!word.is_string() || word.get<std::string>().empty()) continue;
    ++without;
    reasons.insert(word.get<std::string>());
  }
  if (without == 0) return "";
  return "no evidence in " + std::to_string(without) + " of " +
         base::counted(words->size(), "output") + " (" +
         base::join({reasons.begin(), reasons.end()}, ", ") + ")";
}

// "fails on 2 of 5 extreme inputs", or empty. Other seeds decide the outcome.
std::string robustness_text(const Record& record) {
  if (!record.checks.other_inputs_end.empty()) return "fails on other inputs";
  int failed = 0;
  int known = 0;
  for (const record::OtherInput& tried : record.checks.other_inputs) {
    if (!tried.was_tried() || tried.is_other_seed()) continue;
    ++known;
    failed += tried.has_failed() ? 1 : 0;
  }
  if (failed == 0) return "";
  return "fails on " + std::to_string(failed) + " of " +
         base::counted(static_cast<std::size_t>(known), "extreme input");
}

// Where they were not tried, `ok` rests on the sample's own weights alone.
std::string second_weights_text(const Record& record) {
  const record::SecondWeights& second = record.checks.second_weights;
  if (!record.is_ok() || is_empty(second)) return "";
  const bool is_tried = second.outcome != record::SecondWeights::not_tried();
  const bool has_weights = second.unchanged.value_or(1) > 0 || second.changed.value_or(0) > 0;
  return is_tried || !has_weights ? "" : "second weights not tried";
}

}  // namespace

std::vector<TableColumn> table_columns(bool is_paired, bool has_replays) {
  std::vector<TableColumn> columns;
  for (const TableColumn& column : kColumns) {
    const bool is_shown = column.shown == Shown::kAlways ||
                          (column.shown == Shown::kPaired && is_paired) ||
                          (column.shown == Shown::kUpstream && !is_paired) ||
                          (column.shown == Shown::kReplays && has_replays);
    if (is_shown) columns.push_back(column);
  }
  return columns;
}

std::string cells_text(const std::vector<TableColumn>& columns,
                       const std::function<std::string(const TableColumn&)>& text) {
  std::string line;
  for (const TableColumn& column : columns) {
    const auto pad = column.align == Align::kRight ? pad_left : pad_right;
    line += "  " + pad(text(column), column.width);
  }
  return line;
}

bool is_noise(const Record& record, double noise_floor) {
  const bool is_claim = record::facts_of(record.timing.verdict.value()).is_claim;
  return is_claim && record.speedup && std::fabs(*record.speedup - 1) <= noise_floor;
}

std::string remarks_of(const Record& record) {
  std::vector<std::string> remarks;
  if (record.degenerate) remarks.emplace_back(name_of(LeftOut::kDegenerate));
  const auto flags = texts_of(record.flags);
  remarks.insert(remarks.end(), flags.begin(), flags.end());
  const std::string evidence = evidence_text(record);
  if (!evidence.empty()) remarks.push_back(evidence);
  if (score::is_noisy(record)) remarks.emplace_back(name_of(LeftOut::kNoisy));
  const std::string robustness = robustness_text(record);
  if (!robustness.empty()) remarks.push_back(robustness);
  const std::string second_weights = second_weights_text(record);
  if (!second_weights.empty()) remarks.push_back(second_weights);
  return printable(base::join(remarks, ", "));
}

}  // namespace graphnet::report
