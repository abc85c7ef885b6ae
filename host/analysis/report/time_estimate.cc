// SPDX-License-Identifier: MIT
#include "report/time_estimate.h"

#include <algorithm>

namespace graphnet::report {

void TimeEstimate::plan(const std::string& backend, double cost) {
  planned_[backend] += cost;
}

void TimeEstimate::done(const std::string& backend, double cost, double seconds) {
  double& left = planned_[backend];
  left = std::max(0.0, left - cost);
  if (seconds >= 0) learn(backend, cost, seconds);
}

void TimeEstimate::learn(const std::string& backend, double cost, double seconds) {
  for (Taken* taken : {&taken_[backend], &all_}) {
    taken->cost += cost;
    taken->seconds += seconds;
  }
}

double TimeEstimate::left() const {
  double sum = 0;
  for (const auto& [backend, cost] : planned_) {
    const auto found = taken_.find(backend);
    const Taken& taken = found != taken_.end() && found->second.cost > 0 ? found->second : all_;
    if (taken.cost > 0) sum += cost * taken.seconds / taken.cost;
  }
  return sum;
}

}  // namespace graphnet::report
