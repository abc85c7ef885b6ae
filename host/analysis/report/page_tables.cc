// SPDX-License-Identifier: MIT
#include "report/page_tables.h"

#include <algorithm>

#include "base/text.h"
#include "report/family_table.h"
#include "report/headline.h"
#include "report/svg.h"
#include "report/thread_scaling.h"

namespace graphnet::report {

namespace {

constexpr std::size_t kMaxFlaggedRows = 50;
constexpr std::size_t kMaxReasons = 40;

// Of the compile times of a backend, in a row of the summary.
constexpr double kMedian = 0.5;
constexpr double kHigh = 0.9;

std::string cell(const std::string& text, bool is_number = false) {
  return std::string(is_number ? "<td class=\"n\">" : "<td>") + escape_markup(text) + "</td>";
}

std::string heading(const std::string& text, bool is_number = false) {
  return std::string(is_number ? "<th class=\"n\" scope=\"col\">" : "<th scope=\"col\">") +
         escape_markup(text) + "</th>";
}

int count_of(const std::map<std::string, int>& counts, const char* key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

std::string duration_text(double nanoseconds) {
  return nanoseconds > 0 ? base::format_duration(nanoseconds) : "-";
}

std::string sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return duration_text(sum);
}

std::string table(const std::string& head, const std::string& body) {
  return "<div class=\"scroll\"><table><thead><tr>" + head + "</tr></thead><tbody>\n" + body +
         "</tbody></table></div>\n";
}

}  // namespace

std::string summary_table(const std::vector<BackendSummary>& summaries) {
  std::string head = heading("backend");
  for (const char* name : {"samples", "ok"}) head += heading(name, true);
  for (const char* name : {"failed", "not run", "geometric mean speedup"}) head += heading(name);
  for (const char* name : {"median speedup", "faster", "same", "slower", "noise", "unstable"}) {
    head += heading(name, true);
  }
  head += heading("left out of the mean");
  std::string body;
  for (const BackendSummary& one : summaries) {
    const std::string median = one.median_speedup > 0 ? ratio_text(one.median_speedup) + "x" : "-";
    body += "<tr>" + cell(one.name) + cell(std::to_string(one.num_samples), true) +
            cell(std::to_string(one.num_ok), true) + cell(counts_text(one.failures)) +
            cell(counts_text(one.not_run)) + cell(mean_text(one.speedup)) + cell(median, true);
    for (const char* word : {"faster", "same", "slower", "noise", "unstable"}) {
      body += cell(std::to_string(count_of(one.timing, word)), true);
    }
    body += cell(counts_text(one.left_out)) + "</tr>\n";
  }
  return table(head, body);
}

std::string time_table(const std::vector<BackendSummary>& summaries) {
  std::string head = heading("backend");
  for (const char* name :
       {"eager, sum", "plugin, sum", "compile, median", "compile, p90", "compile, sum"}) {
    head += heading(name, true);
  }
  std::string body;
  for (const BackendSummary& one : summaries) {
    body += "<tr>" + cell(one.name) + cell(duration_text(one.eager_sum_ns), true) +
            cell(duration_text(one.plugin_sum_ns), true) +
            cell(duration_text(quantile(one.compile_ns, kMedian)), true) +
            cell(duration_text(quantile(one.compile_ns, kHigh)), true) +
            cell(sum_of(one.compile_ns), true) + "</tr>\n";
  }
  return table(head, body);
}

std::string family_tables(const Report& report) {
  const std::vector<FamilyColumn>& columns = family_columns();
  std::string head;
  for (const FamilyColumn& column : columns) head += heading(column.name, column.is_number);
  const std::vector<Headline> all = headlines(report);
  std::string html;
  for (const Headline& headline : all) {
    std::string body;
    for (const Cells& cells : family_rows(families(report, headline))) {
      body += "<tr>";
      for (std::size_t i = 0; i < cells.size(); ++i) body += cell(cells[i], columns[i].is_number);
      body += "</tr>\n";
    }
    if (all.size() > 1) html += "<p>" + escape_markup(headline.condition) + "</p>\n";
    html += table(head, body);
  }
  return html;
}

std::string thread_table(const Report& report) {
  std::string body;
  for (const Cells& cells : thread_scaling_rows(thread_scaling(report))) {
    body += "<tr>";
    for (const std::string& text : cells) body += cell(text);
    body += "</tr>\n";
  }
  if (body.empty()) return "";
  std::string head;
  for (const std::string& name : thread_scaling_heads()) head += heading(name);
  return table(head, body);
}

std::string count_table(const std::vector<BackendSummary>& summaries, const std::string& corner,
                        std::map<std::string, int> BackendSummary::*counts) {
  std::map<std::string, int> words;
  for (const BackendSummary& one : summaries) {
    for (const auto& [word, count] : one.*counts) words[word] += count;
  }
  if (words.empty()) return "";
  std::string head = heading(corner);
  for (const BackendSummary& one : summaries) head += heading(one.name, true);
  std::string body;
  for (const auto& [word, total] : words) {
    body += "<tr>" + cell(word);
    for (const BackendSummary& one : summaries) {
      const int count = count_of(one.*counts, word.c_str());
      body += cell(count == 0 ? "-" : std::to_string(count), true);
    }
    body += "</tr>\n";
  }
  return table(head, body);
}

std::string flag_table(const Report& report) {
  std::string body;
  std::size_t count = 0;
  for (const ResultRow& row : report.rows) {
    if (row.flags.empty() || row.backend >= report.backends.size()) continue;
    if (++count > kMaxFlaggedRows) continue;
    body += "<tr>" + cell(row.sample) + cell(report.backends[row.backend]) +
            cell(row.outcome.text()) + cell(base::join(texts_of(row.flags), ", ")) +
            cell(row.message) + "</tr>\n";
  }
  if (count == 0) return "<p>No result carries a flag.</p>\n";
  std::string head;
  for (const char* name : {"sample", "backend", "outcome", "flags", "message"}) {
    head += heading(name);
  }
  if (count <= kMaxFlaggedRows) return table(head, body);
  return table(head, body) + "<p>" + std::to_string(count - kMaxFlaggedRows) +
         " more in the table of all results.</p>\n";
}

std::string verdict_reasons(const Report& report) {
  std::map<std::string, int> reasons;
  for (const ResultRow& row : report.rows) {
    if (row.is_ok() && row.verdict.detail) ++reasons[row.verdict.text()];
  }
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [reason, count] : reasons) sorted.push_back({-count, reason});
  std::sort(sorted.begin(), sorted.end());
  std::string html;
  for (std::size_t i = 0; i < sorted.size() && i < kMaxReasons; ++i) {
    html += "<li>" + std::to_string(-sorted[i].first) + "&#215; " +
            escape_markup(sorted[i].second) + "</li>\n";
  }
  return html.empty() ? "" : "<ul>\n" + html + "</ul>\n";
}

}  // namespace graphnet::report
