// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "config/duration.h"

namespace graphnet::cli {

inline constexpr int kMaxCalls = 1000000;
inline constexpr int kMaxThreads = 4096;

/// A count given to a flag; nothing if the flag is not given, 0 for `other_word`.
///
/// errors   kUsage: no integer from min to max
base::Result<std::optional<int>> read_count(const char* flag,
                                            const std::optional<std::string>& text, int min,
                                            int max, const char* other_word = nullptr);

/// A number given to a flag; nothing if the flag is not given.
///
/// errors   kUsage: no finite number
base::Result<std::optional<double>> read_number(const char* flag,
                                                const std::optional<std::string>& text);

/// A duration given to a flag, seconds if it has no unit; nothing if the flag is not given.
///
/// errors   kUsage
base::Result<std::optional<config::TimeLimit>> read_time_limit(
    const char* flag, const std::optional<std::string>& text);

}  // namespace graphnet::cli
