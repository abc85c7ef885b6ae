// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "record/word.h"

namespace graphnet::record {

/// Who did the work; proof/verdict.h says when each is given.
enum class ProofVerdict : std::uint8_t {
  kNone,  ///< no call was traced
  kProven,
  kMixed,
  kEager,
  kEmpty,
  kReported,  ///< reserved: no tracer that there is gives it
  kUnknown,
  kOther,  ///< a word of a newer version
};

struct ProofVerdictFacts {
  ProofVerdict value;
  const char* name;     ///< as stored
  const char* meaning;  ///< one line, for `graphnet help words`
};

/// How the times of both sides compare; measure/pair_summary.h says when each is given.
enum class TimingVerdict : std::uint8_t {
  kNone,  ///< there is no interval
  kFaster,
  kSlower,
  kSame,
  kUnstable,
  kNoise,  ///< made by reports, never stored
  kOther,  ///< a word of a newer version
};

struct TimingVerdictFacts {
  TimingVerdict value;
  const char* name;     ///< as stored
  bool is_claim;        ///< says that the two differ
  const char* meaning;  ///< one line, for `graphnet help words`
};

namespace verdict_table {

using P = ProofVerdict;
using T = TimingVerdict;

inline constexpr ProofVerdictFacts kProof[] = {
    {P::kNone, "", ""},
    {P::kProven, "proven", "the plugin did the work"},
    {P::kMixed, "mixed", "libtorch did some of the work, which is listed in the brackets"},
    {P::kEager, "eager", "libtorch did the work"},
    {P::kEmpty, "empty", "the traced calls did not compute what they gave"},
    {P::kReported, "reported", "reported by the plugin, which is unverified"},
    {P::kUnknown, "unknown", "it could not be found out, for the reason in the brackets"},
    {P::kOther, "", ""},
};
static_assert(is_word_table(kProof), "one row a verdict, in their order, with a name of its own");

inline constexpr TimingVerdictFacts kTiming[] = {
    {T::kNone, "", false, ""},
    {T::kFaster, "faster", true, "the speedup is above 1 at a confidence of 99 %"},
    {T::kSlower, "slower", true, "the speedup is below 1 at a confidence of 99 %"},
    {T::kSame, "same", false, "the interval stays within a margin around 1"},
    {T::kUnstable, "unstable", false,
     "the interval is too wide to say anything, or the pairs were slower than looks beside them"},
    {T::kNoise, "noise", false, "faster or slower by less than the noise floor"},
    {T::kOther, "", false, ""},
};
static_assert(is_word_table(kTiming), "one row a verdict, in their order, with a name of its own");

}  // namespace verdict_table

constexpr const auto& table(ProofVerdict /*any*/) {
  return verdict_table::kProof;
}
constexpr const auto& table(TimingVerdict /*any*/) {
  return verdict_table::kTiming;
}

/// A proof verdict with what is in its brackets: "mixed(aten::add, ...)", "unknown(no run)".
struct Verdict {
  Word<ProofVerdict> kind;
  std::optional<std::string> detail;  ///< nothing: there are no brackets

  Verdict() = default;
  Verdict(ProofVerdict given) : kind(given) {}  // NOLINT(google-explicit-constructor): is one
  Verdict(ProofVerdict given, std::string in_brackets)
      : kind(given), detail(std::move(in_brackets)) {}
  explicit Verdict(std::string_view text);

  /// As it is stored, and the same again after Verdict(text).
  std::string text() const;
  bool empty() const { return kind.empty() && !detail; }

  friend bool operator==(const Verdict& a, const Verdict& b) {
    return a.kind == b.kind && a.detail == b.detail;
  }
  friend bool operator!=(const Verdict& a, const Verdict& b) { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& out, const Verdict& verdict) {
    return out << '\'' << verdict.text() << '\'';
  }
};

}  // namespace graphnet::record
