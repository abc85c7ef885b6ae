// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace graphnet::base {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// Sets what is written; the logger is the only global state. Lines go to standard error.
void set_log_level(LogLevel level);

/// Writes one line "[level] topic: text" to standard error. Thread safe.
void log(LogLevel level, std::string_view topic, std::string_view text);

}  // namespace graphnet::base
