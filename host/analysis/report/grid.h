// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace graphnet::report {

/// Rows under named columns; a cell is null, a number or a string.
struct Grid {
  std::vector<std::string> columns;
  std::vector<std::vector<base::Json>> rows;
};

/// Columns padded to their widest cell, numbers to the right and with six digits, null as "-".
///
/// units    width in terminal cells; 0: nothing is cut
std::string grid_text(const Grid& grid, int width);

/// Comma-separated values with a header; numbers in full, null as empty field.
///
/// source   RFC 4180, with "\n" as line end
std::string grid_csv(const Grid& grid);

/// {"schema": "graphnet.report/1", "columns": [...], "rows": [[...], ...]}
base::Json grid_json(const Grid& grid);

}  // namespace graphnet::report
