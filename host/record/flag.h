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
  kClockTampered,
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
  const char* meaning;  ///< one line for readers
};

namespace flag_table {

using F = Flag;
using P = ProofEffect;

inline constexpr FlagFacts kRows[] = {
    {F::kNone, "", P::kNone, ""},
    {F::kImplausible, "implausible", P::kUnproven,
     "the plugin is faster than the machine can be for the graph's arithmetic"},
    {F::kDenormal, "denormal", P::kNone,
     "the sample works on subnormal numbers, which a plugin may flush to zero"},
    {F::kSensitive, "sensitive", P::kNone,
     "on other inputs the plugin differs from eager in untimed calls too"},
    {F::kLateOutput, "late_output", P::kEmpty, "outputs changed after a timed call had returned"},
    {F::kUnwrittenOutput, "unwritten_output", P::kEmpty, "a timed call left its output as it was"},
    {F::kStaleOutput, "stale_output", P::kEmpty, "a timed call gave the results of other inputs"},
    {F::kWrongOutput, "wrong_output", P::kUnproven,
     "a timed call gave other results than eager and than an untimed call"},
    {F::kClockTampered, "clock_tampered", P::kUnproven,
     "durations are shorter by the system's clock than by the cycle counter"},
    {F::kOther, "", P::kNone, ""},
};
static_assert(is_word_table(kRows), "one row a flag, in their order, with a name of its own");

}  // namespace flag_table

constexpr const auto& table(Flag /*any*/) {
  return flag_table::kRows;
}

}  // namespace graphnet::record
