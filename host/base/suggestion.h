// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace graphnet::base {

/// "did you mean 'x'?" with the candidate that is nearest to a word (nearest_word), or "" if none
/// is near. `before` stands in front of it: the folder of a file name.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates,
                       std::string_view before = "");

/// Adds it as a hint, if a candidate is near; true if so.
bool add_suggestion(Status& error, std::string_view word,
                    const std::vector<std::string>& candidates, std::string_view before = "");

}  // namespace graphnet::base
