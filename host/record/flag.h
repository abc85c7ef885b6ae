// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "record/word.h"

namespace graphnet::record {

/// What makes a result doubtful. A flagged speedup enters no average, whatever the flag.
enum class Flag : std::uint8_t {
  kNone,
  kImplausible,
  kDenormal,
  kSensitive,
  kLateOutput,
  kUnwrittenOutput,
  kStaleOutput,
  kWrongOutput,
  kMovedOutput,
  kOtherSeed,
  kUnvaried,
  kClockTampered,
  kOverThreads,
  kHelperProcess,
  kSettingsChanged,
  kEagerSlowed,
  kUntimedWork,
  kTunedToWeights,
  kOther,  ///< a word of a newer version
};

/// What a flag takes from the proof of execution (proof/verdict.h).
enum class ProofEffect : std::uint8_t {
  kNone,      ///< nothing: who did the work is another question
  kUnproven,  ///< `proven` becomes `unknown(flag)`
  kEmpty,     ///< the timed calls did not compute what they gave: `empty`
};

struct FlagFacts {
  Flag value;
  const char* name;  ///< as stored
  ProofEffect proof;
  bool blames_plugin;   ///< says what the plugin did, not what the sample or the machine is like
  const char* meaning;  ///< one line, for `graphnet help words`
};

namespace flag_table {

using F = Flag;
using P = ProofEffect;

inline constexpr FlagFacts kRows[] = {
    {F::kNone, "", P::kNone, false, ""},
    {F::kImplausible, "implausible", P::kUnproven, true,
     "the plugin is faster than the machine can be for the graph's arithmetic"},
    {F::kDenormal, "denormal", P::kNone, false,
     "the sample works on subnormal numbers, which a plugin may flush to zero"},
    {F::kSensitive, "sensitive", P::kNone, false,
     "on the inputs of a timed call the plugin differs from eager in untimed calls too"},
    {F::kLateOutput, "late_output", P::kEmpty, true,
     "outputs changed after a timed call had returned"},
    {F::kUnwrittenOutput, "unwritten_output", P::kEmpty, true,
     "a timed call left its output as it was"},
    {F::kStaleOutput, "stale_output", P::kEmpty, true,
     "a timed call gave the results of other inputs"},
    {F::kWrongOutput, "wrong_output", P::kUnproven, true,
     "a timed call gave other results than eager and than an untimed call"},
    {F::kMovedOutput, "moved_output", P::kNone, true,
     "a call changed an output's tensor, such as where its data is"},
    {F::kOtherSeed, "other_seed", P::kNone, true,
     "on the inputs of another seed the plugin gives other results than eager"},
    {F::kUnvaried, "unvaried", P::kNone, false,
     "neither another seed's inputs nor second weights show that the plugin follows its inputs, or "
     "its timed calls had to repeat inputs"},
    {F::kClockTampered, "clock_tampered", P::kUnproven, true,
     "the system's clock went faster or slower than the processor's cycle counter"},
    {F::kOverThreads, "over_threads", P::kNone, true,
     "more processor time was used in the timed calls than the threads have"},
    {F::kHelperProcess, "helper_process", P::kUnproven, true,
     "processes that the plugin started ran beside the timed calls"},
    {F::kSettingsChanged, "settings_changed", P::kUnproven, true,
     "the plugin changed libtorch's settings"},
    {F::kEagerSlowed, "eager_slowed", P::kNone, false,
     "eager is slower in the process where the plugin was loaded"},
    {F::kUntimedWork, "untimed_work", P::kUnproven, true,
     "the host's steps around timed calls take longer than before the plugin was loaded"},
    {F::kTunedToWeights, "tuned_to_weights", P::kNone, true,
     "the speedup is lost on second weights"},
    {F::kOther, "", P::kNone, false, ""},
};
static_assert(is_word_table(kRows), "one row a flag, in their order, with a name of its own");

}  // namespace flag_table

constexpr const auto& table(Flag /*any*/) {
  return flag_table::kRows;
}

}  // namespace graphnet::record
