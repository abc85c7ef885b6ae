// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace graphnet::base {

/// Content of a file below /proc or /sys; "" if it cannot be read, or if the process that it is of
/// ends meanwhile. These say size 0, so read_file() cannot read them.
std::string read_kernel_file(const std::string& path);

/// The same without the final newline.
std::string read_kernel_line(const std::string& path);

}  // namespace graphnet::base
