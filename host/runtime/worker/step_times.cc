// SPDX-License-Identifier: MIT
#include "worker/step_times.h"

#include "measure/clock.h"

namespace graphnet::worker {

StepTimes::StepTimes() : start_ns_(measure::monotonic_raw_ns()), last_ns_(start_ns_) {}

void StepTimes::end(const char* step) {
  const std::int64_t now = measure::monotonic_raw_ns();
  const std::int64_t duration_ns = now - last_ns_;
  last_ns_ = now;
  if (!steps_.empty() && std::string_view(steps_.back().name) == step) {
    steps_.back().duration_ns += duration_ns;
  } else {
    steps_.push_back({step, duration_ns});
  }
}

double StepTimes::total_ns(std::string_view step) const {
  std::int64_t sum = 0;
  for (const Step& one : steps_) sum += one.name == step ? one.duration_ns : 0;
  return static_cast<double>(sum);
}

base::Json StepTimes::json() const {
  base::Json all = base::Json::array();
  for (const Step& step : steps_) all.push_back({step.name, step.duration_ns});
  return all;
}

}  // namespace graphnet::worker
