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
  kNone,      ///< no call was traced
  kProven,    ///< the plugin
  kMixed,     ///< libtorch too; the detail lists what of it
  kEager,     ///< libtorch
  kEmpty,     ///< nobody, in the calls that were traced
  kReported,  ///< only the plugin itself says so. Reserved: no tracer that there is gives it
  kUnknown,   ///< it could not be found out; the detail says why
  kOther,     ///< a word of a newer version
};

struct ProofVerdictFacts {
  ProofVerdict value;
  const char* name;  ///< as stored
};

/// How the times of both sides compare; measure/pair_summary.h says when each is given.
enum class TimingVerdict : std::uint8_t {
  kNone,      ///< there is no interval
  kFaster,    ///< the plugin
  kSlower,    ///< the plugin
  kSame,      ///< neither, within a margin
  kUnstable,  ///< the interval is too wide to say anything
  kNoise,     ///< faster or slower by less than the noise floor; made by reports, never stored
  kOther,     ///< a word of a newer version
};

struct TimingVerdictFacts {
  TimingVerdict value;
  const char* name;  ///< as stored
  bool is_claim;     ///< says that the two differ
};

namespace verdict_table {

using P = ProofVerdict;
using T = TimingVerdict;

inline constexpr ProofVerdictFacts kProof[] = {
    {P::kNone, ""},           {P::kProven, "proven"}, {P::kMixed, "mixed"},
    {P::kEager, "eager"},     {P::kEmpty, "empty"},   {P::kReported, "reported"},
    {P::kUnknown, "unknown"}, {P::kOther, ""},
};
static_assert(is_word_table(kProof), "one row a verdict, in their order, with a name of its own");

inline constexpr TimingVerdictFacts kTiming[] = {
    {T::kNone, "", false},     {T::kFaster, "faster", true},      {T::kSlower, "slower", true},
    {T::kSame, "same", false}, {T::kUnstable, "unstable", false}, {T::kNoise, "noise", false},
    {T::kOther, "", false},
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
