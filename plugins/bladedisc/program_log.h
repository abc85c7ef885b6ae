// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace graphnet::bladedisc {

/// What a program of BladeDISC's printed: the end of a file, the beginning left out if that is
/// long. Empty if there is no such file.
std::string read_log(const std::string& file);

/// The last line that says "error", else the last that says anything.
std::string telling_line(const std::string& log);

/// The lines in which DISC says how long its stages took, and others with its mark.
std::string marked_lines(const std::string& log);

}  // namespace graphnet::bladedisc
