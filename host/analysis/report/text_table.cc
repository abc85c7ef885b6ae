// SPDX-License-Identifier: MIT
#include "report/text_table.h"

#include <algorithm>

#include "report/terminal_text.h"

namespace graphnet::report {

std::vector<std::string> aligned_lines(const std::vector<Cells>& rows, std::size_t num_left) {
  std::vector<int> widths(rows.empty() ? 0 : rows.front().size(), 0);
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::vector<std::string> lines;
  for (const Cells& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto pad = i < num_left ? pad_right : pad_left;
      line += (i > 0 ? "  " : "") + pad(row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string text_table(const std::vector<Cells>& rows, const char* prefix, std::size_t num_left) {
  std::string text;
  for (const std::string& line : aligned_lines(rows, num_left)) text += prefix + line + "\n";
  return text;
}

}  // namespace graphnet::report
