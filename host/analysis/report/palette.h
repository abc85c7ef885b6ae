// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace graphnet::report {

/// Colours of series on a white and on a dark page. No meaning rests on colour alone: each series
/// has a dash and a marker too (`dash_of`, `marker_of`).
///
/// Each has a contrast of 3 or more with its page, and any two differ by 20 or more (CIE 1976, in
/// CIELAB) for readers with normal sight, protanopia and deuteranopia; a unit test computes both.
///
/// source   WCAG 2.1 criterion 1.4.11 for the contrast
inline constexpr std::array<const char*, 6> kLightSeries = {"#1f6fd0", "#8a3a00", "#0f9d78",
                                                            "#6b2b86", "#d68100", "#303030"};
inline constexpr std::array<const char*, 6> kDarkSeries = {"#4a9df5", "#c97a2b", "#1d9a86",
                                                           "#d9b3f5", "#f0d43a", "#f2f2f2"};
inline constexpr const char* kLightPage = "#ffffff";
inline constexpr const char* kDarkPage = "#16181d";

/// SVG stroke-dasharray of a series; empty: solid. Colours repeat after 6, dashes after 5, so 30
/// series look different.
const char* dash_of(std::size_t series);

/// Outline of the marker of a series, as SVG path data around (0, 0), 4 pixels wide on each side.
const char* marker_of(std::size_t series);

/// CSS class of a series: "s0" to "s5".
std::string class_of(std::size_t series);

/// Style sheet of a chart that stands alone: literal colours, light page.
std::string standalone_style();

/// Style sheet for charts inside a page; dark colours follow the attribute `data-theme="dark"` of
/// the root element, or the system's preference without one, and never reach paper.
std::string page_chart_style();

}  // namespace graphnet::report
