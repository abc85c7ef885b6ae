// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>

#include "report/palette.h"
#include "report/speedup_charts.h"

namespace graphnet::report {

namespace {

constexpr double kScatterPlotHeight = 560;
constexpr double kLane = 22;

std::string file_part(const std::string& name) {
  std::string part;
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '+' || c == '.' || c == '_';
    part += is_plain ? c : '-';
  }
  return part;
}

std::string caption_of(const ScatterInput& input) {
  int y_ahead = 0;
  for (const Point& point : input.both) y_ahead += point.y > point.x ? 1 : 0;
  char text[256];
  std::snprintf(
      text, sizeof text,
      "%zu samples ok with both, %d of them above the diagonal; %zu hollow: doubtful, in no "
      "mean; lanes: %zu ok with x only (below), %zu with y only (left); %d with neither",
      input.both.size(), y_ahead, input.doubtful.size(), input.only_x.size(), input.only_y.size(),
      input.neither);
  return text;
}

std::vector<double> all_speedups(const ScatterInput& input) {
  std::vector<double> all = input.only_x;
  all.insert(all.end(), input.only_y.begin(), input.only_y.end());
  for (const auto* points : {&input.both, &input.doubtful}) {
    for (const Point& point : *points) {
      all.push_back(point.x);
      all.push_back(point.y);
    }
  }
  return all;
}

}  // namespace

Chart scatter_chart(const ChartName& name, const ScatterInput& input) {
  const PlotLabels labels = {
      short_name(input.y_name) + " " + name.title + " " + short_name(input.x_name),
      "speedup with " + short_name(input.x_name) + ", log scale",
      "speedup with " + short_name(input.y_name) + ", log scale", caption_of(input)};
  PlotFrame frame(labels, {}, kScatterPlotHeight);
  const PlotBox& box = frame.box();
  const LogRange range = ratio_range(all_speedups(input));
  const Axis x(Scale::kRatio, range.low, range.high, box.left + kLane, box.right);
  const Axis y(Scale::kRatio, range.low, range.high, box.bottom - kLane, box.top);
  frame.draw_y_axis(y, y.ticks(8));
  frame.draw_x_axis(x, x.ticks(9));
  SvgWriter& svg = frame.svg();
  svg.line({box.left + kLane, box.top}, {box.left + kLane, box.bottom}, "axis");
  svg.line({box.left, box.bottom - kLane}, {box.right, box.bottom - kLane}, "axis");
  svg.path(PathData()
               .move_to({x.at(range.low), y.at(range.low)})
               .line_to({x.at(range.high), y.at(range.high)}),
           "axis", "5 4");
  PathData dots;
  for (const Point& point : input.both) dots.dot({x.at(point.x), y.at(point.y)});
  // Few dots may be large; many would hide each other.
  const char* size = input.both.size() < 200 ? " dots large" : " dots";
  svg.path(dots, class_of(0) + size);
  for (const Point& point : input.doubtful) svg.marker({x.at(point.x), y.at(point.y)}, 0, true);
  PathData failed;
  for (const double speedup : input.only_x) failed.dot({x.at(speedup), box.bottom - kLane / 2});
  for (const double speedup : input.only_y) failed.dot({box.left + kLane / 2, y.at(speedup)});
  svg.path(failed, class_of(1) + size);
  if (input.both.empty() && input.doubtful.empty() && failed.is_empty()) frame.say_empty();
  return finish_chart(
      std::string(name.file) + "-" + file_part(input.x_name) + "-" + file_part(input.y_name),
      labels, frame);
}

}  // namespace graphnet::report
