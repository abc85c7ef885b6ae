// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace graphnet::artifact {

/// SHA-256 in lower-case hexadecimal.
std::string sha256_hex(std::string_view bytes);

/// The same of a file's bytes; nothing if it cannot be read.
std::optional<std::string> sha256_of_file(const std::string& file);

/// SHA-256 of the processor's features. Machine code for one set of features may not run on
/// another.
///
/// source   "flags" of the first processor in /proc/cpuinfo
std::string processor_digest();

}  // namespace graphnet::artifact
