// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <iterator>

#include "report/palette.h"
#include "report/speedup_charts.h"

namespace graphnet::report {

namespace {

constexpr double kEntryHeight = 15;
constexpr double kRowGap = 12;
constexpr double kLeftMargin = 170;
constexpr double kCountsWidth = 78;  // "2,345 of 2,495 ok" beside the plot

std::string entry_title(const std::string& backend, const GroupRow::Entry& entry) {
  char text[128];
  std::snprintf(text, sizeof text, ": %.3fx [%.3f, %.3f], %d of %d ok", entry.mean.value,
                entry.mean.low, entry.mean.high, entry.num_ok, entry.num_samples);
  return backend + text;
}

void draw_entry(SvgWriter& svg, const GroupRow::Entry& entry, const Axis& x, double y,
                std::size_t series, const std::string& backend) {
  if (entry.mean.count > 0) {
    if (entry.mean.has_interval) {
      svg.line({x.at(entry.mean.low), y}, {x.at(entry.mean.high), y}, class_of(series) + " line");
    }
    svg.marker({x.at(entry.mean.value), y}, series, !entry.mean.has_interval,
               entry_title(backend, entry));
  }
  if (entry.num_samples == 0) return;
  const std::string counts =
      std::to_string(entry.num_ok) + " of " + std::to_string(entry.num_samples) + " ok";
  svg.text({x.at(x.high()) + 8, y + 3.5}, counts, {"muted", Anchor::kStart, 10, false, false});
}

bool has_mean(const GroupRow& row) {
  return std::any_of(row.entries.begin(), row.entries.end(),
                     [](const GroupRow::Entry& entry) { return entry.mean.count > 0; });
}

}  // namespace

Chart group_chart(const ChartName& name, const std::vector<std::string>& backends,
                  const std::vector<GroupRow>& groups) {
  std::vector<GroupRow> rows;
  std::copy_if(groups.begin(), groups.end(), std::back_inserter(rows), has_mean);
  const std::size_t left_out = groups.size() - rows.size();
  const PlotLabels labels = {
      name.title, "eager time / plugin time, log scale", "",
      "of samples that are ok; whisker: 95 % interval, resampled over the samples; hollow: a "
      "single "
      "sample" +
          (left_out > 0 ? "; without a mean and not shown: " + std::to_string(left_out) : "")};
  const double row_height =
      kRowGap + kEntryHeight * static_cast<double>(std::max<std::size_t>(1, backends.size()));
  PlotFrame frame(labels, backends,
                  row_height * static_cast<double>(std::max<std::size_t>(1, rows.size())),
                  kLeftMargin);
  const PlotBox& box = frame.box();
  std::vector<double> ends;
  for (const GroupRow& row : rows) {
    for (const GroupRow::Entry& entry : row.entries) {
      if (entry.mean.count == 0) continue;
      ends.push_back(entry.mean.low);
      ends.push_back(entry.mean.high);
    }
  }
  const LogRange range = ratio_range(ends);
  const Axis x(Scale::kRatio, range.low, range.high, box.left, box.right - kCountsWidth);
  frame.draw_x_axis(x, x.ticks(7));
  SvgWriter& svg = frame.svg();
  svg.line({x.at(1), box.top}, {x.at(1), box.bottom}, "axis");
  if (rows.empty()) frame.say_empty();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double top = box.top + static_cast<double>(i) * row_height;
    if (i > 0) svg.line({16, top}, {box.right, top}, "grid");
    const std::string shown = short_name(rows[i].name);
    svg.text({box.left - 10, top + row_height / 2 + 4}, shown,
             {"ink", Anchor::kEnd, 12, false, false}, shown == rows[i].name ? "" : rows[i].name);
    for (std::size_t k = 0; k < rows[i].entries.size() && k < backends.size(); ++k) {
      const double y = top + kRowGap / 2 + kEntryHeight * (static_cast<double>(k) + 0.5);
      draw_entry(svg, rows[i].entries[k], x, y, k, backends[k]);
    }
  }
  return finish_chart(name.file, labels, frame);
}

}  // namespace graphnet::report
