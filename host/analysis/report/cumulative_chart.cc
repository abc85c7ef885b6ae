// SPDX-License-Identifier: MIT
#include <algorithm>

#include "report/palette.h"
#include "report/speedup_charts.h"

namespace graphnet::report {

namespace {

constexpr double kPlotHeight = 330;
// A marker on every tenth of a curve, so that curves can be told apart on paper.
constexpr double kMarkerEvery = 0.1;

void draw_curve(SvgWriter& svg, const CumulativeCurve& curve, const Axis& x, const Axis& y,
                std::size_t series) {
  std::vector<double> sorted = curve.values;
  std::sort(sorted.begin(), sorted.end());
  const double below = curve.num_below;
  const double total = curve.num_samples;
  if (!(total > 0)) return;
  PathData path;
  Point last{x.at(x.low()), y.at(below / total)};
  path.move_to(last);
  std::vector<Point> marks = {last};
  double next_mark = kMarkerEvery;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Point top{x.at(sorted[i]), y.at((below + static_cast<double>(i) + 1) / total)};
    const bool is_last = i + 1 == sorted.size();
    // Steps below the resolution of the screen are left out.
    if (!is_last && top.x - last.x < 0.4 && last.y - top.y < 0.4) continue;
    path.line_to({top.x, last.y}).line_to(top);
    last = top;
    const double part = static_cast<double>(i + 1) / static_cast<double>(sorted.size());
    if (part >= next_mark) {
      marks.push_back(top);
      next_mark = part + kMarkerEvery;
    }
  }
  path.line_to({x.at(x.high()), last.y});
  svg.path(path, class_of(series) + " line", dash_of(series));
  for (const Point& mark : marks) svg.marker(mark, series);
}

}  // namespace

Chart cumulative_chart(const char* file, const PlotLabels& labels, Scale scale,
                       const std::vector<CumulativeCurve>& curves) {
  std::vector<std::string> names;
  std::vector<double> all;
  for (const CumulativeCurve& curve : curves) {
    names.push_back(curve.name);
    all.insert(all.end(), curve.values.begin(), curve.values.end());
  }
  PlotFrame frame(labels, names, kPlotHeight);
  const PlotBox& box = frame.box();
  const LogRange range = scale == Scale::kRatio ? ratio_range(all) : decade_range(all);
  const Axis x(scale, range.low, range.high, box.left, box.right);
  const Axis y(Scale::kLinear, 0, 1, box.bottom, box.top);
  frame.draw_y_axis(y, {{0, "0"}, {0.25, "25 %"}, {0.5, "50 %"}, {0.75, "75 %"}, {1, "100 %"}});
  frame.draw_x_axis(x, x.ticks(9));
  if (scale == Scale::kRatio) {
    frame.svg().line({x.at(1), box.top}, {x.at(1), box.bottom}, "axis");
  }
  if (curves.empty()) frame.say_empty();
  for (std::size_t i = 0; i < curves.size(); ++i) draw_curve(frame.svg(), curves[i], x, y, i);
  return finish_chart(file, labels, frame);
}

}  // namespace graphnet::report
