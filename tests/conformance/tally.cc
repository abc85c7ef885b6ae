// SPDX-License-Identifier: MIT
#include "conformance/tally.h"

#include <cstdio>

namespace graphnet::conformance {

namespace {

constexpr std::array<const char*, kNumVerdicts> kNames = {"PASS",        "XFAIL", "FAIL",
                                                          "UNSUPPORTED", "XPASS", "INVALID"};

std::string row(const std::string& name, const std::array<std::size_t, kNumVerdicts>& counts) {
  char text[160];
  std::snprintf(text, sizeof text, "%-12s %6zu %6zu %6zu %12zu %6zu %8zu\n", name.c_str(),
                counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]);
  return text;
}

}  // namespace

const char* verdict_name(Verdict verdict) {
  return kNames[static_cast<std::size_t>(verdict)];
}

bool is_bad(Verdict verdict) {
  return verdict != Verdict::kPass && verdict != Verdict::kXfail;
}

Verdict judge(Outcome outcome, const Gap* gap) {
  if (outcome == Outcome::kInvalid) return Verdict::kInvalid;
  const bool is_passed = outcome == Outcome::kPassed;
  const bool is_unsupported = outcome == Outcome::kUnsupported;
  if (gap == nullptr) {
    if (is_passed) return Verdict::kPass;
    return is_unsupported ? Verdict::kUnsupported : Verdict::kFail;
  }
  if (is_unsupported)
    return gap->expect == Expect::kUnsupported ? Verdict::kXfail : Verdict::kUnsupported;
  if (gap->expect == Expect::kVaries) return Verdict::kXfail;
  if (is_passed) return Verdict::kXpass;
  return gap->expect == Expect::kWrong ? Verdict::kXfail : Verdict::kFail;
}

void Tally::add(const std::string& family, Verdict verdict) {
  ++families_[family][static_cast<std::size_t>(verdict)];
}

bool Tally::has_bad() const {
  for (const auto& [family, counts] : families_) {
    for (std::size_t i = 0; i < kNumVerdicts; ++i) {
      if (counts[i] > 0 && is_bad(static_cast<Verdict>(i))) return true;
    }
  }
  return false;
}

std::string Tally::text() const {
  char head[160];
  std::snprintf(head, sizeof head, "%-12s %6s %6s %6s %12s %6s %8s\n", "family", kNames[0],
                kNames[1], kNames[2], kNames[3], kNames[4], kNames[5]);
  std::string out = head;
  std::array<std::size_t, kNumVerdicts> all = {};
  for (const auto& [family, counts] : families_) {
    out += row(family, counts);
    for (std::size_t i = 0; i < kNumVerdicts; ++i) all[i] += counts[i];
  }
  return out + row("all", all);
}

}  // namespace graphnet::conformance
