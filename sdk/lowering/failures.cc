// SPDX-License-Identifier: MIT
#include "lowering/failures.h"

#include <map>
#include <utility>

namespace graphnet::lowering {

std::string describe_failures(const std::vector<Failure>& failures) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> locations;
  for (const Failure& failure : failures) {
    locations[{failure.op, failure.reason}].push_back(failure.where);
  }
  std::string text = std::to_string(failures.size()) + (failures.size() == 1 ? " node" : " nodes");
  const char* separator = ": ";
  for (const auto& [what, where] : locations) {
    text += separator + what.first;
    if (where.size() > 1) text += " (" + std::to_string(where.size()) + " times)";
    if (!where.front().empty()) text += " at " + where.front();
    text += ": " + what.second;
    separator = "; ";
  }
  return text;
}

}  // namespace graphnet::lowering
