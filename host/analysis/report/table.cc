// SPDX-License-Identifier: MIT
#include "report/table.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "record/left_out.h"
#include "report/terminal_text.h"
#include "score/formulas.h"

namespace graphnet::report {

namespace {

using base::counted;
using record::Record;

constexpr int kOutcomeWidth = 7;
constexpr const char* kGap = "  ";

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

Colour colour_of(const Record& record) {
  if (record.is_ok()) return Colour::kOk;
  return record::fails_run(record.outcome, record::FailOn::kError) ? Colour::kFailed
                                                                   : Colour::kWarning;
}

}  // namespace

RunTable::RunTable(std::ostream& out, TableStyle style, const RunFacts& facts)
    : out_(out),
      style_(style),
      has_upstream_(facts.methods.count("upstream") > 0),
      columns_(table_columns(facts.methods.count("paired") > 0, facts.has_replays)),
      sample_width_(widest(facts.samples, 6)),
      plugin_width_(widest(facts.plugins, 6)) {
  if (style_.width > 0) {
    // One long name must not push every number off the screen.
    sample_width_ = std::min(sample_width_, std::max(12, style_.width / 3));
  }
  write_line(headline(facts));
  for (const auto& text : facts.overrides) write_line(printable("environment: " + text));
  out_ << '\n';
  const auto header = [](const TableColumn& column) { return std::string(column.header); };
  write_line(kGap + pad_right("sample", sample_width_) + kGap + pad_right("plugin", plugin_width_) +
             kGap + pad_right("outcome", kOutcomeWidth) + cells_text(columns_, header));
  out_.flush();
}

// Only text without colour may come here.
void RunTable::write_line(const std::string& line) {
  out_ << (style_.width > 0 ? cut_to_width(line, style_.width) : line) << '\n';
}

void RunTable::control(const journal::Control& control) {
  noise_floor_ = control.noise_floor;
  char text[160];
  std::snprintf(text, sizeof text, "noise floor %.2f %% (eager vs eager, %d runs, mean %+.2f %%)",
                100 * control.noise_floor, control.experiments, 100 * control.bias);
  out_ << coloured(style_.width > 0 ? cut_to_width(kGap + std::string(text), style_.width)
                                    : kGap + std::string(text),
                   Colour::kDim, style_.color)
       << '\n';
  out_.flush();
}

void RunTable::row(const Record& record) {
  const bool is_ok = record.is_ok();
  tally_.add(record);

  std::string sample = printable(record.sample);
  if (style_.width > 0) sample = cut_to_width(sample, sample_width_);
  const std::string names = kGap + pad_right(sample, sample_width_) + kGap +
                            pad_right(printable(record.backend_name()), plugin_width_) + kGap;
  const std::string outcome = pad_right(printable(record.outcome.text()), kOutcomeWidth);
  std::string rest;
  std::string remark;
  if (is_ok) {
    rest = cells_text(columns_, [&](const TableColumn& column) {
      return printable(column.text(record, noise_floor_));
    });
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
         << coloured(rest, Colour::kDim, style_.color && is_ok && is_noise(record, noise_floor_))
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
  for (const RunTally::Outcomes& outcomes : tally_.outcomes()) {
    const std::string text = std::to_string(outcomes.count) + " " + printable(outcomes.word);
    if (outcomes.counting == record::Counting::kCounted) {
      num_ok += outcomes.count;
    } else if (outcomes.counting == record::Counting::kNotCounted) {
      not_run.push_back(text);
    } else {
      num_failed += outcomes.count;
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
  for (const RunTally::Speedups& speedups : tally_.speedups()) {
    std::vector<std::string> left_out;
    for (const auto& [reason, number] : speedups.left_out) {
      const char* more = reason == name_of(record::LeftOut::kNoisy) ? " (spread above 20 %)" : "";
      left_out.push_back(std::to_string(number) + " " + printable(reason) + more);
    }
    if (speedups.counted.empty() && left_out.empty()) continue;
    std::string line = printable(speedups.backend) + ": ";
    if (speedups.counted.empty()) {
      line += "no speedup to average";
    } else {
      char mean[32];
      std::snprintf(mean, sizeof mean, "%.2fx", score::geometric_mean(speedups.counted));
      line += "geometric mean of " + counted(speedups.counted.size(), "speedup") + " " + mean;
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
