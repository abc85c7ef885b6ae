// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/axis.h"
#include "report/svg.h"

namespace graphnet::report {

/// Words around a chart. All may come from outside; any may be empty.
struct PlotLabels {
  std::string title;
  std::string x;
  std::string y;
  std::string caption;  ///< below: what was left out, parameters
};

/// The area that data is drawn in.
///
/// units    pixels
struct PlotBox {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// How wide a name may be in a legend or beside an axis, in cells; longer ones are cut.
inline constexpr int kMaxNameCells = 30;

/// A chart without its data: title, legend (one entry a series, in the order of their numbers),
/// axes with grid lines, caption. Every chart is 720 pixels wide.
class PlotFrame {
 public:
  /// units    pixels: plot_height of the area for data, left_margin for labels beside it
  PlotFrame(const PlotLabels& labels, const std::vector<std::string>& legend, double plot_height,
            double left_margin = 62);

  SvgWriter& svg() { return svg_; }
  const SvgWriter& svg() const { return svg_; }
  const PlotBox& box() const { return box_; }

  void draw_x_axis(const Axis& axis, const std::vector<Tick>& ticks);
  void draw_y_axis(const Axis& axis, const std::vector<Tick>& ticks);
  /// "no samples" in the middle, for a chart without data.
  void say_empty();

 private:
  struct Layout;
  PlotFrame(const PlotLabels& labels, const std::vector<std::string>& legend, const Layout& layout);
  void draw_legend(const std::vector<std::string>& legend, double top);

  SvgWriter svg_;
  PlotBox box_;
};

/// What a chart is called, in the table of charts.cc.
struct ChartName {
  const char* file;   ///< without suffix; of a pair, the names of both backends follow
  const char* title;  ///< of a pair, what stands between the names
};

/// A finished chart in its two forms.
struct Chart {
  std::string name;        ///< of a file, without suffix: "est", "scatter-nope-acme"
  std::string title;       ///< for a list of charts
  std::string embedded;    ///< for a page with page_chart_style()
  std::string standalone;  ///< an SVG file
};

Chart finish_chart(const std::string& name, const PlotLabels& labels, const PlotFrame& frame);

/// A name cut to kMaxNameCells.
std::string short_name(const std::string& name);

/// units    pixels, an estimate: fonts differ
double text_width(std::string_view text, int size_px);

}  // namespace graphnet::report
