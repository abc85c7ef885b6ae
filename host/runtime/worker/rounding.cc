// SPDX-License-Identifier: MIT
#include "worker/rounding.h"

#include <algorithm>

#include "sample/content.h"
#include "worker/sensitivity.h"

namespace graphnet::worker {

using base::Result;
using base::Status;

namespace {

// Few of the tries with one unit find a jump that a plugin's roundings make once in a while, so the
// others move inputs as far as all roundings together may move results.
constexpr std::uint32_t kOneUnitTries = 3;
constexpr std::uint32_t kAllRoundingsTries = 5;
constexpr unsigned kAllRoundingsBit = 4;
static_assert(1U << kAllRoundingsBit == static_cast<unsigned>(verify::kRoundings));

/// What the host read of pinned arguments decides shapes. More than one unit is much in a half.
Status move_arguments(const ComparedSample& compared, std::uint32_t seed, unsigned bit) {
  const std::vector<bool>& pinned = compared.eager.engine().pinned_arguments();
  for (std::size_t i = 0; i < compared.arguments.size(); ++i) {
    sample::Argument& argument = compared.arguments[i];
    const bool is_half = base::dtype_bytes(argument.dtype) == 2;
    if (!pinned[i] && (bit == 0 || !is_half)) sample::flip_bits(argument, seed, bit);
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

/// The farthest that inputs which are off by 2^bit units move each output.
Result<std::vector<verify::Distance>> farthest_of(const ComparedSample& compared,
                                                  const std::vector<KeptOutput>& eager,
                                                  unsigned bit, std::uint32_t tries) {
  std::vector<verify::Distance> farthest(eager.size());
  for (std::uint32_t seed = 1; seed <= tries; ++seed) {
    std::vector<KeptOutput> moved;
    Status ran = move_arguments(compared, seed, bit);
    if (ran.is_ok()) ran = run_eager(compared, moved).status();
    GN_RETURN_IF_ERROR(move_arguments(compared, seed, bit));
    GN_RETURN_IF_ERROR(ran);
    take_farthest(eager, moved, farthest);
  }
  return farthest;
}

}  // namespace

Result<std::vector<verify::Movement>> rounding_of(const ComparedSample& compared,
                                                  const std::vector<KeptOutput>& eager) {
  GN_ASSIGN_OR_RETURN(const std::vector<verify::Distance> one_unit,
                      farthest_of(compared, eager, 0, kOneUnitTries));
  GN_ASSIGN_OR_RETURN(const std::vector<verify::Distance> all_roundings,
                      farthest_of(compared, eager, kAllRoundingsBit, kAllRoundingsTries));
  std::vector<verify::Movement> movements;
  for (std::size_t i = 0; i < eager.size(); ++i) {
    movements.push_back({one_unit[i], all_roundings[i]});
  }
  return movements;
}

}  // namespace graphnet::worker
