// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace graphnet::cli {

/// Rows of equal length as aligned lines: the first column to the left, the others to the right,
/// `prefix` in front of each.
///
/// units    cells of a terminal; the texts must be printable
std::string text_table(const std::vector<std::vector<std::string>>& rows, const char* prefix);

}  // namespace graphnet::cli
