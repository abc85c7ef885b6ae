// SPDX-License-Identifier: MIT
#include "report/html_page.h"

#include <cstdio>
#include <set>

#include "base/text.h"
#include "report/charts.h"
#include "report/headline.h"
#include "report/page_assets.h"
#include "report/page_rows.h"
#include "report/page_tables.h"
#include "report/palette.h"
#include "report/shared_samples.h"
#include "report/summary.h"

namespace graphnet::report {

namespace {

std::string figures(const std::vector<ReportChart>& charts, ChartSection section) {
  std::string html = "<div class=\"charts\">\n";
  for (const ReportChart& one : charts) {
    if (one.section == section) html += "<figure>" + one.chart.embedded + "</figure>\n";
  }
  return html + "</div>\n";
}

std::string noise_text(const Report& report) {
  if (!report.noise_floor) return "<p>No control was measured: the noise floor is not known.</p>\n";
  char text[160];
  std::snprintf(text, sizeof text,
                "<p>Noise floor %.2f %% (eager vs eager): smaller differences are noise.</p>\n",
                100 * *report.noise_floor);
  return text;
}

/// The sentences of headline_sentence(), one for each set of conditions.
std::string headline_text(const Report& report) {
  const std::vector<Headline> all = headlines(report);
  std::string html;
  for (const Headline& headline : all) {
    const std::string sentence = headline_sentence(headline, report.noise_floor.value_or(0));
    const std::string condition = all.size() > 1 ? headline.condition + ": " : "";
    html += "<p class=\"headline\">" + escape_markup(condition + sentence) + "</p>\n";
  }
  return html;
}

std::string facts(const Report& report) {
  std::string html = "<dl class=\"facts\">\n";
  for (const auto& [name, value] : report.facts) {
    html += "<dt>" + escape_markup(name) + "</dt><dd>" + escape_markup(value) + "</dd>\n";
  }
  return html + "</dl>\n";
}

// What the toggle of the page exchanges: a part over all samples and one over common samples.
struct Part {
  const Report& report;
  std::vector<ReportChart> charts;
};

using Section = std::string (*)(const Part& part);

std::string in_both(const Part& all, const Part& common, Section section) {
  if (common.report.rows.empty()) return section(all);
  return "<div class=\"of-all\">\n" + section(all) + "</div>\n<div class=\"of-common\">\n" +
         section(common) + "</div>\n";
}

std::string summary_section(const Part& part) {
  const std::vector<BackendSummary> summaries = summarise(part.report);
  return summary_table(summaries) + time_table(summaries);
}

std::string curve_section(const Part& part) {
  return figures(part.charts, ChartSection::kCurves);
}

std::string group_section(const Part& part) {
  return family_tables(part.report) + figures(part.charts, ChartSection::kGroups);
}

std::string thread_section(const Report& report) {
  const std::string table = thread_table(report);
  return table.empty() ? "" : "<h3>Threads</h3>\n" + table;
}

std::string overview(const Part& all, const Part& common) {
  std::string html = "<h2 id=\"summary\">Summary</h2>\n" + headline_text(all.report) +
                     in_both(all, common, summary_section) + noise_text(all.report) +
                     "<p class=\"muted\">Speedup is eager time by plugin time; eager is libtorch "
                     "called from C++, faster on small graphs than from Python. Means are over "
                     "samples that are ok, with 95 % intervals from resampling the samples. Sums "
                     "are of one call of each sample that is ok.</p>\n" +
                     thread_section(all.report);
  for (const std::string& note : all.report.notes) html += "<p>" + escape_markup(note) + "</p>\n";
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

constexpr const char* kTableSection =
    "<h2 id=\"results\">All results</h2>\n"
    "<noscript><p>This table needs scripts; <code>graphnet report --csv</code> has it "
    "too.</p></noscript>\n"
    "<p class=\"controls\"><label>sample <input id=\"filter-sample\" type=\"search\" "
    "placeholder=\"part of a name\"></label><span id=\"filters\" class=\"controls\"></span>"
    "<label><input id=\"quantiles\" type=\"checkbox\"> p90 and p99 of calls</label></p>\n"
    "<p class=\"controls\"><button id=\"previous\">previous</button>"
    "<button id=\"next\">next</button><span id=\"count\"></span>"
    "<button id=\"save\">save as CSV</button></p>\n"
    "<p class=\"muted screen\">Click a row for its details, a heading to sort.</p>\n"
    "<div class=\"scroll\"><table id=\"results-table\"><thead><tr id=\"head\"></tr></thead>"
    "<tbody id=\"rows\"></tbody></table></div>\n";

constexpr const char* kSamplesSection =
    "<h2 id=\"samples\">Samples</h2>\n"
    "<noscript><p>This section needs scripts.</p></noscript>\n"
    "<p class=\"controls\"><label>sample <input id=\"find-sample\" type=\"search\" "
    "placeholder=\"part of a name\"></label><label>with <select id=\"find-kind\"></select></label>"
    "</p>\n"
    "<p class=\"controls\"><button id=\"samples-previous\">previous</button>"
    "<button id=\"samples-next\">next</button><span id=\"samples-count\"></span></p>\n"
    "<p class=\"muted screen\">Click a sample for its details with each backend; the URL is "
    "bookmarkable. In parentheses: doubtful, in no mean.</p>\n"
    "<div class=\"scroll\"><table id=\"samples-table\"><thead><tr id=\"samples-head\"></tr></thead>"
    "<tbody id=\"samples-rows\"></tbody></table></div>\n";

// Shown by the script, which does what it says.
std::string toggle(const std::set<std::string>& common) {
  if (common.empty()) return "";
  return "<label id=\"toggle\" hidden><input type=\"checkbox\" id=\"only-common\"> only " +
         base::counted(common.size(), "sample") + " that every backend did</label>";
}

constexpr const char* kNavigation =
    "<a href=\"#summary\">Summary</a><a href=\"#curves\">Curves</a>"
    "<a href=\"#groups\">Groups</a><a href=\"#flags\">Flags</a><a href=\"#proof\">Proof</a>"
    "<a href=\"#samples\">Samples</a><a href=\"#results\">Results</a>";

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
  const std::set<std::string> samples = common_samples(report);
  const Report common_report = only_samples(report, samples);
  const Part all = {report, draw_charts(report)};
  const Part common = {common_report, draw_charts(common_report)};
  const std::vector<BackendSummary> summaries = summarise(report);
  const std::string scores = figures(all.charts, ChartSection::kScores);
  return page_head(report.title) + "<body>\n<nav>" + kNavigation + toggle(samples) +
         "<button id=\"theme\">dark / light</button></nav>\n<h1>" + escape_markup(report.title) +
         "</h1>\n" + facts(report) + overview(all, common) + "<h2 id=\"curves\">Curves</h2>\n" +
         scores + in_both(all, common, curve_section) + pair_section(report, all.charts) +
         "<h2 id=\"groups\">By family and category</h2>\n" + in_both(all, common, group_section) +
         "<h2 id=\"flags\">Fraud and accident flags</h2>\n" +
         count_table(summaries, "flag", &BackendSummary::flags) + flag_table(report) +
         "<h2 id=\"proof\">Proof of execution</h2>\n"
         "<p>Who did the work of the samples that are ok, as the verdict says.</p>\n" +
         count_table(summaries, "verdict", &BackendSummary::verdicts) + verdict_reasons(report) +
         kSamplesSection + kTableSection + "<script type=\"application/json\" id=\"data\">" +
         page_rows(report, samples) + "</script>\n<script>\n" + kPageScript +
         "</script>\n</body>\n</html>\n";
}

}  // namespace graphnet::report
