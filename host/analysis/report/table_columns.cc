// SPDX-License-Identifier: MIT
#include "report/table_columns.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "base/suggestion.h"
#include "base/text.h"
#include "record/left_out.h"
#include "report/reference_text.h"
#include "report/result_row.h"
#include "report/terminal_text.h"
#include "score/evidence.h"

namespace graphnet::report {

using base::Code;
using base::Result;
using base::Status;
using record::LeftOut;
using record::Record;
using record::TimingVerdict;

namespace {

using Number = std::optional<double>;

std::string duration_or_dash(const Number& nanoseconds) {
  return nanoseconds ? duration_cell(*nanoseconds) : "-";
}

std::string bytes_or_dash(const std::optional<std::int64_t>& bytes) {
  if (!bytes) return "-";
  char text[40];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(*bytes) / (1024.0 * 1024.0));
  return text;
}

std::string throughput_or_dash(const Number& nanoseconds) {
  if (!nanoseconds || !(*nanoseconds > 0)) return "-";
  char text[40];
  std::snprintf(text, sizeof text, "%.1f /s", 1e9 / *nanoseconds);
  return text;
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

// " 1.25x [1.23, 1.27]"; without an interval " 1.25x", without a speedup "     -".
std::string speedup_text(const Record& record) {
  constexpr int kRatioWidth = 6;
  if (!record.speedup) return pad_left("-", kRatioWidth);
  char text[64];
  std::snprintf(text, sizeof text, "%.2fx", *record.speedup);
  std::string cell = pad_left(text, kRatioWidth);
  if (!record.timing.speedup_low) return cell;
  std::snprintf(text, sizeof text, " [%.2f, %.2f]", record.timing.speedup_low.value_or(0),
                record.timing.speedup_high.value_or(0));
  return cell + text;
}

std::string timing_text(const Record& record, double noise_floor) {
  if (!record.timing.has_pairs()) return spread_text(record.plugin_side);
  if (is_noise(record, noise_floor)) return name_of(TimingVerdict::kNoise);
  return record.timing.verdict.text();
}

// "41 % arithmetic"; "-" if the limit is not known.
std::string limit_text(const Record& record) {
  const Number share = record.roofline.share(record.plugin_side.median_ns);
  if (!share) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%4.1f %% ", 100 * *share);
  return text + printable(record.roofline.limited_by);
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

constexpr Align kLeft = Align::kLeft;
constexpr Align kRight = Align::kRight;

constexpr TableColumn kColumns[] = {
    {"eager", "eager", kRight, 9, true,
     [](const Record& record, double) { return duration_or_dash(record.eager.median_ns); },
     "median time of a call of eager, without waits"},
    {"plugin", "plugin", kRight, 9, true,
     [](const Record& record, double) { return duration_or_dash(record.plugin_side.median_ns); },
     "median time of a call of the plugin, without waits"},
    {"error", "error", kRight, 5, false,
     [](const Record& record, double) { return error_text(record); },
     "largest error of an element of a float output, as a fraction of that output's RMS"},
    {"compile", "compile", kRight, 9, false,
     [](const Record& record, double) {
       if (record.plugin_side.load_ns) return std::string("loaded");
       return duration_or_dash(record.plugin_side.compile_ns);
     },
     "time of the plugin's compile; loaded: an artifact of an earlier run was used"},
    {"bind", "bind", kRight, 9, false,
     [](const Record& record, double) { return duration_or_dash(record.plugin_side.bind_ns); },
     "time to hand the weights to the executable"},
    {"capture", "capture", kRight, 9, false,
     [](const Record& record, double) { return duration_or_dash(record.plugin_side.capture_ns); },
     "time to capture the call in a CUDA graph; protocol replay only"},
    {"first_call", "first call", kRight, 10, false,
     [](const Record& record, double) {
       return duration_or_dash(record.plugin_side.first_call_ns);
     },
     "time of the plugin's very first call, which enters no statistic"},
    {"p90", "p90", kRight, 9, false,
     [](const Record& record, double) {
       return duration_or_dash(quantile_of_calls(record.plugin_side, 0.9));
     },
     "90th percentile of the plugin's timed calls, waits included"},
    {"p99", "p99", kRight, 9, false,
     [](const Record& record, double) {
       return duration_or_dash(quantile_of_calls(record.plugin_side, 0.99));
     },
     "99th percentile of the plugin's timed calls, waits included"},
    {"throughput", "throughput", kRight, 12, false,
     [](const Record& record, double) { return throughput_or_dash(record.plugin_side.median_ns); },
     "calls of the plugin a second, from its median"},
    {"memory", "memory", kRight, 11, false,
     [](const Record& record, double) { return bytes_or_dash(record.plugin_side.peak_rss_bytes); },
     "peak resident memory of the worker while the plugin had its phases"},
    {"kept", "kept", kRight, 11, false,
     [](const Record& record, double) { return bytes_or_dash(record.plugin_side.kept_bytes); },
     "bytes that the plugin says it keeps because of bind"},
    {"limit", "of limit", kLeft, 16, false,
     [](const Record& record, double) { return limit_text(record); },
     "share of the machine's limit that the plugin's call reached, and what limits it: the graph's "
     "multiplications at the peak of the cores, or reading and writing its data once"},
    {"reference", "reference", kLeft, 13, false,
     [](const Record& record, double) { return reference_cell(record.checks.reference); },
     "outputs beside those of run --reference, eager's and the plugin's: equal to the bit, ok or "
     "differs by the outcome rule, with how many of upstream's 64 levels the worst output passes"},
    {"ratio", "ratio", kRight, 7, false,
     [](const Record& record, double) { return ratio_cell(record.checks.reference.plugin.ratio); },
     "the plugin's time in the reference by its time here, above 1 it is faster here"},
    {"speedup", "speedup [interval]", kLeft, 20, true,
     [](const Record& record, double) { return speedup_text(record); },
     "eager time by plugin time, above 1 the plugin is faster; and the interval"},
    {"timing", "timing", kLeft, 8, true, timing_text,
     "what the interval says: faster, slower, same, unstable, noise"},
    {"verdict", "verdict", kLeft, 7, true,
     [](const Record& record, double) { return record.verdict.text(); },
     "who did the work, and remarks: flags, degenerate, extreme inputs that fail"},
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

const std::vector<TableColumn>& table_columns() {
  static const std::vector<TableColumn> columns(std::begin(kColumns), std::end(kColumns));
  return columns;
}

std::vector<TableColumn> default_columns() {
  std::vector<TableColumn> columns;
  for (const TableColumn& column : kColumns) {
    if (column.is_default) columns.push_back(column);
  }
  return columns;
}

Result<std::vector<TableColumn>> columns_named(const std::string& list) {
  const bool is_added = !list.empty() && list.front() == '+';
  std::vector<TableColumn> columns = is_added ? default_columns() : std::vector<TableColumn>();
  std::vector<std::string> names;
  for (const TableColumn& column : kColumns) names.emplace_back(column.name);
  for (const std::string& name : base::split(list.substr(is_added ? 1 : 0), ',')) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      Status error(Code::kUsage, "--columns has no column '" + name + "'");
      base::add_suggestion(error, name, names);
      return error.add_hint("columns: " + base::join(names, ", "));
    }
    const auto is_named = [&](const TableColumn& column) { return column.name == name; };
    // Named again, a column moves.
    columns.erase(std::remove_if(columns.begin(), columns.end(), is_named), columns.end());
    columns.push_back(kColumns[found - names.begin()]);
  }
  // Whatever stands behind a verdict is part of it.
  std::stable_partition(columns.begin(), columns.end(), [](const TableColumn& column) {
    return std::string_view(column.name) != "verdict";
  });
  return columns;
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

std::string duration_cell(double nanoseconds) {
  struct Unit {
    double nanoseconds;
    const char* name;
  };
  constexpr Unit kUnits[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
  const Unit* unit = std::begin(kUnits);
  // What would be shown as 1000.00 has the next unit.
  while (unit + 1 != std::end(kUnits) && nanoseconds >= 999.995 * unit->nanoseconds) ++unit;
  char text[40];
  std::snprintf(text, sizeof text, "%.2f %s", nanoseconds / unit->nanoseconds, unit->name);
  return text;
}

}  // namespace graphnet::report
