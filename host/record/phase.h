// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <iterator>

#include "record/word.h"

namespace graphnet::record {

/// What a worker does with a sample, in order.
enum class Phase : std::uint8_t {
  kNone,     ///< before the first
  kLoad,     ///< reads the sample's files
  kPlan,     ///< estimates memory and cost
  kReplay,   ///< makes the inputs
  kEager,    ///< runs the reference and takes its times
  kCompile,  ///< opens the plugin and compiles
  kBind,     ///< hands it the weights
  kRun,      ///< first and warm-up calls; method `upstream`: the timed ones too
  kCompare,  ///< compares outputs
  /// Method `paired`: other inputs and weights, which may change the outcome (does the plugin
  /// follow them?), a few timed calls on these weights, and the first ones once more.
  kSecondWeights,
  kTime,        ///< method `paired`: timed calls of both sides
  kRobustness,  ///< other inputs
  kProof,       ///< who did the work; nothing can be timed after it
  kOther,       ///< a word of a newer version
};

/// Whose work it is: who is suspected if the worker ends there.
enum class Suspect : std::uint8_t { kSample, kReference, kPlugin };

struct PhaseFacts {
  Phase value;
  const char* name;  ///< as stored, in configs and in messages
  Suspect suspect;
  bool takes_times;  ///< times that are part of a result: nothing else may run meanwhile
  bool compiles;     ///< a failure here is one of compiling
  /// Outcome and times are settled: an end here is a note (supervise/classify.h).
  bool is_settled;
};

namespace phase_table {

using P = Phase;
using S = Suspect;

inline constexpr PhaseFacts kRows[] = {
    {P::kNone, "", S::kReference, false, false, false},
    {P::kLoad, "load", S::kSample, false, false, false},
    {P::kPlan, "plan", S::kSample, false, false, false},
    {P::kReplay, "replay", S::kSample, false, false, false},
    {P::kEager, "eager", S::kReference, true, false, false},
    {P::kCompile, "compile", S::kPlugin, false, true, false},
    {P::kBind, "bind", S::kPlugin, false, true, false},
    {P::kRun, "run", S::kPlugin, true, false, false},
    {P::kCompare, "compare", S::kPlugin, false, false, false},
    {P::kSecondWeights, "second_weights", S::kPlugin, true, false, false},
    {P::kTime, "time", S::kPlugin, true, false, false},
    {P::kRobustness, "robustness", S::kPlugin, false, false, true},
    {P::kProof, "proof", S::kPlugin, false, false, true},
    {P::kOther, "", S::kPlugin, false, false, false},
};
static_assert(is_word_table(kRows), "one row a phase, in their order, with a name of its own");

}  // namespace phase_table

constexpr const auto& table(Phase /*any*/) {
  return phase_table::kRows;
}

/// The names of all phases, in order.
constexpr auto phase_names() {
  std::array<const char*, std::size(phase_table::kRows) - 2> names = {};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = phase_table::kRows[i + 1].name;
  return names;
}

}  // namespace graphnet::record
