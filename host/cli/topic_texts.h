// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace graphnet::cli {

struct TopicText {
  const char* name;
  const char* text;  ///< topics/<name>.md
};

/// The files of topics/ that CMakeLists.txt lists, as they were when the program was built.
extern const TopicText kTopicTexts[];
extern const std::size_t kNumTopicTexts;

}  // namespace graphnet::cli
