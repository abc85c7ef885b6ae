// SPDX-License-Identifier: MIT
#include "report/text_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "report/family_table.h"
#include "report/headline.h"
#include "report/junit.h"
#include "report/summary.h"
#include "report/terminal_text.h"
#include "report/thread_scaling.h"

namespace graphnet::report {

namespace {

constexpr std::size_t kMaxFlagged = 20;

std::string summary_rows(const Report& report, const Headline& headline) {
  const std::string common = base::counted(headline.common.size(), "common sample");
  std::string text = markdown_row({"backend", "ok", "not ok", "speedup on " + common,
                                   "speedup on its own", "ok, but in no mean", "verdicts"}) +
                     markdown_row({"---", "---:", "---", "---", "---", "---", "---"});
  const std::vector<BackendSummary> summaries = summarise(report);
  for (const BackendHeadline& one : headline.backends) {
    std::map<std::string, int> not_ok = one.failures;
    for (const auto& [reason, number] : one.not_run) not_ok[reason] += number;
    const std::string own = one.own.count == 0 ? "" : " of " + std::to_string(one.own.count);
    text += markdown_row({markdown_cell(one.name),
                          std::to_string(one.num_ok) + " of " + std::to_string(one.num_samples),
                          markdown_cell(counts_text(not_ok)), markdown_cell(mean_text(one.common)),
                          markdown_cell(mean_text(one.own) + own),
                          markdown_cell(counts_text(one.left_out)),
                          markdown_cell(counts_text(summaries[one.backend].verdicts))});
  }
  return text;
}

std::string headline_section(const Report& report, const Headline& headline, bool has_title) {
  std::string text = has_title ? "\n### " + markdown_cell(headline.condition) + "\n\n" : "";
  text += markdown_cell(headline_sentence(headline, report.noise_floor.value_or(0))) + "\n\n";
  return text + summary_rows(report, headline) + "\n" + family_markdown(families(report, headline));
}

std::string thread_section(const Report& report) {
  const std::vector<Cells> rows = thread_scaling_rows(thread_scaling(report));
  if (rows.empty()) return "";
  const Cells& heads = thread_scaling_heads();
  std::string text =
      "\n### Threads\n\n" + markdown_row(heads) + markdown_row(Cells(heads.size(), "---"));
  for (Cells cells : rows) {
    for (std::string& cell : cells) cell = markdown_cell(cell);
    text += markdown_row(cells);
  }
  return text;
}

std::string score_text(const ScorePoint& point) {
  char text[64];
  if (point.low && point.high) {
    std::snprintf(text, sizeof text, "%.3f [%.3f, %.3f]", point.value, *point.low, *point.high);
  } else {
    std::snprintf(text, sizeof text, "%.3f", point.value);
  }
  return text;
}

// ES at the strictest level with a float32 meaning, at the tolerances of torch.testing and above.
std::string score_rows(const Report& report) {
  constexpr int kShownLevels[] = {-7, -5, -3, 0, 1, 3};
  std::vector<std::string> head = {"ES(t)"};
  std::vector<std::string> rule = {"---"};
  for (const int t : kShownLevels) {
    head.push_back("t = " + std::to_string(t));
    rule.emplace_back("---");
  }
  std::string text = markdown_row(head) + markdown_row(rule);
  for (const ScoreCurve& curve : report.est) {
    std::vector<std::string> cells = {markdown_cell(curve.name)};
    for (const int t : kShownLevels) {
      std::string shown = "-";
      for (const ScorePoint& point : curve.points) {
        if (point.t == t) shown = score_text(point);
      }
      cells.push_back(shown);
    }
    text += markdown_row(cells);
  }
  return text;
}

std::string flagged_lines(const Report& report) {
  std::string text;
  std::size_t count = 0;
  for (const ResultRow& row : report.rows) {
    if (row.flags.empty() || row.backend >= report.backends.size()) continue;
    if (++count > kMaxFlagged) continue;
    text += "- " + markdown_cell(row.sample) + ", " + markdown_cell(report.backends[row.backend]) +
            ": " + markdown_cell(base::join(texts_of(row.flags), ", ")) + "\n";
  }
  if (count > kMaxFlagged) text += "- and " + std::to_string(count - kMaxFlagged) + " more\n";
  return text.empty() ? "" : "\nFlagged:\n\n" + text;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string csv_number(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return "";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", *value);
  return text;
}

JUnitCase case_of(const ResultRow& row) {
  JUnitCase result = {row.sample, JUnitCase::End::kPassed, row.outcome.text()};
  if (!row.message.empty()) result.message += ": " + row.message;
  if (row.is_ok()) return result;
  const bool is_failure = record::fails_run(row.outcome, record::FailOn::kError);
  result.end = is_failure ? JUnitCase::End::kFailed : JUnitCase::End::kSkipped;
  return result;
}

}  // namespace

std::string markdown_report(const Report& report) {
  std::string text = "## " + markdown_cell(report.title) + "\n\n";
  for (const auto& [name, value] : report.facts) {
    text += "- " + markdown_cell(name) + ": " + markdown_cell(value) + "\n";
  }
  char noise[64] = "not known, no control was measured";
  if (report.noise_floor) std::snprintf(noise, sizeof noise, "%.2f %%", 100 * *report.noise_floor);
  text += std::string("- noise floor: ") + noise + "\n\n";
  const std::vector<Headline> all = headlines(report);
  for (const Headline& headline : all) text += headline_section(report, headline, all.size() > 1);
  text +=
      "\nSpeedups are geometric means of eager time by plugin time, with 95 % intervals over the "
      "samples. A common sample has a speedup that counts with every backend: ok, not degenerate, "
      "not flagged, not unstable.\n";
  text += thread_section(report);
  if (!report.est.empty()) {
    text += "\n" + score_rows(report) + "\n" + markdown_cell(report.score_caption) + "\n";
  }
  text += flagged_lines(report);
  for (const std::string& note : report.notes) text += "\n" + markdown_cell(note) + "\n";
  return text;
}

std::string junit_report(const Report& report) {
  std::vector<JUnitSuite> suites;
  for (const std::string& backend : report.backends) suites.push_back({backend, {}});
  for (const ResultRow& row : report.rows) {
    if (row.backend < suites.size()) suites[row.backend].cases.push_back(case_of(row));
  }
  for (JUnitSuite& suite : suites) {
    std::stable_sort(suite.cases.begin(), suite.cases.end(),
                     [](const JUnitCase& a, const JUnitCase& b) { return a.name < b.name; });
  }
  return junit_document(suites);
}

std::string csv_report(const Report& report) {
  std::string text =
      "sample,family,category,backend,outcome,verdict,timing,left_out,flags,speedup,speedup_low,"
      "speedup_high,eager_ns,plugin_ns,compile_ns,bind_ns,capture_ns,first_call_ns,break_even_"
      "calls,limit_share,relative_rms,limited_by,pairs,message\r\n";
  for (const ResultRow& row : report.rows) {
    if (row.backend >= report.backends.size()) continue;
    std::vector<std::string> cells;
    for (const std::string& word :
         {row.sample, row.family, row.category, report.backends[row.backend], row.outcome.text(),
          row.verdict.text(), row.timing.text(), row.left_out,
          base::join(texts_of(row.flags), " ")}) {
      cells.push_back(csv_cell(word));
    }
    for (const auto& number :
         {row.speedup, row.speedup_low, row.speedup_high, row.eager_ns, row.plugin_ns,
          row.compile_ns, row.bind_ns, row.capture_ns, row.first_call_ns, row.break_even_calls,
          row.limit_share, row.relative_rms}) {
      cells.push_back(csv_number(number));
    }
    cells.push_back(csv_cell(row.limited_by));
    cells.push_back(row.num_pairs > 0 ? std::to_string(row.num_pairs) : "");
    cells.push_back(csv_cell(row.message));
    text += base::join(cells, ",") + "\r\n";
  }
  return text;
}

}  // namespace graphnet::report
