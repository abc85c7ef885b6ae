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
  const char* meaning;  ///< one line, for `graphnet help words`
  /// What whoever wrote the plugin can do; empty: it says what the sample is like, not what the
  /// plugin did. Rules are those of sdk/ABI.md.
  const char* remedy = "";
};

namespace flag_table {

using F = Flag;
using P = ProofEffect;

inline constexpr FlagFacts kRows[] = {
    {F::kNone, "", P::kNone, ""},
    {F::kImplausible, "implausible", P::kUnproven,
     "the plugin is faster than the machine can be for the graph's arithmetic",
     "compute in each call from what its inputs hold now, and keep no results (rule R3)"},
    {F::kDenormal, "denormal", P::kNone,
     "the sample works on subnormal numbers, which a plugin may flush to zero"},
    {F::kSensitive, "sensitive", P::kNone,
     "on the inputs of a timed call the plugin differs from eager in untimed calls too"},
    {F::kLateOutput, "late_output", P::kEmpty, "outputs changed after a timed call had returned",
     "end all work of a call before it returns (rule C6)"},
    {F::kUnwrittenOutput, "unwritten_output", P::kEmpty, "a timed call left its output as it was",
     "write all of each output in each call (rule R2)"},
    {F::kStaleOutput, "stale_output", P::kEmpty, "a timed call gave the results of other inputs",
     "compute in each call from what its inputs hold now, and keep no results (rule R3)"},
    {F::kWrongOutput, "wrong_output", P::kUnproven,
     "a timed call gave other results than eager and than an untimed call",
     "compute in each call from what its inputs hold now; state of earlier calls must not matter "
     "(rule R3)"},
    {F::kMovedOutput, "moved_output", P::kNone,
     "a call changed an output's tensor, such as where its data is",
     "write into the host's buffers, and leave every field of a tensor as it is (rule R2)"},
    {F::kOtherSeed, "other_seed", P::kNone,
     "on the inputs of another seed the plugin gives other results than eager",
     "decide nothing in compile, bind or the first call by what the inputs hold (rule R3)"},
    {F::kUnvaried, "unvaried", P::kNone,
     "neither another seed's inputs nor second weights show that the plugin follows its inputs, "
     "its timed calls had to repeat inputs, or it leaves no memory for second weights"},
    {F::kClockTampered, "clock_tampered", P::kUnproven,
     "the system's clock went faster or slower than the processor's cycle counter",
     "leave the process's clocks alone; if the plugin does, the machine's clock was being set: run "
     "again"},
    {F::kOverThreads, "over_threads", P::kNone,
     "more processor time was used in the timed calls than the threads have",
     "use as many threads as the host gives, on the cores that it binds, and let them sleep "
     "between calls (rule C6)"},
    {F::kHelperProcess, "helper_process", P::kUnproven,
     "processes that the plugin started ran beside the timed calls",
     "do the work in the worker's process, and end what compile has started before it returns "
     "(rule C7)"},
    {F::kSettingsChanged, "settings_changed", P::kUnproven,
     "the plugin changed libtorch's settings",
     "put back threads, oneDNN and the treatment of subnormal numbers before a call returns"},
    {F::kEagerSlowed, "eager_slowed", P::kNone,
     "eager is slower in the process where the plugin was loaded",
     "let nothing of the plugin run between its calls: no timer, no signal, no thread that spins. "
     "Compile on a heap of its own (graphnet/own_heap.h), so that eager's malloc stays fast"},
    {F::kUntimedWork, "untimed_work", P::kUnproven,
     "the host's steps around timed calls take longer than before the plugin was loaded",
     "compute within the call, not where the host writes inputs, reads outputs or reads a clock"},
    {F::kTunedToWeights, "tuned_to_weights", P::kNone, "the speedup is lost on second weights",
     "decide nothing in bind by what the weights hold; what needs them while it compiles belongs "
     "to weights mode frozen"},
    {F::kOther, "", P::kNone, ""},
};
static_assert(is_word_table(kRows), "one row a flag, in their order, with a name of its own");

}  // namespace flag_table

constexpr const auto& table(Flag /*any*/) {
  return flag_table::kRows;
}

}  // namespace graphnet::record
