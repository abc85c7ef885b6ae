// SPDX-License-Identifier: MIT
#include "score/shared_samples.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace graphnet::score {

std::set<std::string> common_samples(const std::vector<std::set<std::string>>& samples) {
  if (samples.empty()) return {};
  std::set<std::string> common = samples.front();
  for (const std::set<std::string>& others : samples) {
    std::set<std::string> both;
    std::set_intersection(common.begin(), common.end(), others.begin(), others.end(),
                          std::inserter(both, both.end()));
    common = std::move(both);
  }
  return common;
}

}  // namespace graphnet::score
