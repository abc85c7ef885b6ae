// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace graphnet::tests {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Whether a message names what it is about (file and line, the wrong word, a suggestion, a
/// number); all other words of it are free.
///
/// order    parts are searched one behind the other
inline testing::AssertionResult mentions(std::string_view text,
                                         const std::vector<std::string_view>& parts) {
  std::size_t position = 0;
  for (const std::string_view part : parts) {
    const std::size_t found = text.find(part, position);
    if (found == std::string_view::npos) {
      return testing::AssertionFailure() << "'" << part << "' is missing in: " << text;
    }
    position = found + part.size();
  }
  return testing::AssertionSuccess();
}

}  // namespace graphnet::tests
