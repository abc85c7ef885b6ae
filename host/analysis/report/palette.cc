// SPDX-License-Identifier: MIT
#include "report/palette.h"

namespace graphnet::report {

namespace {

struct Theme {
  const char* ink;
  const char* muted;
  const char* grid;
  const char* page;
  const std::array<const char*, 6>& series;
};

constexpr Theme kLight = {"#1b1f24", "#59636e", "#dde1e6", kLightPage, kLightSeries};
constexpr Theme kDark = {"#e6e8eb", "#9aa4af", "#333a43", kDarkPage, kDarkSeries};

// `prefix` restricts the rules to a part of the page; it ends with a blank or is empty.
std::string rules(const Theme& theme, const std::string& prefix) {
  const auto rule = [&](const std::string& selector, const std::string& body) {
    return prefix + selector + "{" + body + "}\n";
  };
  std::string text = rule(".ink", std::string("fill:") + theme.ink) +
                     rule(".muted", std::string("fill:") + theme.muted) +
                     rule(".grid", std::string("stroke:") + theme.grid + ";fill:none") +
                     rule(".axis", std::string("stroke:") + theme.muted + ";fill:none") +
                     rule(".page", std::string("fill:") + theme.page);
  for (std::size_t i = 0; i < theme.series.size(); ++i) {
    const std::string colour = theme.series[i];
    text += rule(".s" + std::to_string(i), "color:" + colour);
  }
  return text;
}

// A series' class is its colour; these say what a shape does with it.
constexpr const char* kShapes =
    "text{stroke:none;font-family:system-ui,'DejaVu Sans',sans-serif}\n"
    ".mark{fill:currentColor;stroke:none}\n"
    ".line{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}\n"
    ".thin{fill:none;stroke:currentColor;stroke-width:1.2}\n"
    ".hollow{fill:none;stroke:currentColor;stroke-width:1.4}\n"
    ".band{fill:currentColor;stroke:none;fill-opacity:.16}\n"
    ".area{fill:currentColor;stroke:currentColor;fill-opacity:.18;stroke-width:1.2}\n"
    ".dots{fill:none;stroke:currentColor;stroke-width:3.4;stroke-linecap:round;"
    "stroke-opacity:.55}\n"
    ".large{stroke-width:7}\n";

}  // namespace

const char* dash_of(std::size_t series) {
  static constexpr const char* kDashes[] = {"", "7 3", "2 3", "9 3 2 3", "4 2"};
  return kDashes[series % 5];
}

const char* marker_of(std::size_t series) {
  static constexpr const char* kMarkers[] = {
      "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z",              // disc
      "M-3.2 -3.2h6.4v6.4h-6.4z",                                   // square
      "M0 -4L4 3.2H-4z",                                            // triangle
      "M0 -4.4L4.4 0L0 4.4L-4.4 0z",                                // diamond
      "M0 4L4 -3.2H-4z",                                            // triangle, point down
      "M-1.3 -4h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7v-2.6h2.7z"  // cross
  };
  return kMarkers[series % 6];
}

std::string class_of(std::size_t series) {
  return "s" + std::to_string(series % kLightSeries.size());
}

std::string standalone_style() {
  return rules(kLight, "") + kShapes;
}

std::string page_chart_style() {
  const std::string dark = rules(kDark, ":root[data-theme=dark] svg ");
  const std::string preferred = rules(kDark, ":root:not([data-theme=light]) svg ");
  return rules(kLight, "svg ") + "@media screen{\n" + dark +
         "}\n@media screen and (prefers-color-scheme:dark){\n" + preferred + "}\n" + kShapes;
}

}  // namespace graphnet::report
