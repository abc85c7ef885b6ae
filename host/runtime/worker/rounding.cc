// SPDX-License-Identifier: MIT
#include "worker/rounding.h"

#include <algorithm>

#include "sample/content.h"
#include "worker/sensitivity.h"

namespace graphnet::worker {

using base::Result;
using base::Status;

namespace {

/// Floats are moved by 2^bit units; `weight` makes what that moves comparable with one unit.
struct Tries {
  unsigned bit;
  int count;
  double weight;
};

// A sample that compares its values, as masked attention does, jumps where rounding moves one of
// them past another. That happens to a plugin once in a while, and to eager in few of the first
// tries, so the others move inputs as far as all roundings together may move results. Jumps of two
// runs are hardly ever the same ones: a plugin's may be twice as far.
constexpr unsigned kWideBit = 4;
static_assert(1U << kWideBit == static_cast<unsigned>(verify::kRoundings));
constexpr Tries kTries[] = {{0, 3, 1}, {kWideBit, 5, 2 / verify::kRoundings}};

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
                   double weight, std::vector<verify::Distance>& farthest) {
  const auto comparison = verify::compare_outputs(views(eager), views(moved));
  for (std::size_t i = 0; i < farthest.size(); ++i) {
    const auto& elements = comparison.outputs[i].elements;
    if (!elements) continue;
    farthest[i].relative_rms = std::max(farthest[i].relative_rms, elements->relative_rms * weight);
    farthest[i].largest = std::max(farthest[i].largest, elements->largest * weight);
  }
}

}  // namespace

Result<std::vector<verify::Distance>> rounding_of(const ComparedSample& compared,
                                                  const std::vector<KeptOutput>& eager) {
  std::vector<verify::Distance> farthest(eager.size());
  std::uint32_t seed = 0;
  for (const Tries& tries : kTries) {
    for (int i = 0; i < tries.count; ++i) {
      ++seed;
      std::vector<KeptOutput> moved;
      Status ran = move_arguments(compared, seed, tries.bit);
      if (ran.is_ok()) ran = run_eager(compared, moved).status();
      GN_RETURN_IF_ERROR(move_arguments(compared, seed, tries.bit));
      GN_RETURN_IF_ERROR(ran);
      take_farthest(eager, moved, tries.weight, farthest);
    }
  }
  return farthest;
}

}  // namespace graphnet::worker
