// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/program.h"

namespace graphnet::sample {

/// Which names of a forward() have a value at the current statement.
class Scope {
 public:
  enum class State : std::uint8_t { kUnknown, kLive, kReleased };

  /// One name as the scope knows it now.
  struct Entry {
    State state = State::kUnknown;
    graph::VariableId variable = -1;
    std::int32_t released_in = 0;  ///< line of the release, for kReleased
  };

  Entry find(std::string_view name) const;
  /// Gives the name a value; the same name always gets the same id.
  ///
  /// ownership  keeps the view: it must point into the source text
  graph::VariableId assign(std::string_view name);
  void release(graph::VariableId variable, std::int32_t line);

  /// Names by VariableId.
  std::vector<std::string> names() const;

 private:
  std::unordered_map<std::string_view, graph::VariableId> ids_;
  std::vector<std::string_view> names_;
  std::vector<std::int32_t> released_in_;  // 0: live
};

}  // namespace graphnet::sample
