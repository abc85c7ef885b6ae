// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace graphnet::measure {

/// Content of a file below /proc or /sys; "" if it cannot be read. These say size 0, so
/// base::read_file cannot read them.
std::string read_kernel_file(const std::string& path);

/// The same without the final newline.
std::string read_kernel_line(const std::string& path);

}  // namespace graphnet::measure
