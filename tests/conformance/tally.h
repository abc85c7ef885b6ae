// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "conformance/gaps.h"
#include "conformance/plugin_session.h"

namespace graphnet::conformance {

/// What a result means beside what was expected. Order of the summary's columns.
enum class Verdict : std::uint8_t { kPass, kXfail, kFail, kUnsupported, kXpass, kInvalid };
inline constexpr std::size_t kNumVerdicts = 6;

/// "PASS", "XFAIL", ...
const char* verdict_name(Verdict verdict);

/// True for what ends a run with exit code 1.
bool is_bad(Verdict verdict);

/// `gap` is null if the case should pass. A gap excuses only the failure that it expects: a case
/// that should be unsupported and gives wrong results is kFail. Nothing excuses a case that is
/// itself wrong.
Verdict judge(Outcome outcome, const Gap* gap);

/// Verdicts counted by family.
class Tally {
 public:
  void add(const std::string& family, Verdict verdict);
  bool has_bad() const;
  /// A table with a line for each family and one for all, each ended.
  std::string text() const;
  const std::map<std::string, std::array<std::size_t, kNumVerdicts>>& families() const {
    return families_;
  }

 private:
  std::map<std::string, std::array<std::size_t, kNumVerdicts>> families_;
};

}  // namespace graphnet::conformance
