// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphnet::base {

/// The candidate with the smallest edit distance to `word`, or "" if none is near enough (more
/// than a third of the letters differ).
///
/// source   Damerau-Levenshtein distance, optimal string alignment
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

/// Joins with a separator.
std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// The parts between separators, empty ones included; one for a text without any.
std::vector<std::string> split(std::string_view text, char separator);

/// A shape or position as Python writes a list of integers: "[2, 3]".
std::string shape_text(const std::vector<std::int64_t>& shape);

/// Joins words to a command line that a POSIX shell splits into the same words.
std::string shell_command(const std::vector<std::string>& words);

/// Bytes in lower-case hexadecimal, two digits each.
std::string hexadecimal(std::string_view bytes);

/// A byte count for people: "212 B", "21.3 MiB".
std::string format_bytes(unsigned long long num_bytes);

/// A duration for people, three significant digits: "5.02 us", "1.84 ms", "21.3 s".
///
/// units    nanoseconds
std::string format_duration(double nanoseconds);

/// "1 sample", "3 samples".
std::string counted(std::size_t count, std::string_view noun);

/// A number as Python's repr() and json.dumps() write it: the shortest digits that read back as the
/// same double, an exponent below 1e-4 and from 1e16 on, "0.0", "nan", "inf".
std::string python_float(double value);

}  // namespace graphnet::base
