// SPDX-License-Identifier: MIT
#include "worker/rounding.h"

#include <algorithm>

#include "sample/content.h"
#include "worker/sensitivity.h"

namespace graphnet::worker {

using base::Result;
using base::Status;

namespace {

constexpr std::uint32_t kTries = 3;

/// What the host read of pinned arguments decides shapes.
Status move_arguments(const ComparedSample& compared, std::uint32_t seed) {
  const std::vector<bool>& pinned = compared.eager.engine().pinned_arguments();
  for (std::size_t i = 0; i < compared.arguments.size(); ++i) {
    if (!pinned[i]) sample::flip_last_bits(compared.arguments[i], seed);
  }
  return compared.eager.arguments().update_all();
}

void take_farthest(const std::vector<KeptOutput>& eager, const std::vector<KeptOutput>& moved,
                   std::vector<verify::Distance>& farthest) {
  const auto comparison = verify::compare_outputs(views(eager), views(moved));
  for (std::size_t i = 0; i < farthest.size(); ++i) {
    const auto& elements = comparison.outputs[i].elements;
    if (!elements) continue;
    farthest[i].relative_rms = std::max(farthest[i].relative_rms, elements->relative_rms);
    farthest[i].largest = std::max(farthest[i].largest, elements->largest);
  }
}

}  // namespace

Result<std::vector<verify::Distance>> rounding_of(const ComparedSample& compared,
                                                  const std::vector<KeptOutput>& eager) {
  std::vector<verify::Distance> farthest(eager.size());
  for (std::uint32_t seed = 1; seed <= kTries; ++seed) {
    std::vector<KeptOutput> moved;
    Status ran = move_arguments(compared, seed);
    if (ran.is_ok()) ran = run_eager(compared, moved).status();
    GN_RETURN_IF_ERROR(move_arguments(compared, seed));
    GN_RETURN_IF_ERROR(ran);
    take_farthest(eager, moved, farthest);
  }
  return farthest;
}

}  // namespace graphnet::worker
