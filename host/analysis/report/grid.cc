// SPDX-License-Identifier: MIT
#include "report/grid.h"

#include <algorithm>
#include <cstdio>

#include "report/terminal_text.h"

namespace graphnet::report {

namespace {

using base::Json;

std::string shown(const Json& cell) {
  if (cell.is_null()) return "-";
  if (cell.is_string()) return printable(cell.get<std::string>());
  if (!cell.is_number_float()) return base::dump_json(cell);
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", cell.get<double>());
  return text;
}

std::string csv_field(const Json& cell) {
  if (cell.is_null()) return "";
  const std::string text = base::text_of(cell);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char byte : text) quoted += byte == '"' ? std::string("\"\"") : std::string(1, byte);
  return quoted + "\"";
}

std::string cut_line(std::string line, int width) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return (width > 0 ? cut_to_width(line, width) : line) + "\n";
}

}  // namespace

std::string grid_text(const Grid& grid, int width) {
  constexpr const char* kGap = "  ";
  std::vector<int> widths;
  for (std::size_t column = 0; column < grid.columns.size(); ++column) {
    int widest = display_width(printable(grid.columns[column]));
    for (const auto& row : grid.rows) widest = std::max(widest, display_width(shown(row[column])));
    widths.push_back(widest);
  }
  std::string line;
  for (std::size_t column = 0; column < widths.size(); ++column) {
    line += pad_right(printable(grid.columns[column]), widths[column]) + kGap;
  }
  std::string text = cut_line(line, width);
  for (const auto& row : grid.rows) {
    line.clear();
    for (std::size_t column = 0; column < widths.size(); ++column) {
      const auto pad = row[column].is_number() ? pad_left : pad_right;
      line += pad(shown(row[column]), widths[column]) + kGap;
    }
    text += cut_line(line, width);
  }
  return text;
}

std::string grid_csv(const Grid& grid) {
  std::string text;
  for (std::size_t column = 0; column < grid.columns.size(); ++column) {
    text += (column > 0 ? "," : "") + csv_field(grid.columns[column]);
  }
  text += "\n";
  for (const auto& row : grid.rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      text += (column > 0 ? "," : "") + csv_field(row[column]);
    }
    text += "\n";
  }
  return text;
}

Json grid_json(const Grid& grid) {
  return {{"schema", "graphnet.report/1"}, {"columns", grid.columns}, {"rows", grid.rows}};
}

}  // namespace graphnet::report
