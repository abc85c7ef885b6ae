// SPDX-License-Identifier: MIT
#include "sample/scope.h"

namespace graphnet::sample {

Scope::Entry Scope::find(std::string_view name) const {
  const auto found = ids_.find(name);
  if (found == ids_.end()) return {};
  const std::int32_t line = released_in_[static_cast<std::size_t>(found->second)];
  return {line == 0 ? State::kLive : State::kReleased, found->second, line};
}

graph::VariableId Scope::assign(std::string_view name) {
  const auto next = static_cast<graph::VariableId>(names_.size());
  const auto [entry, is_new] = ids_.emplace(name, next);
  if (is_new) {
    names_.push_back(name);
    released_in_.push_back(0);
  }
  released_in_[static_cast<std::size_t>(entry->second)] = 0;
  return entry->second;
}

void Scope::release(graph::VariableId variable, std::int32_t line) {
  released_in_[static_cast<std::size_t>(variable)] = line;
}

std::vector<std::string> Scope::names() const {
  return {names_.begin(), names_.end()};
}

}  // namespace graphnet::sample
