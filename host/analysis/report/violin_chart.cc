// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/text.h"
#include "report/palette.h"
#include "report/speedup_charts.h"
#include "report/terminal_text.h"

namespace graphnet::report {

namespace {

constexpr double kViolinPlotHeight = 380;
constexpr double kLaneHeight = 40;
constexpr int kDensityPoints = 96;
constexpr double kDotSize = 9;

// Where one violin is drawn.
struct Slot {
  double middle;
  double half_width;
};

std::vector<double> sorted_logs(const std::vector<double>& speedups) {
  std::vector<double> logs;
  for (const double speedup : speedups) logs.push_back(std::log2(speedup));
  std::sort(logs.begin(), logs.end());
  return logs;
}

LogRange range_of(const std::vector<SpeedupGroup>& groups) {
  std::vector<double> all;
  for (const SpeedupGroup& group : groups) {
    all.insert(all.end(), group.speedups.begin(), group.speedups.end());
    all.insert(all.end(), group.doubtful.begin(), group.doubtful.end());
  }
  return ratio_range(all);
}

struct Dot {
  double speedup;
  bool is_doubtful;
};

// Dots that would hide each other stand side by side, as far as there is room.
void draw_dots(SvgWriter& svg, const std::vector<Dot>& dots, const Axis& y, const Slot& slot,
               std::size_t series) {
  std::map<long, int> in_row;
  for (const Dot& dot : dots) {
    const double height = y.at(dot.speedup);
    const int rank = in_row[std::lround(height / kDotSize)]++;
    const int step = (rank + 1) / 2 * (rank % 2 == 0 ? 1 : -1);
    const double side = kDotSize * step;
    const double x = slot.middle + std::clamp(side, -slot.half_width, slot.half_width);
    svg.marker({x, height}, series, dot.is_doubtful,
               ratio_label(dot.speedup) + (dot.is_doubtful ? ", doubtful" : ""));
  }
}

void draw_body(SvgWriter& svg, const Density& density, const Axis& y, const Slot& slot,
               std::size_t series) {
  const double highest = *std::max_element(density.heights.begin(), density.heights.end());
  PathData outline;
  const std::size_t count = density.points.size();
  for (std::size_t i = 0; i < 2 * count; ++i) {
    const std::size_t at = i < count ? i : 2 * count - 1 - i;
    const double width = slot.half_width * density.heights[at] / highest;
    const Point point{slot.middle + (i < count ? -width : width),
                      y.at(std::exp2(density.points[at]))};
    i == 0 ? outline.move_to(point) : outline.line_to(point);
  }
  svg.path(outline.close(), class_of(series) + " area", dash_of(series));
}

void draw_box(SvgWriter& svg, const std::vector<double>& logs, const Axis& y, const Slot& slot,
              std::size_t series) {
  const auto at = [&](double part) { return y.at(std::exp2(quantile(logs, part))); };
  const double half = 7;
  svg.line({slot.middle, at(0.05)}, {slot.middle, at(0.95)}, class_of(series) + " thin");
  PathData box;
  box.move_to({slot.middle - half, at(0.25)}).line_to({slot.middle + half, at(0.25)});
  box.line_to({slot.middle + half, at(0.75)}).line_to({slot.middle - half, at(0.75)}).close();
  svg.path(box, class_of(series) + " hollow");
}

void draw_median(SvgWriter& svg, double log, const Axis& y, const Slot& slot, std::size_t series) {
  const double height = y.at(std::exp2(log));
  svg.line({slot.middle - 12, height}, {slot.middle + 12, height}, class_of(series) + " line");
}

void draw_violin(SvgWriter& svg, const SpeedupGroup& group, const Axis& y, const Slot& slot,
                 std::size_t series) {
  const std::vector<double> logs = sorted_logs(group.speedups);
  std::vector<Dot> dots;
  for (const double speedup : group.doubtful) dots.push_back({speedup, true});
  const bool is_enough = logs.size() >= kFewestForDensity;
  const Density density = is_enough ? kernel_density(logs, kDensityPoints) : Density();
  Slot dot_slot = slot;
  if (!density.points.empty()) {
    // Dots stand beside the violin, where they hide nothing of it.
    const Slot body = {slot.middle - 0.12 * slot.half_width, 0.84 * slot.half_width};
    dot_slot = {slot.middle + 0.88 * slot.half_width, 0.12 * slot.half_width};
    draw_body(svg, density, y, body, series);
    draw_box(svg, logs, y, body, series);
    draw_median(svg, quantile(logs, 0.5), y, body, series);
  } else {
    for (const double speedup : group.speedups) dots.push_back({speedup, false});
    if (!logs.empty()) draw_median(svg, quantile(logs, 0.5), y, slot, series);
  }
  draw_dots(svg, dots, y, dot_slot, series);
}

void draw_name(SvgWriter& svg, const SpeedupGroup& group, const Slot& slot, double y) {
  const int cells = std::max(6, static_cast<int>(2 * slot.half_width / text_width("x", 11)));
  const std::string shown = cut_to_width(printable(group.name), cells);
  svg.text({slot.middle, y}, shown, {"ink", Anchor::kMiddle, 11, false, false}, group.name);
  std::vector<double> sorted = group.speedups;
  std::sort(sorted.begin(), sorted.end());
  char text[64] = "no speedup";
  if (!sorted.empty()) {
    std::snprintf(text, sizeof text, "median %.2fx, n %zu", quantile(sorted, 0.5), sorted.size());
  }
  svg.text({slot.middle, y + 15}, text, {"muted", Anchor::kMiddle, 10, false, false});
}

void draw_failures(SvgWriter& svg, const SpeedupGroup& group, const PlotBox& lane, const Slot& slot,
                   std::size_t series) {
  const int failed = group.num_failed();
  const double total = group.num_samples();
  const double share = total > 0 ? failed / total : 0;
  std::vector<std::string> parts;
  for (const auto& [outcome, count] : group.failures) {
    parts.push_back(std::to_string(count) + " " + outcome);
  }
  const double width = 2 * slot.half_width * share;
  svg.rect({slot.middle - slot.half_width, lane.top + 6}, width, 9, class_of(series) + " area");
  char text[48];
  std::snprintf(text, sizeof text, "%d (%.3g %%)", failed, 100 * share);
  svg.text({slot.middle, lane.top + 29}, text, {"ink", Anchor::kMiddle, 11, false, false},
           base::join(parts, ", "));
}

}  // namespace

int SpeedupGroup::num_failed() const {
  int sum = 0;
  for (const auto& [outcome, count] : failures) sum += count;
  return sum;
}

int SpeedupGroup::num_samples() const {
  return num_failed() + num_without_speedup + static_cast<int>(speedups.size() + doubtful.size());
}

Chart violin_chart(const ChartName& name, const std::vector<SpeedupGroup>& groups) {
  const PlotLabels labels = {
      name.title, "", "eager time / plugin time, log scale",
      "violin: density of log2 speedup, dots below 20 samples; line: median; box: quartiles; "
      "whisker: "
      "5 % to 95 %; hollow: doubtful, in no mean; bar below: share of samples that are not ok"};
  PlotFrame frame(labels, {}, kViolinPlotHeight);
  const PlotBox& box = frame.box();
  const LogRange range = range_of(groups);
  const PlotBox lane = {box.left, box.bottom - kLaneHeight, box.right, box.bottom};
  const Axis y(Scale::kRatio, range.low, range.high, lane.top - 10, box.top);
  frame.draw_y_axis(y, y.ticks(9));
  SvgWriter& svg = frame.svg();
  svg.line({lane.left, lane.top}, {lane.right, lane.top}, "axis");
  svg.line({lane.left, lane.bottom}, {lane.right, lane.bottom}, "axis");
  svg.line({box.left, y.at(1)}, {box.right, y.at(1)}, "axis");
  svg.text({box.left - 7, lane.top + 24}, "not ok", {"muted", Anchor::kEnd, 11, false, false});
  if (groups.empty()) frame.say_empty();
  const double slot_width =
      (box.right - box.left) / std::max(1.0, static_cast<double>(groups.size()));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Slot slot = {box.left + (static_cast<double>(i) + 0.5) * slot_width,
                       std::min(90.0, 0.42 * slot_width)};
    draw_violin(svg, groups[i], y, slot, i);
    draw_failures(svg, groups[i], lane, slot, i);
    draw_name(svg, groups[i], slot, box.bottom + 16);
  }
  return finish_chart(name.file, labels, frame);
}

}  // namespace graphnet::report
