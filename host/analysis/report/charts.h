// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/plot_frame.h"
#include "report/result_row.h"

namespace graphnet::report {

/// Where on a page a chart stands.
enum class ChartSection : std::uint8_t {
  kScores,  ///< of all samples
  kCurves,
  kPairs,  ///< one chart for two backends, shown one at a time
  kGroups,
};

/// Charts of pairs are drawn of the first backends only.
inline constexpr std::size_t kMaxPairedBackends = 6;

struct ReportChart {
  ChartSection section;
  Chart chart;  ///< its name differs from those of the others
};

/// Every chart that the report has data for: what a page and --plots show. The list of charts is
/// the table in charts.cc.
///
/// order    as on a page
std::vector<ReportChart> draw_charts(const Report& report);

/// The names in that table. Of charts of pairs, what their names begin with.
std::vector<ChartName> chart_names();

}  // namespace graphnet::report
