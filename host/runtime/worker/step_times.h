// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace graphnet::worker {

/// What the steps of a phase took. Each begins where the one before it ended, the first at
/// construction, so that they add up to the phase. Steps are named by ScopedStep.
class StepTimes {
 public:
  StepTimes();

  /// On the clock of measure/clock.h.
  std::int64_t start_ns() const { return start_ns_; }
  /// All steps of a name, in nanoseconds.
  double total_ns(std::string_view step) const;
  /// All steps, in nanoseconds.
  double total_ns() const { return static_cast<double>(last_ns_ - start_ns_); }
  /// [[step, nanoseconds], ...] as they came.
  base::Json json() const;

 private:
  friend class ScopedStep;
  void end(const char* step);

  struct Step {
    const char* name;
    std::int64_t duration_ns;
  };
  std::int64_t start_ns_;
  std::int64_t last_ns_;
  std::vector<Step> steps_;
};

/// Ends a step where it leaves its scope; two steps of the same name in a row are one. Code between
/// two scopes counts to the second.
///
/// order    scopes follow one another: an inner one would take the time of the outer one before it
class [[nodiscard]] ScopedStep {
 public:
  /// `times` is borrowed; the name must outlive it.
  ScopedStep(StepTimes& times, const char* step) : times_(times), step_(step) {}
  ~ScopedStep() { times_.end(step_); }
  ScopedStep(const ScopedStep&) = delete;
  ScopedStep& operator=(const ScopedStep&) = delete;

 private:
  StepTimes& times_;
  const char* step_;
};

}  // namespace graphnet::worker
