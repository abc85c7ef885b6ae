// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace graphnet::worker {

/// What the steps of a phase took. Each begins where the one before it ended, the first at
/// construction, so that they add up to the phase.
class StepTimes {
 public:
  StepTimes();

  /// Ends a step; two of the same name in a row are one. The name must outlive this object.
  void end(const char* step);

  /// On the clock of measure/clock.h.
  std::int64_t start_ns() const { return start_ns_; }
  /// All steps of a name, in nanoseconds.
  double total_ns(std::string_view step) const;
  /// All steps, in nanoseconds.
  double total_ns() const { return static_cast<double>(last_ns_ - start_ns_); }
  /// [[step, nanoseconds], ...] as they came.
  base::Json json() const;

 private:
  struct Step {
    const char* name;
    std::int64_t duration_ns;
  };
  std::int64_t start_ns_;
  std::int64_t last_ns_;
  std::vector<Step> steps_;
};

}  // namespace graphnet::worker
