// SPDX-License-Identifier: MIT
#include "report/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "report/terminal_text.h"

namespace graphnet::report {

namespace {

using journal::Record;

constexpr int kOutcomeWidth = 7;
constexpr int kCompileWidth = 9;
constexpr int kFirstCallWidth = 10;
constexpr int kMedianWidth = 18;
constexpr int kSpeedupWidth = 7;
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
  const std::vector<std::string> parts = {
      "graphnet " + facts.version, facts.protocol + " protocol",
      device + ", " + counted(static_cast<std::size_t>(std::max(0, facts.threads)), "thread"),
      "seed " + std::to_string(facts.seed),
      counted(facts.samples.size(), "sample") + " x " + counted(facts.plugins.size(), "plugin")};
  return printable(base::join(parts, " · "));
}

std::string duration_or_dash(const std::optional<double>& nanoseconds) {
  return nanoseconds ? base::format_duration(*nanoseconds) : "-";
}

// Digits that the spread does not cover are not shown: whole per cents from 10 on.
std::string median_text(const Record::Side& side) {
  if (!side.median_ns) return "-";
  std::string text = base::format_duration(*side.median_ns);
  const bool has_spread = side.iqr_ns && (side.trials_ns.empty() || side.trials_ns.size() > 1);
  if (has_spread && *side.median_ns > 0) {
    const double percent = 100 * *side.iqr_ns / *side.median_ns;
    char spread[32];
    std::snprintf(spread, sizeof spread, percent < 9.95 ? " ± %.1f %%" : " ± %.0f %%", percent);
    text += spread;
  }
  return text;
}

std::string speedup_text(const std::optional<double>& speedup) {
  if (!speedup) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2fx", *speedup);
  return text;
}

// Upstream fails a sample whose spread exceeds this part of the median; we keep it and say so.
//
// source   GraphNet bench, GRAPH_NET_FLUCTUATION_DETECT_THRESHOLD's default
constexpr double kLargestSpread = 0.20;

bool is_unsteady(const Record::Side& side) {
  return side.iqr_ns && side.median_ns && *side.iqr_ns > kLargestSpread * *side.median_ns;
}

bool is_unsteady(const Record& record) {
  return is_unsteady(record.eager) || is_unsteady(record.plugin_side);
}

std::string remarks_of(const Record& record) {
  std::vector<std::string> remarks;
  if (record.degenerate) remarks.emplace_back("degenerate");
  if (is_unsteady(record)) remarks.emplace_back("unsteady");
  return base::join(remarks, ", ");
}

const std::string& shown_plugin(const Record& record) {
  return record.plugin_variant.empty() ? record.plugin : record.plugin_variant;
}

bool is_not_run(const std::string& outcome) {
  return outcome == "skipped" || outcome == "interrupted";
}

Colour colour_of(const std::string& outcome) {
  if (outcome == "ok") return Colour::kOk;
  if (outcome == "unsupported" || is_not_run(outcome)) return Colour::kWarning;
  return Colour::kFailed;
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
      protocol_(facts.protocol),
      sample_width_(widest(facts.samples, 6)),
      plugin_width_(widest(facts.plugins, 6)) {
  if (style_.width > 0) {
    // One long name must not push every number off the screen.
    sample_width_ = std::min(sample_width_, std::max(12, style_.width / 3));
  }
  write_line(headline(facts));
  for (const auto& text : facts.overrides) write_line(printable("environment: " + text));
  out_ << '\n';
  write_line(kGap + pad_right("sample", sample_width_) + kGap + pad_right("plugin", plugin_width_) +
             kGap + pad_right("outcome", kOutcomeWidth) + kGap +
             pad_left("compile", kCompileWidth) + kGap + pad_left("first call", kFirstCallWidth) +
             kGap + pad_right("e2e median", kMedianWidth) + kGap +
             pad_left("speedup", kSpeedupWidth) + kGap + "verdict");
  out_.flush();
}

// Only text without colour may come here.
void RunTable::write_line(const std::string& line) {
  out_ << (style_.width > 0 ? cut_to_width(line, style_.width) : line) << '\n';
}

std::string RunTable::numbers(const Record& record) const {
  const auto& side = record.plugin_side;
  return pad_left(duration_or_dash(side.compile_ns), kCompileWidth) + kGap +
         pad_left(duration_or_dash(side.first_call_ns), kFirstCallWidth) + kGap +
         pad_right(median_text(side), kMedianWidth) + kGap +
         pad_left(speedup_text(record.speedup), kSpeedupWidth) + kGap;
}

void RunTable::row(const Record& record) {
  const bool is_ok = record.outcome == "ok";
  ++entry(outcome_counts_, printable(record.outcome));
  auto& speedups = entry(speedups_, printable(shown_plugin(record)));
  if (is_ok && record.degenerate) {
    ++speedups.degenerate;
  } else if (is_ok && is_unsteady(record)) {
    ++speedups.unsteady;
  } else if (is_ok && record.speedup && *record.speedup > 0) {
    speedups.sum_of_logs += std::log(*record.speedup);
    ++speedups.count;
  }

  std::string sample = printable(record.sample);
  if (style_.width > 0) sample = cut_to_width(sample, sample_width_);
  const std::string names = kGap + pad_right(sample, sample_width_) + kGap +
                            pad_right(printable(shown_plugin(record)), plugin_width_) + kGap;
  const std::string outcome = pad_right(printable(record.outcome), kOutcomeWidth);
  std::string rest;
  std::string remark;
  if (is_ok) {
    rest = kGap + numbers(record) + printable(record.verdict);
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
    out_ << names << coloured(outcome, colour_of(record.outcome), style_.color) << rest
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
  for (const auto& [outcome, count] : outcome_counts_) {
    const std::string text = std::to_string(count) + " " + outcome;
    if (outcome == "ok") {
      num_ok = count;
    } else if (is_not_run(outcome)) {
      not_run.push_back(text);
    } else {
      num_failed += count;
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
  out_ << base::join(parts, ", ") << " in " << format_elapsed(elapsed_s) << '\n';
}

void RunTable::write_speedups() {
  for (const auto& [plugin, speedups] : speedups_) {
    std::vector<std::string> left_out;
    if (speedups.degenerate > 0) {
      left_out.push_back(std::to_string(speedups.degenerate) + " degenerate");
    }
    if (speedups.unsteady > 0) {
      left_out.push_back(std::to_string(speedups.unsteady) + " unsteady (spread above 20 %)");
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
  if (protocol_ == "upstream") {
    out_ << coloured(
                "protocol upstream times one side after the other: a speedup within 10 % of 1 is "
                "noise, ± is the spread of one side (see host/measure/protocol.h)",
                Colour::kDim, style_.color)
         << '\n';
  }
  out_.flush();
}

}  // namespace graphnet::report
