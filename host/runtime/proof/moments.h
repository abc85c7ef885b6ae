// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "proof/regions.h"
#include "proof/thread_sampler.h"

namespace graphnet::proof {

/// What a thread was seen at.
struct Moment {
  std::int64_t time_ns = 0;  ///< CLOCK_MONOTONIC_RAW
  int thread = 0;
  std::string what;  ///< a function or a module
};

/// Where the sampler found the threads: the module, or "waiting".
///
/// order    regions by address
std::vector<Moment> moments_of(const std::vector<Sample>& samples,
                               const std::vector<Region>& regions);

/// The first 256 in columns, as numbers into `names` and `threads`: {"names", "threads", "time_ns",
/// "name", "thread"}; times since `start_ns`, names of 80 characters at most.
base::Json moments_json(std::vector<Moment> moments, std::int64_t start_ns);

}  // namespace graphnet::proof
