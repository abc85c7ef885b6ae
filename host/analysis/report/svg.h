// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graphnet::report {

/// Text as XML character data or attribute value, also fit for HTML: markup is escaped, what XML
/// forbids (control characters, broken UTF-8) is made printable first.
std::string escape_markup(std::string_view text);

/// A coordinate: at most one decimal, "12", "12.5"; 0 for what is not finite.
///
/// units    pixels
std::string format_pixels(double value);

struct Point {
  double x = 0;
  double y = 0;
};

/// Path data, absolute coordinates.
class PathData {
 public:
  PathData& move_to(Point point);
  PathData& line_to(Point point);
  /// A dot: a line of no length, which round ends make visible.
  PathData& dot(Point point);
  PathData& close();
  const std::string& text() const { return text_; }
  bool is_empty() const { return text_.empty(); }

 private:
  std::string text_;
};

enum class Anchor { kStart, kMiddle, kEnd };

/// How a text is set; `css` is its class, "ink" or "muted".
struct TextStyle {
  const char* css = "ink";
  Anchor anchor = Anchor::kStart;
  int size_px = 12;
  bool is_bold = false;
  bool is_upright = false;  ///< turned by 90 degrees, reading upwards
};

/// Writes the body of an SVG picture. Equal calls give equal bytes.
///
/// units    pixels, y downwards
class SvgWriter {
 public:
  /// `label` is what a screen reader says.
  SvgWriter(double width, double height, std::string_view label);

  /// `css` are classes of palette.h; `title` is shown under the pointer, if any.
  void line(Point from, Point to, std::string_view css);
  void path(const PathData& data, std::string_view css, std::string_view dash = "");
  void rect(Point corner, double width, double height, std::string_view css);
  /// The marker of a series (`marker_of`), hollow or filled.
  void marker(Point at, std::size_t series, bool is_hollow = false, std::string_view title = "");
  void text(Point at, std::string_view content, const TextStyle& style = TextStyle(),
            std::string_view title = "");

  /// For a page that has page_chart_style().
  std::string embedded() const;
  /// A file of its own with its style.
  std::string standalone() const;

 private:
  std::string opening(std::string_view extra) const;

  double width_;
  double height_;
  std::string label_;
  std::string body_;
};

}  // namespace graphnet::report
