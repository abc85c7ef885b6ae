// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace graphnet::report {

/// The cells of one line of a table.
using Cells = std::vector<std::string>;

/// Rows as aligned lines: the first `num_left` columns to the left, the others to the right, two
/// blanks between columns and none at the end of a line.
///
/// shapes   rows of equal length
/// units    cells of a terminal; the texts must be printable
std::vector<std::string> aligned_lines(const std::vector<Cells>& rows, std::size_t num_left);

/// The same as one text with `prefix` in front of each line.
std::string text_table(const std::vector<Cells>& rows, const char* prefix,
                       std::size_t num_left = 1);

}  // namespace graphnet::report
