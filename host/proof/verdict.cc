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
constexpr const char* kDoubtfulFlags[] = {"implausible", "wrong_output", "clock_tampered",
                                          "helper_process", "settings_changed"};

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
  if (evidence.device) {
    const auto& kernels = evidence.device->eager_kernels;
    names.insert(names.end(), kernels.begin(), kernels.end());
  }
  if (names.empty()) names = evidence.inside;
  if (names.empty()) names.emplace_back("eager service");
  const bool is_cut = names.size() > kMostNames;
  if (is_cut) names.resize(kMostNames);
  return "mixed(" + base::join(names, ", ") + (is_cut ? ", ...)" : ")");
}

bool ran_eager_kernels(const Evidence& evidence) {
  return evidence.device && !evidence.device->eager_kernels.empty();
}

bool ran_only_eager_kernels(const Evidence& evidence) {
  return ran_eager_kernels(evidence) && evidence.device->plugin_work == 0 &&
         evidence.device->unattributed == 0 && evidence.device->unavailable.empty();
}

/// Why the device's work proves nothing; empty if it does, or if there is no device.
std::string device_doubt(const Evidence& evidence) {
  if (!evidence.device) return "";
  const DeviceEvidence& device = *evidence.device;
  if (!device.unavailable.empty()) return device.unavailable;
  if (device.unattributed > 0) {
    return std::to_string(device.unattributed) + " pieces of work on the device are nobody's";
  }
  return device.counts_differ ? "calls with equal inputs did different work on the device" : "";
}

}  // namespace

std::string verdict_of(const Evidence& evidence) {
  if (evidence.plugin_runs == 0) return "unknown(no run)";
  const bool all_served = evidence.eager_runs == evidence.plugin_runs;
  if (all_served || evidence.covers_program || ran_only_eager_kernels(evidence)) return "eager";
  const bool ran_operators = !evidence.entered.empty() || !evidence.inside.empty() ||
                             !evidence.dispatched.empty() || ran_eager_kernels(evidence);
  if (evidence.eager_runs > 0 || ran_operators) return mixed(evidence);
  if (evidence.is_stale || !first_of(evidence.flags, kEmptyFlags).empty()) return "empty";
  if (!evidence.unavailable.empty()) return "unknown(" + evidence.unavailable + ")";
  if (evidence.plugin_windows == 0) return "empty";
  const std::string device_says = device_doubt(evidence);
  if (!device_says.empty()) return "unknown(" + device_says + ")";
  if (evidence.device && evidence.device->plugin_work == 0) return "empty";
  if (!evidence.differs.empty()) return "unknown(" + evidence.differs + ")";
  const std::string doubt = first_of(evidence.flags, kDoubtfulFlags);
  return doubt.empty() ? "proven" : "unknown(" + doubt + ")";
}

}  // namespace graphnet::proof
