// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/status.h"

namespace graphnet::cli {

/// The one form of an error:
///
///   graphnet: error: <what>
///     at:  <where or why>
///     try: <what to do>
///
/// A message of several lines (a quoted source line with a caret) keeps them. Control characters of
/// names from outside are removed.
std::string format_error(const base::Status& status, bool color);

/// A hint with `graphnet`, where a command begins with it, as the user calls it: the launcher of a
/// source tree names itself in GRAPHNET_COMMAND.
std::string as_typed(const std::string& hint);

/// Writes format_error() to standard error; colours only where a terminal wants them.
void print_error(const base::Status& status, bool color);

}  // namespace graphnet::cli
