// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "record/word.h"

namespace graphnet::record {

/// Why a result enters no average, where no outcome, flag or verdict says it. Made by reports and
/// scores, never stored.
enum class LeftOut : std::uint8_t {
  kNone,
  kDegenerate,
  kNoisy,
  kNotUsable,
  kNoOutcome,
  kNoSpeedup,
  kNotInEveryColumn,
  // Of upstream's logs.
  kNotBegun,
  kCutOff,
  kMixedUp,
  kGarbled,
  kOther,
};

struct LeftOutFacts {
  LeftOut value;
  const char* name;     ///< as shown, and as `--keep` takes it
  const char* meaning;  ///< one line, for `graphnet help words`
};

namespace left_out_table {

using L = LeftOut;

inline constexpr LeftOutFacts kRows[] = {
    {L::kNone, "", ""},
    {L::kDegenerate, "degenerate",
     "no output can show an error: each is constant, subnormal, NaN or ill-conditioned"},
    {L::kNoisy, "noisy",
     "method upstream: the quartiles of a side are more than a fifth of its median apart"},
    {L::kNotUsable, "not usable", "the plugin was refused before any of its code ran"},
    {L::kNoOutcome, "no outcome", "the record has no outcome"},
    {L::kNoSpeedup, "no speedup", "both sides ran, but no speedup was recorded"},
    {L::kNotInEveryColumn, "not in every column",
     "with --common: another column does not count the sample"},
    {L::kNotBegun, "not begun", "upstream's log announces the sample, but does not begin it"},
    {L::kCutOff, "cut off", "upstream's log ends within the sample"},
    {L::kMixedUp, "mixed up",
     "upstream's log has a line of the sample twice: logs of two runs were mixed"},
    {L::kGarbled, "garbled", "upstream's log has a value that is no number"},
    {L::kOther, "", ""},
};
static_assert(is_word_table(kRows), "one row a reason, in their order, with a name of its own");

}  // namespace left_out_table

constexpr const auto& table(LeftOut /*any*/) {
  return left_out_table::kRows;
}

}  // namespace graphnet::record
