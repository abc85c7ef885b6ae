// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "record/word.h"

namespace graphnet::record {

/// What a worker does with a sample, in order; the table says what each is.
enum class Phase : std::uint8_t {
  kNone,  ///< before the first
  kLoad,
  kPlan,
  kInputs,
  kEager,
  kCompile,
  kBind,
  kRun,
  kCompare,
  kSecondWeights,  ///< which may change the outcome
  kTime,
  kRobustness,
  kProof,  ///< nothing can be timed after it
  kOther,  ///< a word of a newer version
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
  const char* meaning;  ///< one line, for `graphnet help words`
};

namespace phase_table {

using P = Phase;
using S = Suspect;

inline constexpr PhaseFacts kRows[] = {
    {P::kNone, "", S::kReference, false, false, false, ""},
    {P::kLoad, "load", S::kSample, false, false, false, "reads the sample's files"},
    {P::kPlan, "plan", S::kSample, false, false, false, "estimates memory and cost"},
    {P::kInputs, "inputs", S::kSample, false, false, false, "generates inputs and weights"},
    {P::kEager, "eager", S::kReference, true, false, false,
     "runs the reference and takes its times"},
    {P::kCompile, "compile", S::kPlugin, false, true, false, "opens the plugin and compiles"},
    {P::kBind, "bind", S::kPlugin, false, true, false, "hands the weights to the executable"},
    {P::kRun, "run", S::kPlugin, true, false, false,
     "first and warm-up calls; method upstream: the timed ones too"},
    {P::kCompare, "compare", S::kPlugin, false, false, false, "compares the outputs with eager's"},
    {P::kSecondWeights, "second_weights", S::kPlugin, true, false, false,
     "method paired: calls with other inputs and weights, which the outcome rule decides on too"},
    {P::kTime, "time", S::kPlugin, true, false, false, "method paired: timed calls of both sides"},
    {P::kRobustness, "robustness", S::kPlugin, false, false, true,
     "runs both sides on other inputs"},
    {P::kProof, "proof", S::kPlugin, false, false, true, "finds out who did the work"},
    {P::kOther, "", S::kPlugin, false, false, false, ""},
};
static_assert(is_word_table(kRows), "one row a phase, in their order, with a name of its own");

}  // namespace phase_table

constexpr const auto& table(Phase /*any*/) {
  return phase_table::kRows;
}

/// What phase `inputs` was called; records and configs that say so are still read.
inline constexpr std::string_view kOldInputs = "replay";

/// The word of today for one of any version.
constexpr std::string_view current_word(Phase /*any*/, std::string_view text) {
  return text == kOldInputs ? name_of(Phase::kInputs) : text;
}

/// The names of all phases, in order.
constexpr auto phase_names() {
  std::array<const char*, std::size(phase_table::kRows) - 2> names = {};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = phase_table::kRows[i + 1].name;
  return names;
}

}  // namespace graphnet::record
