// SPDX-License-Identifier: MIT
#include "report/plot_frame.h"

#include <algorithm>
#include <sstream>

#include "report/palette.h"
#include "report/terminal_text.h"

namespace graphnet::report {

namespace {

constexpr double kWidth = 720;
constexpr double kRightMargin = 22;
constexpr double kTitleHeight = 34;
constexpr double kLegendRow = 18;
constexpr double kAxisHeight = 44;
constexpr double kCaptionLine = 15;
constexpr int kCaptionSize = 11;
constexpr double kSwatch = 30;
constexpr int kLegendSize = 12;

double legend_entry_width(const std::string& name) {
  return kSwatch + text_width(short_name(name), kLegendSize) + 18;
}

// Where each entry of the legend begins; entries flow into rows.
std::vector<Point> legend_positions(const std::vector<std::string>& legend) {
  std::vector<Point> positions;
  Point at{16, 0};
  for (const std::string& name : legend) {
    const double width = legend_entry_width(name);
    if (at.x > 16 && at.x + width > kWidth - 8) at = {16, at.y + kLegendRow};
    positions.push_back(at);
    at.x += width;
  }
  return positions;
}

// Lines that fit below a chart, broken at blanks.
std::vector<std::string> caption_lines(const std::string& caption) {
  std::vector<std::string> lines;
  std::istringstream words(printable(caption));
  for (std::string word; words >> word;) {
    const std::string longer = lines.empty() ? word : lines.back() + " " + word;
    if (!lines.empty() && text_width(longer, kCaptionSize) <= kWidth - 32) {
      lines.back() = longer;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

}  // namespace

struct PlotFrame::Layout {
  double plot_height;
  double left_margin;
  double legend_height;
  double height;
};

PlotFrame::PlotFrame(const PlotLabels& labels, const std::vector<std::string>& legend,
                     double plot_height, double left_margin)
    : PlotFrame(labels, legend, [&] {
        const double legend_height =
            legend.empty() ? 0 : legend_positions(legend).back().y + kLegendRow + 6;
        return Layout{plot_height, left_margin, legend_height,
                      kTitleHeight + legend_height + plot_height + kAxisHeight +
                          kCaptionLine * static_cast<double>(caption_lines(labels.caption).size()) +
                          4};
      }()) {}

PlotFrame::PlotFrame(const PlotLabels& labels, const std::vector<std::string>& legend,
                     const Layout& layout)
    : svg_(kWidth, layout.height, labels.title) {
  box_.left = layout.left_margin;
  box_.right = kWidth - kRightMargin;
  box_.top = kTitleHeight + layout.legend_height;
  box_.bottom = box_.top + layout.plot_height;
  svg_.text({16, 22}, labels.title, {"ink", Anchor::kStart, 15, true, false});
  draw_legend(legend, kTitleHeight);
  const TextStyle axis_name{"muted", Anchor::kMiddle, 12, false, false};
  if (!labels.x.empty()) {
    svg_.text({(box_.left + box_.right) / 2, box_.bottom + 36}, labels.x, axis_name);
  }
  if (!labels.y.empty()) {
    TextStyle upright = axis_name;
    upright.is_upright = true;
    svg_.text({16, (box_.top + box_.bottom) / 2}, labels.y, upright);
  }
  double y = box_.bottom + kAxisHeight + 10;
  for (const std::string& line : caption_lines(labels.caption)) {
    svg_.text({16, y}, line, {"muted", Anchor::kStart, kCaptionSize, false, false});
    y += kCaptionLine;
  }
}

void PlotFrame::draw_legend(const std::vector<std::string>& legend, double top) {
  const std::vector<Point> positions = legend_positions(legend);
  for (std::size_t series = 0; series < legend.size(); ++series) {
    const double x = positions[series].x;
    const double y = top + positions[series].y + 8;
    svg_.path(PathData().move_to({x, y}).line_to({x + 24, y}), class_of(series) + " line",
              dash_of(series));
    svg_.marker({x + 12, y}, series);
    const std::string shown = short_name(legend[series]);
    svg_.text({x + kSwatch, y + 4}, shown, {"ink", Anchor::kStart, kLegendSize, false, false},
              shown == printable(legend[series]) ? "" : legend[series]);
  }
}

void PlotFrame::draw_x_axis(const Axis& axis, const std::vector<Tick>& ticks) {
  for (const Tick& tick : ticks) {
    const double x = axis.at(tick.value);
    svg_.line({x, box_.top}, {x, box_.bottom}, "grid");
    svg_.text({x, box_.bottom + 17}, tick.label, {"muted", Anchor::kMiddle, 11, false, false});
  }
  svg_.line({box_.left, box_.bottom}, {box_.right, box_.bottom}, "axis");
}

void PlotFrame::draw_y_axis(const Axis& axis, const std::vector<Tick>& ticks) {
  for (const Tick& tick : ticks) {
    const double y = axis.at(tick.value);
    svg_.line({box_.left, y}, {box_.right, y}, "grid");
    svg_.text({box_.left - 7, y + 4}, tick.label, {"muted", Anchor::kEnd, 11, false, false});
  }
  svg_.line({box_.left, box_.top}, {box_.left, box_.bottom}, "axis");
}

void PlotFrame::say_empty() {
  svg_.text({(box_.left + box_.right) / 2, (box_.top + box_.bottom) / 2}, "no samples",
            {"muted", Anchor::kMiddle, 13, false, false});
}

Chart finish_chart(const std::string& name, const PlotLabels& labels, const PlotFrame& frame) {
  return {name, labels.title, frame.svg().embedded(), frame.svg().standalone()};
}

std::string short_name(const std::string& name) {
  return cut_to_width(printable(name), kMaxNameCells);
}

double text_width(std::string_view text, int size_px) {
  // 0.58 em is a little more than the mean width of a letter of the usual sans-serif fonts.
  return 0.58 * size_px * std::max(0, display_width(text));
}

}  // namespace graphnet::report
