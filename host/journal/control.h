// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"

namespace graphnet::journal {

inline constexpr const char* kControlSchema = "graphnet.control/1";

/// What the ruler itself is worth at some moment of a run: eager timed against itself on a fixed
/// small graph, several times, under the run's protocol and threads. Whatever differs from 1 there
/// is error, so a speedup that differs from 1 by less shows nothing.
struct Control {
  std::string run_id;
  std::string time_utc;  ///< ISO 8601, seconds
  int threads = 0;
  int experiments = 0;
  double noise_floor = 0;  ///< largest |ratio - 1| of the experiments
  double bias = 0;         ///< mean of ratio - 1
  double coverage = 0;     ///< share of the intervals that hold 1
  /// {"speedup", "speedup_low", "speedup_high", "pairs"} of each experiment.
  base::Json results = base::Json::array();
};

base::Json to_json(const Control& control);
/// True if a journal's line holds a control of any version, and no record.
bool is_control(const base::Json& line);
/// errors   kInput for a newer schema or a mistyped key
base::Result<Control> control_from_json(const base::Json& json);

}  // namespace graphnet::journal
