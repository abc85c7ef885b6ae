// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "worker/correctness.h"
#include "worker/dense_copy.h"

namespace graphnet::worker {

/// Seed of the inputs that are compared with the sample's own. The robustness columns use other
/// seeds.
inline constexpr std::uint32_t kOtherInputsSeed = 126;

/// Puts the inputs of another seed in place, calls `body`, and puts the sample's own back. False
/// without a call if no byte would differ.
///
/// errors   of the content, of the device and of `body`
base::Result<bool> on_other_inputs(const ComparedSample& compared,
                                   const std::function<base::Status()>& body,
                                   std::uint32_t seed = kOtherInputsSeed);

/// One call on what the arguments hold, the plugin's into poisoned outputs. Gives the call's time,
/// by the clock of the pairs and without waits for a core; on a device without what eager still
/// does there.
///
/// units    nanoseconds
base::Result<double> run_eager(const ComparedSample& compared, std::vector<KeptOutput>& outputs);
base::Result<double> run_plugin(const ComparedSample& compared, std::vector<KeptOutput>& outputs);

/// Outputs on the sample's own inputs and on the others; the plugin's may be missing.
struct OutputsOnTwo {
  const std::vector<KeptOutput>& eager_before;
  const std::vector<KeptOutput>& eager_after;
  const std::vector<KeptOutput>& plugin_before;
  const std::vector<KeptOutput>& plugin_after;
};

/// What outputs on two inputs show.
struct Sensitivity {
  /// An output of eager's changes by ten times the tolerance at least (verify/staleness.h).
  bool is_sensitive = false;
  /// The plugin's follows that change in one of those, and no output of it does not.
  bool is_followed = false;
  std::string stale;  ///< one sentence about a plugin's output that does not follow; empty: none
  /// That output hardly changes: it is not one that changes otherwise than eager's.
  bool stays = false;
  /// {"seed", "best", "worst": relative change of eager's outputs, "sensitive", "outputs":
  /// [{"eager", "unfollowed", "following": "follows", "stale" or "unvaried"}]}; the last two only
  /// with the plugin's outputs.
  base::Json json;
};

Sensitivity sensitivity_of(const std::vector<KeptOutput>& before,
                           const std::vector<KeptOutput>& after);
/// The plugin's first outputs have been accepted.
Sensitivity sensitivity_of(const OutputsOnTwo& outputs);

}  // namespace graphnet::worker
