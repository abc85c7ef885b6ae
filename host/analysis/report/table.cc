// SPDX-License-Identifier: MIT
#include "report/table.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "report/terminal_text.h"

namespace graphnet::report {

namespace {

using base::counted;
using record::Record;

constexpr int kOutcomeWidth = 7;
constexpr int kWidestTable = 100;
constexpr int kLeastSample = 16;
constexpr int kLeastBackend = 6;
constexpr int kIndent = 4;              // of a line that goes on
constexpr std::size_t kMaxLines = 4;    // of one message
constexpr const char* kGroupGap = " ";  // in front of the rows of a group

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

bool is_verdict(const TableColumn& column) {
  return std::string_view(column.name) == "verdict";
}

/// Numbers stand apart from each other; what begins with a word or a blank needs less.
std::string gap_before(const std::vector<TableColumn>& columns, std::size_t i) {
  return i > 0 && columns[i].align == Align::kRight ? "  " : " ";
}

/// Cells of a row behind the outcome, each behind its gap; without the last one's padding.
template <typename TextOf>
std::string cells_text(const std::vector<TableColumn>& columns, const TextOf& text_of) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto pad = columns[i].align == Align::kRight ? pad_left : pad_right;
    line += gap_before(columns, i) + pad(text_of(columns[i]), columns[i].width);
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

/// What to do if half of several results are unstable; empty: they are not.
std::string unstable_note(const std::vector<Headline>& headlines) {
  int num_unstable = 0;
  int num_ok = 0;
  for (const Headline& headline : headlines) {
    for (const BackendHeadline& backend : headline.backends) {
      const auto found = backend.left_out.find("unstable");
      if (found != backend.left_out.end()) num_unstable += found->second;
      num_ok += backend.num_ok;
    }
  }
  if (num_unstable < 2 || 2 * num_unstable < num_ok) return "";
  return std::to_string(num_unstable) + " of " +
         counted(static_cast<std::size_t>(num_ok), "result") +
         " are unstable: something disturbed the timing. Stop other programs and run again";
}

/// "mixed(aten.sort), implausible": what stands in column verdict, and remarks in any case.
std::string verdict_text(const Record& record, bool has_column) {
  std::vector<std::string> parts;
  if (has_column && !record.verdict.empty()) parts.push_back(printable(record.verdict.text()));
  const std::string remarks = remarks_of(record);
  if (!remarks.empty()) parts.push_back(remarks);
  return base::join(parts, ", ");
}

}  // namespace

TableLayout layout_of(const TableStyle& style, const RunFacts& facts) {
  TableLayout layout;
  layout.sample = widest(facts.samples, 6);
  layout.backend = widest(facts.plugins, 7);
  if (style.width == 0) return layout;
  int cells = 1 + kOutcomeWidth;
  bool is_default = true;
  for (std::size_t i = 0; i < style.columns.size(); ++i) {
    cells += display_width(gap_before(style.columns, i)) + style.columns[i].width;
    is_default = is_default && style.columns[i].is_default;
  }
  layout.width = is_default ? std::min(style.width, kWidestTable) : style.width;
  const int room = layout.width - cells - layout.backend - 1;
  layout.is_grouped = room < std::min(layout.sample, kLeastSample);
  if (layout.is_grouped) {
    const int left = layout.width - cells - display_width(kGroupGap);
    layout.is_cut = left < std::min(layout.backend, kLeastBackend);
    layout.backend = std::min(layout.backend, std::max(kLeastBackend, left));
    layout.sample = std::min(layout.sample, layout.width);
  } else {
    layout.sample = std::min(layout.sample, room);
  }
  return layout;
}

RunTable::RunTable(std::ostream& out, TableStyle style, const RunFacts& facts)
    : out_(out), style_(std::move(style)), layout_(layout_of(style_, facts)) {
  if (style_.errors_only) return;
  for (const auto& line : wrapped(headline(facts), layout_.width, kIndent)) write_line(line);
  for (const auto& text : facts.overrides) write_line(printable("environment: " + text));
  out_ << '\n';
  const auto header = [](const TableColumn& column) { return std::string(column.header); };
  const std::string sample =
      layout_.is_grouped ? kGroupGap : pad_right("sample", layout_.sample) + " ";
  write_line(sample + pad_right("backend", layout_.backend) + " " +
             pad_right("outcome", kOutcomeWidth) + cells_text(style_.columns, header));
  if (layout_.is_cut) {
    const std::string text = "columns do not fit into " + std::to_string(layout_.width) +
                             " cells: pipe the output (| cat) to see all of them";
    for (const auto& line : wrapped(text, layout_.width, kIndent)) write_line(line);
  }
  out_.flush();
}

// Only text without colour may come here.
void RunTable::write_line(const std::string& line) {
  out_ << (style_.width > 0 ? cut_to_width(line, style_.width) : line) << '\n';
}

void RunTable::write_wrapped(const std::string& text, int indent, std::string_view coloured_part,
                             Colour colour) {
  std::vector<std::string> lines = wrapped(text, layout_.width, indent);
  if (lines.size() > kMaxLines) {
    lines.resize(kMaxLines);
    lines.back() = cut_to_width(lines.back() + std::string(2, ' '), layout_.width - 2) + " …";
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string line = style_.width > 0 ? cut_to_width(lines[i], style_.width) : lines[i];
    // Cut first, colour after: escape codes take no cells.
    const std::size_t begin = i == 0 ? line.find(coloured_part) : std::string::npos;
    if (begin == std::string::npos || coloured_part.empty()) {
      out_ << line << '\n';
    } else {
      out_ << line.substr(0, begin) << coloured(coloured_part, colour, style_.color)
           << line.substr(begin + coloured_part.size()) << '\n';
    }
  }
}

void RunTable::control(const journal::Control& control) {
  noise_floor_ = control.noise_floor;
  if (style_.errors_only) return;
  char text[160];
  std::snprintf(text, sizeof text, "noise floor: %.2f %% (eager vs eager, %d runs, mean %+.2f %%)",
                100 * control.noise_floor, control.experiments, 100 * control.bias);
  const std::string line = style_.width > 0 ? cut_to_width(text, style_.width) : text;
  out_ << coloured(line, Colour::kDim, style_.color) << '\n';
  out_.flush();
}

void RunTable::earlier(const Record& record) {
  tally_.add(record);
}

// Up to the outcome; writes the line of the sample if it has one.
std::string RunTable::names_of(const Record& record) {
  const auto shortened = [&](const std::string& name, int width) {
    return style_.width > 0 ? cut_middle(name, width) : name;
  };
  const std::string sample = shortened(printable(record.sample), layout_.sample);
  std::string names = kGroupGap;
  if (!layout_.is_grouped) {
    names = pad_right(sample, layout_.sample) + " ";
  } else if (last_sample_ != record.sample) {
    write_line(sample);
    last_sample_ = record.sample;
  }
  return names +
         pad_right(shortened(printable(record.backend_name()), layout_.backend), layout_.backend) +
         " ";
}

void RunTable::write_ok(const std::string& names, const Record& record) {
  std::vector<TableColumn> columns = style_.columns;
  const bool has_verdict = !columns.empty() && is_verdict(columns.back());
  const std::string gap =
      columns.empty() ? " " : gap_before(style_.columns, style_.columns.size() - 1);
  if (has_verdict) columns.pop_back();
  std::string cells = cells_text(columns, [&](const TableColumn& column) {
    return printable(column.text(record, noise_floor_));
  });
  int width = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    width += display_width(gap_before(columns, i)) + columns[i].width;
  }
  const std::string outcome = pad_right(printable(record.outcome.text()), kOutcomeWidth);
  const std::string tail = verdict_text(record, has_verdict);
  if (!tail.empty()) cells = pad_right(cells, width) + gap;
  const int used = display_width(names + outcome + cells);
  const bool fits = layout_.width == 0 || used + display_width(tail) <= layout_.width;
  const std::string whole_verdict = has_verdict ? printable(record.verdict.text()) : "";
  const bool verdict_fits = fits || used + display_width(whole_verdict) <= layout_.width;
  const std::string verdict =
      has_verdict && !verdict_fits ? printable(record.verdict.kind.text()) : whole_verdict;
  // A remark is a warning, a verdict is none.
  const std::string remark = fits ? tail.substr(verdict.size()) : "";
  std::string row = cells + verdict;
  if (style_.width > 0) {
    row = cut_to_width(row, style_.width - display_width(names + outcome));
  }
  const bool is_dim = style_.color && is_noise(record, noise_floor_);
  const std::string shown = style_.width > 0 ? cut_to_width(names, style_.width) : names;
  out_ << shown << coloured(outcome, colour_of(record), style_.color)
       << coloured(row, Colour::kDim, is_dim) << coloured(remark, Colour::kWarning, style_.color)
       << '\n';
  if (fits) return;
  const bool is_shown = verdict_fits && !verdict.empty();  // then its remarks are left
  const std::string rest = is_shown ? remarks_of(record) : tail;
  write_wrapped(std::string(kIndent, ' ') + rest, kIndent, rest, Colour::kWarning);
}

void RunTable::write_failed(const std::string& names, const Record& record) {
  const std::string outcome = printable(record.outcome.text());
  std::string text = names + outcome;
  if (!record.message.empty()) {
    text = names + pad_right(outcome, kOutcomeWidth) + "  " + in_one_line(record.message);
  }
  write_wrapped(text, kIndent, outcome, colour_of(record));
}

void RunTable::row(const Record& record) {
  tally_.add(record);
  has_upstream_ = has_upstream_ || (record.speedup && !record.timing.has_pairs());
  const bool is_error = record::fails_run(record.outcome, record::FailOn::kFailed);
  if (style_.errors_only && !is_error) return;
  const std::string names = names_of(record);
  if (record.is_ok()) {
    write_ok(names, record);
  } else {
    write_failed(names, record);
  }
  out_.flush();
}

void RunTable::write_counts(const RunTally::Result& result, double elapsed_s) {
  int num_ok = 0;
  int num_failed = 0;
  std::vector<std::string> failures;
  std::vector<std::string> parts;
  std::vector<std::string> not_run;
  for (const RunTally::Outcomes& outcomes : result.outcomes) {
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

void RunTable::summary(const RunSummary& summary) {
  if (style_.errors_only) return;
  const RunTally::Result result = tally_.result();
  out_ << '\n';
  write_counts(result, summary.elapsed_s);
  out_ << '\n'
       << headline_table(result.headlines, layout_.width)
       << failure_text(result.reasons, layout_.width);
  std::vector<std::string> notes = summary.notes;
  if (result.num_repeated > 0) {
    notes.push_back(base::counted(static_cast<std::size_t>(result.num_repeated), "result") +
                    " of a sample and backend that has a later one: not counted");
  }
  if (std::string note = unstable_note(result.headlines); !note.empty()) {
    notes.push_back(std::move(note));
  }
  if (has_upstream_) {
    notes.emplace_back(
        "protocol upstream times one side after the other, on one input: a speedup within 10 % of "
        "1 is noise, ± is the spread of one side, and stored results would not show in the timed "
        "calls");
  }
  for (const auto& note : notes) {
    write_wrapped("note: " + printable(note), kIndent, "note:", Colour::kWarning);
  }
  if (!summary.results_path.empty()) out_ << "results: " << printable(summary.results_path) << '\n';
  for (const Headline& headline : result.headlines) {
    std::string sentence = headline_sentence(headline, noise_floor_);
    if (result.headlines.size() > 1) sentence = printable(headline.condition) + ": " + sentence;
    for (const auto& line : wrapped(sentence, layout_.width, kIndent)) write_line(line);
  }
  out_.flush();
}

}  // namespace graphnet::report
