// SPDX-License-Identifier: MIT
#include "report/charts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "report/score_chart.h"
#include "report/speedup_charts.h"
#include "report/summary.h"

namespace graphnet::report {

namespace {

using Charts = std::vector<Chart>;

Charts draw_est(const ChartName& name, const Report& report) {
  if (report.est.empty()) return {};
  return {est_chart(name, report.est, report.score_caption)};
}

Charts draw_st(const ChartName& name, const Report& report) {
  if (report.st.empty()) return {};
  return {st_chart(name, report.st, report.score_caption)};
}

Charts draw_violins(const ChartName& name, const Report& report) {
  return {violin_chart(name, speedup_groups(report))};
}

constexpr const char* kShareOfSamples = "share of samples";

Charts draw_ecdf(const ChartName& name, const Report& report) {
  std::vector<CumulativeCurve> curves;
  for (const SpeedupGroup& group : speedup_groups(report)) {
    curves.push_back({group.name, group.speedups, group.num_failed(), group.num_samples()});
  }
  const PlotLabels labels = {name.title, "eager time / plugin time, log scale", kShareOfSamples,
                             "a curve begins at the share of samples that are not ok, and ends "
                             "below 100 % by those that are doubtful; further right is faster"};
  return {cumulative_chart(name.file, labels, Scale::kRatio, curves)};
}

using Number = std::optional<double> ResultRow::*;

// Of each backend the numbers of its ok samples, none below `least`; shares are of those, or of
// all that ran.
std::vector<CumulativeCurve> curves_of(const Report& report, Number number, double least,
                                       bool of_all) {
  std::vector<CumulativeCurve> curves(report.backends.size());
  for (std::size_t i = 0; i < curves.size(); ++i) curves[i].name = report.backends[i];
  for (const ResultRow& row : report.rows) {
    if (row.backend >= curves.size() || row.is_not_run()) continue;
    CumulativeCurve& curve = curves[row.backend];
    const bool has_number = row.is_ok() && row.*number;
    if (has_number) curve.values.push_back(std::max(least, *(row.*number)));
    if (has_number || of_all) ++curve.num_samples;
  }
  return curves;
}

bool has_values(const std::vector<CumulativeCurve>& curves) {
  return std::any_of(curves.begin(), curves.end(),
                     [](const CumulativeCurve& curve) { return !curve.values.empty(); });
}

Charts draw_compile(const ChartName& name, const Report& report) {
  const auto curves = curves_of(report, &ResultRow::compile_ns, 1, false);
  if (!has_values(curves)) return {};
  const PlotLabels labels = {name.title, "compile time, log scale", kShareOfSamples,
                             "of samples that are ok; further left is faster"};
  return {cumulative_chart(name.file, labels, Scale::kDuration, curves)};
}

Charts draw_break_even(const ChartName& name, const Report& report) {
  const auto curves = curves_of(report, &ResultRow::break_even_calls, 1, true);
  if (!has_values(curves)) return {};
  const PlotLabels labels = {
      name.title, "calls, log scale", kShareOfSamples,
      "calls after which compile and bind have paid off; of all samples that "
      "ran: where the plugin is not faster they never do"};
  return {cumulative_chart(name.file, labels, Scale::kCount, curves)};
}

Charts draw_limit(const ChartName& name, const Report& report) {
  constexpr double kLeastShare = 1e-4;
  const auto curves = curves_of(report, &ResultRow::limit_share, kLeastShare, false);
  if (!has_values(curves)) return {};
  const PlotLabels labels = {name.title, "share of the limit, log scale", kShareOfSamples,
                             "of samples that are ok and float32: the time for their "
                             "multiplications at the cores' peak, or for moving their data once, "
                             "by the plugin's time; further right is faster"};
  return {cumulative_chart(name.file, labels, Scale::kShare, curves)};
}

// Whether it runs the reference itself: then it says nothing about a compiler.
bool is_control(const Report& report, std::size_t backend) {
  bool has_rows = false;
  for (const ResultRow& row : report.rows) {
    if (row.backend != backend || !row.is_ok()) continue;
    if (row.verdict.kind != record::ProofVerdict::kEager) return false;
    has_rows = true;
  }
  return has_rows;
}

// Pairs of compilers come first: the first one is what a page shows.
Charts draw_scatters(const ChartName& name, const Report& report) {
  const std::size_t shown = std::min(report.backends.size(), kMaxPairedBackends);
  std::vector<bool> controls;
  for (std::size_t i = 0; i < shown; ++i) controls.push_back(is_control(report, i));
  Charts charts;
  for (const bool with_control : {false, true}) {
    for (std::size_t x = 0; x < shown; ++x) {
      for (std::size_t y = x + 1; y < shown; ++y) {
        if ((controls[x] || controls[y]) != with_control) continue;
        charts.push_back(scatter_chart(name, scatter_input(report, x, y)));
      }
    }
  }
  return charts;
}

Charts draw_categories(const ChartName& name, const Report& report) {
  return {group_chart(name, report.backends, group_rows(report, &ResultRow::category))};
}

Charts draw_families(const ChartName& name, const Report& report) {
  return {group_chart(name, report.backends, group_rows(report, &ResultRow::family))};
}

struct ChartRow {
  ChartName name;
  ChartSection section;
  /// None where the report lacks the data.
  Charts (*draw)(const ChartName& name, const Report& report);
};

/// All charts, in the order of a page.
constexpr ChartRow kCharts[] = {
    {{"est", "ES(t) by tolerance"}, ChartSection::kScores, draw_est},
    {{"st", "S(t) by tolerance"}, ChartSection::kScores, draw_st},
    {{"violin", "Speedup per sample"}, ChartSection::kCurves, draw_violins},
    {{"ecdf", "Share of samples at or below a speedup"}, ChartSection::kCurves, draw_ecdf},
    {{"compile", "Share of samples compiled within a time"}, ChartSection::kCurves, draw_compile},
    {{"break_even", "Share of samples that have paid off"}, ChartSection::kCurves, draw_break_even},
    {{"limit", "Share of samples at or below a share of the machine's limit"},
     ChartSection::kCurves,
     draw_limit},
    {{"scatter", "against"}, ChartSection::kPairs, draw_scatters},
    {{"category", "Geometric mean speedup by category"}, ChartSection::kGroups, draw_categories},
    {{"family", "Geometric mean speedup by family"}, ChartSection::kGroups, draw_families},
};

}  // namespace

std::vector<ReportChart> draw_charts(const Report& report) {
  std::vector<ReportChart> charts;
  std::set<std::string> names;
  for (const ChartRow& row : kCharts) {
    for (Chart& chart : row.draw(row.name, report)) {
      // Two labels may differ in characters only that no file name should have.
      const std::string name = chart.name;
      for (int i = 2; !names.insert(chart.name).second; ++i) {
        chart.name = name + "-" + std::to_string(i);
      }
      charts.push_back({row.section, std::move(chart)});
    }
  }
  return charts;
}

std::vector<ChartName> chart_names() {
  std::vector<ChartName> names;
  for (const ChartRow& row : kCharts) names.push_back(row.name);
  return names;
}

}  // namespace graphnet::report
