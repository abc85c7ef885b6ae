// SPDX-License-Identifier: MIT
#include "base/suggestion.h"

#include "base/text.h"

namespace graphnet::base {

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates,
                       std::string_view before) {
  const std::string nearest = nearest_word(word, candidates);
  return nearest.empty() ? "" : "did you mean '" + std::string(before) + nearest + "'?";
}

bool add_suggestion(Status& error, std::string_view word,
                    const std::vector<std::string>& candidates, std::string_view before) {
  std::string hint = suggestion(word, candidates, before);
  if (hint.empty()) return false;
  error.add_hint(std::move(hint));
  return true;
}

}  // namespace graphnet::base
