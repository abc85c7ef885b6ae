// SPDX-License-Identifier: MIT
#include "report/svg.h"

#include <cmath>
#include <cstdio>

#include "report/palette.h"
#include "report/terminal_text.h"

namespace graphnet::report {

namespace {

std::string attribute(const char* name, std::string_view value) {
  return std::string(" ") + name + "=\"" + escape_markup(value) + "\"";
}

std::string attribute(const char* name, double pixels) {
  return std::string(" ") + name + "=\"" + format_pixels(pixels) + "\"";
}

std::string title_element(std::string_view title) {
  return title.empty() ? "" : "<title>" + escape_markup(title) + "</title>";
}

const char* anchor_word(Anchor anchor) {
  if (anchor == Anchor::kMiddle) return "middle";
  return anchor == Anchor::kEnd ? "end" : "";
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string format_pixels(double value) {
  if (!std::isfinite(value)) return "0";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", std::fmax(-1e6, std::fmin(1e6, value)));
  std::string digits = text;
  if (digits.size() > 2 && digits.compare(digits.size() - 2, 2, ".0") == 0) {
    digits.resize(digits.size() - 2);
  }
  return digits == "-0" ? "0" : digits;
}

PathData& PathData::move_to(Point point) {
  text_ += "M" + format_pixels(point.x) + " " + format_pixels(point.y);
  return *this;
}

PathData& PathData::line_to(Point point) {
  text_ += "L" + format_pixels(point.x) + " " + format_pixels(point.y);
  return *this;
}

PathData& PathData::dot(Point point) {
  move_to(point);
  text_ += "h0";
  return *this;
}

PathData& PathData::close() {
  text_ += "z";
  return *this;
}

SvgWriter::SvgWriter(double width, double height, std::string_view label)
    : width_(width), height_(height), label_(label) {}

void SvgWriter::line(Point from, Point to, std::string_view css) {
  body_ += "<line" + attribute("class", css) + attribute("x1", from.x) + attribute("y1", from.y) +
           attribute("x2", to.x) + attribute("y2", to.y) + "/>\n";
}

void SvgWriter::path(const PathData& data, std::string_view css, std::string_view dash) {
  if (data.is_empty()) return;
  body_ += "<path" + attribute("class", css) +
           (dash.empty() ? "" : attribute("stroke-dasharray", dash)) + " d=\"" + data.text() +
           "\"/>\n";
}

void SvgWriter::rect(Point corner, double width, double height, std::string_view css) {
  body_ += "<rect" + attribute("class", css) + attribute("x", corner.x) + attribute("y", corner.y) +
           attribute("width", std::fmax(0, width)) + attribute("height", std::fmax(0, height)) +
           "/>\n";
}

void SvgWriter::marker(Point at, std::size_t series, bool is_hollow, std::string_view title) {
  body_ += "<path" + attribute("class", class_of(series) + (is_hollow ? " hollow" : " mark")) +
           " transform=\"translate(" + format_pixels(at.x) + " " + format_pixels(at.y) +
           ")\" d=\"" + marker_of(series) + "\"" +
           (title.empty() ? "/>\n" : ">" + title_element(title) + "</path>\n");
}

void SvgWriter::text(Point at, std::string_view content, const TextStyle& style,
                     std::string_view title) {
  const std::string anchor = anchor_word(style.anchor);
  body_ += "<text" + attribute("class", style.css) + attribute("x", at.x) + attribute("y", at.y) +
           attribute("font-size", style.size_px) +
           (anchor.empty() ? "" : attribute("text-anchor", anchor)) +
           (style.is_bold ? attribute("font-weight", "600") : "");
  if (style.is_upright) {
    body_ += " transform=\"rotate(-90 " + format_pixels(at.x) + " " + format_pixels(at.y) + ")\"";
  }
  body_ += ">" + title_element(title) + escape_markup(content) + "</text>\n";
}

std::string SvgWriter::opening(std::string_view extra) const {
  return "<svg" + std::string(extra) + " viewBox=\"0 0 " + format_pixels(width_) + " " +
         format_pixels(height_) + "\"" + attribute("width", width_) + attribute("height", height_) +
         " role=\"img\"" + attribute("aria-label", label_) + ">\n";
}

std::string SvgWriter::embedded() const {
  return opening("") + body_ + "</svg>\n";
}

std::string SvgWriter::standalone() const {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         opening(" xmlns=\"http://www.w3.org/2000/svg\"") + "<style>\n" + standalone_style() +
         "</style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n" + body_ + "</svg>\n";
}

}  // namespace graphnet::report
