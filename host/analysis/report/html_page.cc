// SPDX-License-Identifier: MIT
#include "report/html_page.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "report/charts.h"
#include "report/page_assets.h"
#include "report/page_rows.h"
#include "report/palette.h"
#include "report/summary.h"

namespace graphnet::report {

namespace {

constexpr std::size_t kMaxFlaggedRows = 50;
constexpr std::size_t kMaxReasons = 40;

std::string cell(const std::string& text, bool is_number = false) {
  return std::string(is_number ? "<td class=\"n\">" : "<td>") + escape_markup(text) + "</td>";
}

std::string heading(const std::string& text, bool is_number = false) {
  return std::string(is_number ? "<th class=\"n\" scope=\"col\">" : "<th scope=\"col\">") +
         escape_markup(text) + "</th>";
}

std::string figures(const std::vector<ReportChart>& charts, ChartSection section) {
  std::string html = "<div class=\"charts\">\n";
  for (const ReportChart& one : charts) {
    if (one.section == section) html += "<figure>" + one.chart.embedded + "</figure>\n";
  }
  return html + "</div>\n";
}

int count_of(const std::map<std::string, int>& counts, const char* key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

std::string summary_table(const std::vector<BackendSummary>& summaries) {
  std::string html = "<div class=\"scroll\"><table><thead><tr>" + heading("backend") +
                     heading("samples", true) + heading("ok", true) + heading("failed") +
                     heading("not run") + heading("geometric mean speedup") +
                     heading("median", true) + heading("faster", true) + heading("same", true) +
                     heading("slower", true) + heading("noise", true) + heading("unstable", true) +
                     heading("left out of the mean") + heading("compile, all", true) +
                     "</tr></thead><tbody>\n";
  for (const BackendSummary& one : summaries) {
    const std::string median = one.median_speedup > 0 ? ratio_text(one.median_speedup) + "x" : "-";
    html += "<tr>" + cell(one.name) + cell(std::to_string(one.num_samples), true) +
            cell(std::to_string(one.num_ok), true) + cell(counts_text(one.failures)) +
            cell(counts_text(one.not_run)) + cell(mean_text(one.speedup)) + cell(median, true);
    for (const char* word : {"faster", "same", "slower", "noise", "unstable"}) {
      html += cell(std::to_string(count_of(one.timing, word)), true);
    }
    html += cell(counts_text(one.left_out)) + cell(base::format_duration(one.compile_ns), true) +
            "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string noise_text(const Report& report) {
  if (!report.noise_floor) return "<p>No control was measured: the noise floor is not known.</p>\n";
  char text[160];
  std::snprintf(text, sizeof text,
                "<p>Noise floor %.2f %% (eager vs eager): smaller differences are noise.</p>\n",
                100 * *report.noise_floor);
  return text;
}

std::string overview(const Report& report, const std::vector<BackendSummary>& summaries) {
  std::string html = "<dl class=\"facts\">\n";
  for (const auto& [name, value] : report.facts) {
    html += "<dt>" + escape_markup(name) + "</dt><dd>" + escape_markup(value) + "</dd>\n";
  }
  html += "</dl>\n<h2 id=\"summary\">Summary</h2>\n" + summary_table(summaries) +
          noise_text(report) +
          "<p class=\"muted\">Speedup is eager time by plugin time; eager is libtorch called from "
          "C++, faster on small graphs than from Python. Means are over samples that are ok, with "
          "95 % intervals from resampling the samples.</p>\n";
  for (const std::string& note : report.notes) html += "<p>" + escape_markup(note) + "</p>\n";
  return html;
}

std::string pair_section(const Report& report, const std::vector<ReportChart>& charts) {
  std::vector<Chart> scatters;
  for (const ReportChart& one : charts) {
    if (one.section == ChartSection::kPairs) scatters.push_back(one.chart);
  }
  if (scatters.empty()) return "";
  std::string html = "<h2 id=\"scatter\">Backend against backend</h2>\n";
  if (scatters.size() > 1) {
    html += "<p class=\"controls\"><label>pair <select id=\"scatter-pair\">";
    for (const Chart& chart : scatters) {
      html += "<option>" + escape_markup(chart.title) + "</option>";
    }
    html += "</select></label></p>\n";
  }
  html += "<div id=\"scatter-charts\">\n";
  for (std::size_t i = 0; i < scatters.size(); ++i) {
    html +=
        std::string(i == 0 ? "<figure>" : "<figure hidden>") + scatters[i].embedded + "</figure>\n";
  }
  if (report.backends.size() > kMaxPairedBackends) {
    html += "<p>The first " + std::to_string(kMaxPairedBackends) + " backends.</p>\n";
  }
  return html + "</div>\n";
}

// One column a backend, one row a word; "-" for none.
std::string matrix(const std::vector<BackendSummary>& summaries, const std::string& corner,
                   std::map<std::string, int> BackendSummary::*counts) {
  std::map<std::string, int> words;
  for (const BackendSummary& one : summaries) {
    for (const auto& [word, count] : one.*counts) words[word] += count;
  }
  if (words.empty()) return "";
  std::string html = "<div class=\"scroll\"><table><thead><tr>" + heading(corner);
  for (const BackendSummary& one : summaries) html += heading(one.name, true);
  html += "</tr></thead><tbody>\n";
  for (const auto& [word, total] : words) {
    html += "<tr>" + cell(word);
    for (const BackendSummary& one : summaries) {
      const int count = count_of(one.*counts, word.c_str());
      html += cell(count == 0 ? "-" : std::to_string(count), true);
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string flagged_rows(const Report& report) {
  std::string html;
  std::size_t count = 0;
  for (const ResultRow& row : report.rows) {
    if (row.flags.empty() || row.backend >= report.backends.size()) continue;
    if (++count > kMaxFlaggedRows) continue;
    html += "<tr>" + cell(row.sample) + cell(report.backends[row.backend]) +
            cell(row.outcome.text()) + cell(base::join(texts_of(row.flags), ", ")) +
            cell(row.message) + "</tr>\n";
  }
  if (count == 0) return "<p>No result carries a flag.</p>\n";
  html = "<div class=\"scroll\"><table><thead><tr>" + heading("sample") + heading("backend") +
         heading("outcome") + heading("flags") + heading("message") + "</tr></thead><tbody>\n" +
         html + "</tbody></table></div>\n";
  if (count > kMaxFlaggedRows) {
    html += "<p>" + std::to_string(count - kMaxFlaggedRows) +
            " more in the table of all results.</p>\n";
  }
  return html;
}

// What the brackets of verdicts say, the most frequent first.
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

constexpr const char* kTableSection =
    "<h2 id=\"results\">All results</h2>\n<noscript><p>This table needs scripts; <code>graphnet "
    "report --csv</code> has it too.</p></noscript>\n<p class=\"controls\"><label>sample <input "
    "id=\"filter-sample\" type=\"search\" placeholder=\"part of a name\"></label><span "
    "id=\"filters\" class=\"controls\"></span></p>\n<p class=\"controls\"><button "
    "id=\"previous\">previous</button><button id=\"next\">next</button><span "
    "id=\"count\"></span><button id=\"save\">save as CSV</button></p>\n<p class=\"muted "
    "screen\">Click a row for details, a heading to sort.</p>\n<div class=\"scroll\"><table "
    "id=\"results-table\"><thead><tr id=\"head\"></tr></thead><tbody "
    "id=\"rows\"></tbody></table></div>\n";

constexpr const char* kSamplesSection =
    "<h2 id=\"samples\">Samples</h2>\n<noscript><p>This section needs scripts.</p></noscript>\n<p "
    "class=\"controls\"><label>sample <input id=\"find-sample\" type=\"search\" placeholder=\"part "
    "of a name\"></label><label>with <select id=\"find-kind\"></select></label></p>\n<p "
    "class=\"controls\"><button id=\"samples-previous\">previous</button><button "
    "id=\"samples-next\">next</button><span id=\"samples-count\"></span></p>\n<p class=\"muted "
    "screen\">Click a sample for details; its URL is bookmarkable.</p>\n<div "
    "class=\"scroll\"><table id=\"samples-table\"><thead><tr "
    "id=\"samples-head\"></tr></thead><tbody id=\"samples-rows\"></tbody></table></div>\n";

constexpr const char* kNavigation =
    "<nav><a href=\"#summary\">Summary</a><a href=\"#curves\">Curves</a>"
    "<a href=\"#groups\">Groups</a><a href=\"#flags\">Flags</a><a href=\"#proof\">Proof</a>"
    "<a href=\"#samples\">Samples</a><a href=\"#results\">Results</a><button id=\"theme\">dark / "
    "light</button></nav>\n";

std::string page_head(const std::string& title) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
         "<link rel=\"icon\" href=\"data:,\">\n<title>" +
         escape_markup(title) + "</title>\n<style>\n" + kPageStyle + page_chart_style() +
         "</style>\n</head>\n";
}

}  // namespace

std::string html_page(const Report& report) {
  const std::vector<BackendSummary> summaries = summarise(report);
  const std::vector<ReportChart> charts = draw_charts(report);
  return page_head(report.title) + "<body>\n" + kNavigation + "<h1>" + escape_markup(report.title) +
         "</h1>\n" + overview(report, summaries) + "<h2 id=\"curves\">Curves</h2>\n" +
         figures(charts, ChartSection::kCurves) + pair_section(report, charts) +
         "<h2 id=\"groups\">By category and family</h2>\n" +
         figures(charts, ChartSection::kGroups) +
         "<h2 id=\"flags\">Fraud and accident flags</h2>\n" +
         matrix(summaries, "flag", &BackendSummary::flags) + flagged_rows(report) +
         "<h2 id=\"proof\">Proof of execution</h2>\n"
         "<p>Who did the work of the samples that are ok, as the verdict says.</p>\n" +
         matrix(summaries, "verdict", &BackendSummary::verdicts) + verdict_reasons(report) +
         kSamplesSection + kTableSection + "<script type=\"application/json\" id=\"data\">" +
         page_rows(report) + "</script>\n<script>\n" + kPageScript +
         "</script>\n</body>\n</html>\n";
}

}  // namespace graphnet::report
