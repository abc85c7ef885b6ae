// SPDX-License-Identifier: MIT
#include "cli/text_table.h"

#include <algorithm>

#include "report/terminal_text.h"

namespace graphnet::cli {

std::string text_table(const std::vector<std::vector<std::string>>& rows, const char* prefix) {
  std::vector<int> widths(rows.empty() ? 0 : rows[0].size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], report::display_width(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = prefix + report::pad_right(row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) {
      line += "  " + report::pad_left(row[i], widths[i]);
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace graphnet::cli
