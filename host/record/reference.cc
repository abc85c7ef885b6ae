// SPDX-License-Identifier: MIT
#include "record/reference.h"

#include <algorithm>

namespace graphnet::record {

std::optional<int> ReferenceSide::levels_passed() const {
  const auto levels = correctness.find("all_close");
  if (levels == correctness.end() || !levels->is_array()) return std::nullopt;
  std::optional<int> fewest;
  for (const base::Json& digits : *levels) {
    if (!digits.is_string()) continue;
    const auto text = digits.get<std::string>();
    const int passed = static_cast<int>(std::count(text.begin(), text.end(), '1'));
    fewest = std::min(fewest.value_or(passed), passed);
  }
  return fewest;
}

}  // namespace graphnet::record
