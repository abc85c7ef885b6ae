// SPDX-License-Identifier: MIT
#include "report/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "base/text.h"
#include "report/terminal_text.h"
#include "score/evidence.h"

namespace graphnet::report {

namespace {

using record::Outcome;
using record::Record;
using record::TimingVerdict;

constexpr int kOutcomeWidth = 7;
constexpr int kErrorWidth = 5;
constexpr int kCompileWidth = 9;
constexpr int kFirstCallWidth = 10;
constexpr int kMedianWidth = 18;
constexpr int kSpeedupWidth = 7;
constexpr int kPairedMedianWidth = 10;
constexpr int kIntervalWidth = 23;
constexpr int kTimingWidth = 11;
constexpr const char* kGap = "  ";

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

int widest(const std::vector<std::string>& texts, int least) {
  for (const auto& text : texts) least = std::max(least, display_width(printable(text)));
  return least;
}

std::string headline(const RunFacts& facts) {
  std::string device = facts.device;
  if (!facts.hardware.empty()) device += " " + facts.hardware;
  std::vector<std::string> parts = {
      "graphnet " + facts.version, facts.protocol + " protocol",
      device + ", " + counted(static_cast<std::size_t>(std::max(0, facts.threads)), "thread"),
      "seed " + std::to_string(facts.seed),
      counted(facts.samples.size(), "sample") + " x " + counted(facts.plugins.size(), "plugin")};
  if (!facts.math.empty()) parts.push_back("math " + facts.math);
  if (facts.jobs > 1) parts.push_back(std::to_string(facts.jobs) + " at a time");
  return printable(base::join(parts, " · "));
}

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

std::string speedup_text(const std::optional<double>& speedup) {
  if (!speedup) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2fx", *speedup);
  return text;
}

// Why a speedup enters no average; empty: it does.
std::string reason_to_leave_out(const Record& record) {
  const std::string reason = score::reason_to_leave_out(record);
  return reason == "unsteady" ? "unsteady (spread above 20 %)" : reason;
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
  return "no evidence in " + std::to_string(without) + " of " + counted(words->size(), "output") +
         " (" + base::join({reasons.begin(), reasons.end()}, ", ") + ")";
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
         counted(static_cast<std::size_t>(known), "extreme input");
}

// Where they were not tried, `ok` rests on the sample's own weights alone.
std::string second_weights_text(const Record& record) {
  const record::SecondWeights& second = record.checks.second_weights;
  if (!record.is_ok() || is_empty(second)) return "";
  const bool is_tried = second.outcome != record::SecondWeights::not_tried();
  const bool has_weights = second.unchanged.value_or(1) > 0 || second.changed.value_or(0) > 0;
  return is_tried || !has_weights ? "" : "second weights not tried";
}

std::string remarks_of(const Record& record) {
  std::vector<std::string> remarks;
  if (record.degenerate) remarks.emplace_back("degenerate");
  const auto flags = texts_of(record.flags);
  remarks.insert(remarks.end(), flags.begin(), flags.end());
  const std::string evidence = evidence_text(record);
  if (!evidence.empty()) remarks.push_back(evidence);
  if (score::is_unsteady(record)) remarks.emplace_back("unsteady");
  const std::string robustness = robustness_text(record);
  if (!robustness.empty()) remarks.push_back(robustness);
  const std::string second_weights = second_weights_text(record);
  if (!second_weights.empty()) remarks.push_back(second_weights);
  return printable(base::join(remarks, ", "));
}

Colour colour_of(const Record& record) {
  if (record.is_ok()) return Colour::kOk;
  return record::fails_run(record.outcome, record::FailOn::kError) ? Colour::kFailed
                                                                   : Colour::kWarning;
}

template <typename T>
T& entry(std::vector<std::pair<std::string, T>>& entries, const std::string& key) {
  for (auto& [name, value] : entries) {
    if (name == key) return value;
  }
  return entries.emplace_back(key, T()).second;
}

}  // namespace

RunTable::RunTable(std::ostream& out, TableStyle style, const RunFacts& facts)
    : out_(out),
      style_(style),
      is_paired_(facts.methods.count("paired") > 0),
      has_upstream_(facts.methods.count("upstream") > 0),
      has_replays_(facts.has_replays),
      sample_width_(widest(facts.samples, 6)),
      plugin_width_(widest(facts.plugins, 6)) {
  if (style_.width > 0) {
    // One long name must not push every number off the screen.
    sample_width_ = std::min(sample_width_, std::max(12, style_.width / 3));
  }
  write_line(headline(facts));
  for (const auto& text : facts.overrides) write_line(printable("environment: " + text));
  out_ << '\n';
  const std::string timing = is_paired_ ? pad_left("median", kPairedMedianWidth) + kGap +
                                              pad_right("speedup [interval]", kIntervalWidth) +
                                              kGap + pad_right("timing", kTimingWidth) + kGap
                                        : pad_right("e2e median", kMedianWidth) + kGap +
                                              pad_left("speedup", kSpeedupWidth) + kGap;
  write_line(kGap + pad_right("sample", sample_width_) + kGap + pad_right("plugin", plugin_width_) +
             kGap + pad_right("outcome", kOutcomeWidth) + kGap + pad_left("error", kErrorWidth) +
             kGap + pad_left("compile", kCompileWidth) + kGap +
             (has_replays_ ? pad_left("capture", kCompileWidth) + kGap : "") +
             pad_left("first call", kFirstCallWidth) + kGap + timing + "verdict");
  out_.flush();
}

// Only text without colour may come here.
void RunTable::write_line(const std::string& line) {
  out_ << (style_.width > 0 ? cut_to_width(line, style_.width) : line) << '\n';
}

std::string RunTable::speedup(const Record& record) const {
  std::string text = speedup_text(record.speedup);
  if (!record.speedup || !record.timing.speedup_low) return text;
  char interval[64];
  std::snprintf(interval, sizeof interval, " [%.3g, %.3g]", record.timing.speedup_low.value_or(0),
                record.timing.speedup_high.value_or(0));
  return text + interval;
}

bool RunTable::is_noise(const Record& record) const {
  const bool is_claim = record::facts_of(record.timing.verdict.value()).is_claim;
  return is_claim && record.speedup && std::fabs(*record.speedup - 1) <= noise_floor_;
}

std::string RunTable::timing_word(const Record& record) const {
  if (!record.timing.has_pairs()) return spread_text(record.plugin_side);
  if (is_noise(record)) return name_of(TimingVerdict::kNoise);
  if (record.timing.verdict != TimingVerdict::kSame) return record.timing.verdict.text();
  char text[32];
  std::snprintf(text, sizeof text, "same ±%.1f %%", 100 * record.timing.same_within.value_or(0));
  return text;
}

std::string RunTable::numbers(const Record& record) const {
  const auto& side = record.plugin_side;
  const std::string capture =
      has_replays_ ? pad_left(duration_or_dash(side.capture_ns), kCompileWidth) + kGap : "";
  const std::string cost = pad_left(error_text(record), kErrorWidth) + kGap +
                           pad_left(duration_or_dash(side.compile_ns), kCompileWidth) + kGap +
                           capture +
                           pad_left(duration_or_dash(side.first_call_ns), kFirstCallWidth) + kGap;
  if (!is_paired_) {
    return cost + pad_right(median_text(side), kMedianWidth) + kGap +
           pad_left(speedup(record), kSpeedupWidth) + kGap;
  }
  return cost + pad_left(duration_or_dash(side.median_ns), kPairedMedianWidth) + kGap +
         pad_right(speedup(record), kIntervalWidth) + kGap +
         pad_right(printable(timing_word(record)), kTimingWidth) + kGap;
}

void RunTable::count(const Record& record) {
  const std::string uncounted = record::why_not_counted(record.outcome, record.phase);
  Tally& tally = entry(tallies_, printable(uncounted.empty() ? record.outcome.text() : uncounted));
  tally.counting = record.counting();
  ++tally.count;
  auto& speedups = entry(speedups_, printable(record.backend_name()));
  if (!record.is_ok() || !record.speedup || !(*record.speedup > 0)) return;
  const std::string reason = reason_to_leave_out(record);
  if (!reason.empty()) {
    ++speedups.left_out[printable(reason)];
    return;
  }
  speedups.sum_of_logs += std::log(*record.speedup);
  ++speedups.count;
}

void RunTable::control(const journal::Control& control) {
  noise_floor_ = control.noise_floor;
  char text[160];
  std::snprintf(text, sizeof text,
                "control: eager against itself %d times, off by at most %.2f %% (mean %+.2f %%)",
                control.experiments, 100 * control.noise_floor, 100 * control.bias);
  out_ << coloured(style_.width > 0 ? cut_to_width(kGap + std::string(text), style_.width)
                                    : kGap + std::string(text),
                   Colour::kDim, style_.color)
       << '\n';
  out_.flush();
}

void RunTable::row(const Record& record) {
  const bool is_ok = record.is_ok();
  count(record);

  std::string sample = printable(record.sample);
  if (style_.width > 0) sample = cut_to_width(sample, sample_width_);
  const std::string names = kGap + pad_right(sample, sample_width_) + kGap +
                            pad_right(printable(record.backend_name()), plugin_width_) + kGap;
  const std::string outcome = pad_right(printable(record.outcome.text()), kOutcomeWidth);
  std::string rest;
  std::string remark;
  if (is_ok) {
    rest = kGap + numbers(record) + printable(record.verdict.text());
    remark = remarks_of(record);
    if (!remark.empty() && !record.verdict.empty()) remark.insert(0, ", ");
  } else if (!record.message.empty()) {
    rest = kGap + printable(record.message);
  }
  // Cut first, colour after: escape codes take no cells.
  const int room = style_.width - display_width(names) - display_width(outcome);
  if (style_.width > 0 && room < 0) {
    write_line(names + outcome);
  } else {
    if (style_.width > 0) {
      rest = cut_to_width(rest, room);
      remark = cut_to_width(remark, room - display_width(rest));
    }
    out_ << names << coloured(outcome, colour_of(record), style_.color)
         << coloured(rest, Colour::kDim, style_.color && is_ok && is_noise(record))
         << coloured(remark, Colour::kWarning, style_.color) << '\n';
  }
  out_.flush();
}

void RunTable::write_counts(double elapsed_s) {
  int num_ok = 0;
  int num_failed = 0;
  std::vector<std::string> failures;
  std::vector<std::string> parts;
  std::vector<std::string> not_run;
  for (const auto& [word, tally] : tallies_) {
    const std::string text = std::to_string(tally.count) + " " + word;
    if (tally.counting == record::Counting::kCounted) {
      num_ok += tally.count;
    } else if (tally.counting == record::Counting::kNotCounted) {
      not_run.push_back(text);
    } else {
      num_failed += tally.count;
      failures.push_back(text);
    }
  }
  const std::string ok = std::to_string(num_ok) + " ok";
  parts.push_back(num_ok > 0 ? coloured(ok, Colour::kOk, style_.color) : ok);
  if (num_failed > 0) {
    const std::string text =
        std::to_string(num_failed) + " failed (" + base::join(failures, ", ") + ")";
    parts.push_back(coloured(text, Colour::kFailed, style_.color));
  }
  parts.insert(parts.end(), not_run.begin(), not_run.end());
  out_ << base::join(parts, ", ");
  if (elapsed_s > 0) out_ << " in " << format_elapsed(elapsed_s);
  out_ << '\n';
}

void RunTable::write_speedups() {
  for (const auto& [plugin, speedups] : speedups_) {
    std::vector<std::string> left_out;
    for (const auto& [reason, number] : speedups.left_out) {
      left_out.push_back(std::to_string(number) + " " + reason);
    }
    if (speedups.count == 0 && left_out.empty()) continue;
    std::string line = plugin + ": ";
    if (speedups.count == 0) {
      line += "no speedup to average";
    } else {
      char mean[32];
      std::snprintf(mean, sizeof mean, "%.2fx", std::exp(speedups.sum_of_logs / speedups.count));
      line += std::string("geometric mean of ") +
              counted(static_cast<std::size_t>(speedups.count), "speedup") + " " + mean;
    }
    if (!left_out.empty()) line += "; left out: " + base::join(left_out, ", ");
    out_ << line << '\n';
  }
}

void RunTable::summary(const RunSummary& summary) {
  out_ << '\n';
  write_counts(summary.elapsed_s);
  write_speedups();
  for (const auto& note : summary.notes) {
    out_ << coloured("note: ", Colour::kWarning, style_.color) << printable(note) << '\n';
  }
  if (!summary.results_path.empty()) out_ << "results: " << printable(summary.results_path) << '\n';
  if (has_upstream_) {
    out_
        << coloured(
               "protocol upstream times one side after the other, on one input: a speedup within "
               "10 % of 1 is noise, ± is the spread of one side, and stored results would not show "
               "in the timed calls (unchecked; see host/runtime/measure/protocol.h)",
               Colour::kDim, style_.color)
        << '\n';
  }
  out_.flush();
}

}  // namespace graphnet::report
