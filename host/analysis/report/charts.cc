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

Charts draw_ecdf(const ChartName& name, const Report& report) {
  return {ecdf_chart(name, speedup_groups(report))};
}

Charts draw_scatters(const ChartName& name, const Report& report) {
  Charts charts;
  const std::size_t shown = std::min(report.backends.size(), kMaxPairedBackends);
  for (std::size_t x = 0; x < shown; ++x) {
    for (std::size_t y = x + 1; y < shown; ++y) {
      charts.push_back(scatter_chart(name, scatter_input(report, x, y)));
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
    {{"est", "ES(t) by tolerance"}, ChartSection::kCurves, draw_est},
    {{"st", "S(t) by tolerance"}, ChartSection::kCurves, draw_st},
    {{"violin", "Speedup per sample"}, ChartSection::kCurves, draw_violins},
    {{"ecdf", "Share of samples at or below a speedup"}, ChartSection::kCurves, draw_ecdf},
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
