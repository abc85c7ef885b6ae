// SPDX-License-Identifier: MIT
#include "proof/verdict.h"

#include <algorithm>

#include "base/text.h"

namespace graphnet::proof {

namespace {

constexpr std::size_t kMostNames = 3;

// Flags that say that the timed calls did not compute what they gave.
constexpr const char* kEmptyFlags[] = {"stale_output", "late_output", "unwritten_output"};
// Flags without which nothing is proven either.
constexpr const char* kDoubtfulFlags[] = {"implausible", "wrong_output", "clock_tampered"};

template <std::size_t N>
std::string first_of(const std::vector<std::string>& flags, const char* const (&wanted)[N]) {
  const auto found = std::find_if(flags.begin(), flags.end(), [&](const std::string& flag) {
    return std::find(std::begin(wanted), std::end(wanted), flag) != std::end(wanted);
  });
  return found == flags.end() ? std::string() : *found;
}

std::string mixed(const Evidence& evidence) {
  std::vector<std::string> names = evidence.entered;
  for (const std::string& name : evidence.dispatched) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.empty()) names = evidence.inside;
  if (names.empty()) names.emplace_back("eager service");
  const bool is_cut = names.size() > kMostNames;
  if (is_cut) names.resize(kMostNames);
  return "mixed(" + base::join(names, ", ") + (is_cut ? ", ...)" : ")");
}

}  // namespace

std::string verdict_of(const Evidence& evidence) {
  if (evidence.plugin_runs == 0) return "unknown(no run)";
  const bool all_served = evidence.eager_runs == evidence.plugin_runs;
  if (all_served || evidence.covers_program) return "eager";
  const bool ran_operators =
      !evidence.entered.empty() || !evidence.inside.empty() || !evidence.dispatched.empty();
  if (evidence.eager_runs > 0 || ran_operators) return mixed(evidence);
  if (evidence.is_stale || !first_of(evidence.flags, kEmptyFlags).empty()) return "empty";
  if (!evidence.unavailable.empty()) return "unknown(" + evidence.unavailable + ")";
  if (evidence.plugin_windows == 0) return "empty";
  if (!evidence.differs.empty()) return "unknown(" + evidence.differs + ")";
  const std::string doubt = first_of(evidence.flags, kDoubtfulFlags);
  return doubt.empty() ? "proven" : "unknown(" + doubt + ")";
}

}  // namespace graphnet::proof
