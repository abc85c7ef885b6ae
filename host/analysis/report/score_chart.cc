// SPDX-License-Identifier: MIT
#include "report/score_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "report/palette.h"

namespace graphnet::report {

namespace {

constexpr double kScorePlotHeight = 330;
constexpr double kVisible = 0.5;  // pixels

struct Shape {
  const char* symbol;
  bool has_steps;
};

constexpr Shape kSt = {"S(t)", false};
constexpr Shape kESt = {"ES(t)", true};

struct Axes {
  Axis x;
  Axis y;
  bool has_steps;
};

bool is_shown(const Shape& shape, const ScorePoint& point) {
  return std::isfinite(point.value) && (shape.has_steps || point.t <= 0);
}

std::vector<ScoreCurve> shown_part(const Shape& shape, const std::vector<ScoreCurve>& curves) {
  std::vector<ScoreCurve> shown = curves;
  for (ScoreCurve& curve : shown) {
    const auto is_hidden = [&](const ScorePoint& point) { return !is_shown(shape, point); };
    curve.points.erase(std::remove_if(curve.points.begin(), curve.points.end(), is_hidden),
                       curve.points.end());
  }
  return shown;
}

Axes axes_for(const Shape& shape, const std::vector<ScoreCurve>& curves, const PlotBox& box) {
  int first = 0;
  int last = 0;
  std::vector<double> values;
  for (const ScoreCurve& curve : curves) {
    for (const ScorePoint& point : curve.points) {
      first = std::min(first, point.t);
      last = std::max(last, point.t);
      for (const auto& value : {std::optional(point.value), point.low, point.high}) {
        if (value) values.push_back(*value);
      }
    }
  }
  const LogRange range = ratio_range(values);
  // Half a step more, so that the last one can be seen.
  const double end = last + (shape.has_steps ? 0.5 : 0.2);
  return {Axis(Scale::kLinear, first - 0.2, end, box.left, box.right),
          Axis(Scale::kRatio, range.low, range.high, box.bottom, box.top), shape.has_steps};
}

std::vector<Tick> integer_ticks(const Axis& axis) {
  std::vector<Tick> ticks;
  for (int t = static_cast<int>(std::ceil(axis.low())); t <= axis.high(); ++t) {
    ticks.push_back({static_cast<double>(t), std::to_string(t)});
  }
  return ticks;
}

using Value = std::function<double(const ScorePoint&)>;

// The corners of a curve from left to right: a line up to t = 0, steps behind it.
std::vector<Point> corners(const std::vector<ScorePoint>& points, const Axes& axes,
                           const Value& value) {
  std::vector<Point> result;
  for (const ScorePoint& point : points) {
    const Point corner{axes.x.at(point.t), axes.y.at(value(point))};
    if (point.t > 0 && !result.empty()) result.push_back({corner.x, result.back().y});
    result.push_back(corner);
  }
  const bool ends_in_step = axes.has_steps && !points.empty() && points.back().t > 0;
  if (ends_in_step) result.push_back({axes.x.at(axes.x.high()), result.back().y});
  return result;
}

void draw_line(SvgWriter& svg, const std::vector<Point>& points, const std::string& css,
               const char* dash) {
  PathData path;
  for (std::size_t i = 0; i < points.size(); ++i) {
    i == 0 ? path.move_to(points[i]) : path.line_to(points[i]);
  }
  svg.path(path, css, dash);
}

void draw_band(SvgWriter& svg, const ScoreCurve& curve, const Axes& axes, std::size_t series) {
  std::vector<ScorePoint> known;
  for (const ScorePoint& point : curve.points) {
    if (point.low && point.high) known.push_back(point);
  }
  if (known.size() < 2) return;
  std::vector<Point> outline =
      corners(known, axes, [](const ScorePoint& point) { return *point.high; });
  const std::vector<Point> lower =
      corners(known, axes, [](const ScorePoint& point) { return *point.low; });
  outline.insert(outline.end(), lower.rbegin(), lower.rend());
  PathData path;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    i == 0 ? path.move_to(outline[i]) : path.line_to(outline[i]);
  }
  svg.path(path.close(), class_of(series) + " band");
}

std::string point_title(const ScoreCurve& curve, const ScorePoint& point) {
  char text[96];
  std::snprintf(text, sizeof text, " at t = %d: %.3f", point.t, point.value);
  std::string title = curve.name + text;
  if (point.low && point.high) {
    std::snprintf(text, sizeof text, " [%.3f, %.3f]", *point.low, *point.high);
    title += text;
  }
  return title;
}

// The aggregated form, where it does not lie on the curve: both forms agree but for errors.
void draw_aggregated(SvgWriter& svg, const ScoreCurve& curve, const Axes& axes,
                     std::size_t series) {
  for (const ScorePoint& point : curve.points) {
    if (!point.aggregated) continue;
    const Point at{axes.x.at(point.t), axes.y.at(*point.aggregated)};
    if (std::fabs(at.y - axes.y.at(point.value)) < kVisible) continue;
    PathData square;
    square.move_to({at.x - 5, at.y - 5}).line_to({at.x + 5, at.y - 5});
    square.line_to({at.x + 5, at.y + 5}).line_to({at.x - 5, at.y + 5}).close();
    svg.path(square, class_of(series) + " hollow");
  }
}

Chart draw(const Shape& shape, const ChartName& name, const std::vector<ScoreCurve>& curves,
           const std::string& caption) {
  const std::vector<ScoreCurve> shown = shown_part(shape, curves);
  std::vector<std::string> names;
  bool is_empty = true;
  for (const ScoreCurve& curve : shown) {
    names.push_back(curve.name);
    is_empty = is_empty && curve.points.empty();
  }
  const PlotLabels labels = {name.title, "t", std::string(shape.symbol) + ", log scale", caption};
  PlotFrame frame(labels, names, kScorePlotHeight);
  const Axes axes = axes_for(shape, shown, frame.box());
  frame.draw_y_axis(axes.y, axes.y.ticks(7));
  frame.draw_x_axis(axes.x, integer_ticks(axes.x));
  if (is_empty) frame.say_empty();
  SvgWriter& svg = frame.svg();
  const auto value = [](const ScorePoint& point) { return point.value; };
  for (std::size_t i = 0; i < shown.size(); ++i) draw_band(svg, shown[i], axes, i);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    draw_line(svg, corners(shown[i].points, axes, value), class_of(i) + " line", dash_of(i));
    if (shape.has_steps) draw_aggregated(svg, shown[i], axes, i);
    for (const ScorePoint& point : shown[i].points) {
      svg.marker({axes.x.at(point.t), axes.y.at(point.value)}, i, false,
                 point_title(shown[i], point));
    }
  }
  return finish_chart(name.file, labels, frame);
}

}  // namespace

Chart st_chart(const ChartName& name, const std::vector<ScoreCurve>& curves,
               const std::string& caption) {
  return draw(kSt, name, curves, caption);
}

Chart est_chart(const ChartName& name, const std::vector<ScoreCurve>& curves,
                const std::string& caption) {
  return draw(kESt, name, curves, caption);
}

}  // namespace graphnet::report
