// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace graphnet::journal {

/// A record's line with the durations of single calls (`trials_ns`, `warmup_ns`, `waited_ns`) as
/// empty arrays: half of a line or more, which summaries of many records need not parse.
///
/// Works on the text as graphnet writes it; in a line written otherwise some may be left. A key can
/// be found nowhere else: inside a string its second quote would have a backslash before it.
std::string brief_line(std::string_view line);

}  // namespace graphnet::journal
