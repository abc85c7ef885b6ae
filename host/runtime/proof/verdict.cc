// SPDX-License-Identifier: MIT
#include "proof/verdict.h"

#include <fnmatch.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace graphnet::proof {

using record::ProofEffect;
using record::ProofVerdict;

namespace {

constexpr std::size_t kMostNames = 3;

/// The first flag with this effect; nothing if there is none.
std::optional<std::string> first_of(const std::vector<record::Word<record::Flag>>& flags,
                                    record::ProofEffect effect) {
  for (const auto& flag : flags) {
    if (record::facts_of(flag.value()).proof == effect) return flag.text();
  }
  return std::nullopt;
}

bool ran_eager_kernels(const Evidence& evidence) {
  return evidence.device && !evidence.device->eager_kernels.empty();
}

bool is_declared(const Evidence& evidence, const std::string& name) {
  return std::any_of(evidence.declared.begin(), evidence.declared.end(), [&](const auto& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

/// A kernel's name without what it returns and the arguments of its templates, which take a page.
std::string short_name(const std::string& kernel) {
  constexpr std::string_view kVoid = "void ";
  const std::size_t begin = kernel.compare(0, kVoid.size(), kVoid) == 0 ? kVoid.size() : 0;
  return kernel.substr(begin, kernel.find('<', begin) - begin);
}

/// Those that are not yet among the names.
void add_new(const std::vector<std::string>& more, std::vector<std::string>& names) {
  for (const std::string& name : more) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

record::Verdict mixed(const Evidence& evidence) {
  std::vector<std::string> names = evidence.entered;
  add_new(evidence.dispatched, names);
  const std::size_t all = names.size();
  names.erase(std::remove_if(names.begin(), names.end(),
                             [&](const auto& name) { return is_declared(evidence, name); }),
              names.end());
  if (names.empty() && all > 0 && evidence.eager_runs == 0 && !ran_eager_kernels(evidence)) {
    return {ProofVerdict::kMixed, "declared"};
  }
  if (evidence.device) {
    std::vector<std::string> kernels = evidence.device->eager_kernels;
    std::transform(kernels.begin(), kernels.end(), kernels.begin(), short_name);
    add_new(kernels, names);
  }
  if (names.empty()) names = evidence.inside;
  if (names.empty() && !evidence.sampled.empty()) names = {evidence.sampled};
  if (names.empty()) names.emplace_back("eager service");
  const bool is_cut = names.size() > kMostNames;
  if (is_cut) names.resize(kMostNames);
  return {ProofVerdict::kMixed, base::join(names, ", ") + (is_cut ? ", ..." : "")};
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
    return std::to_string(device.unattributed) +
           " pieces of work on the device have no known owner";
  }
  return device.counts_differ ? "calls with equal inputs did different work on the device" : "";
}

record::Verdict unknown(const std::string& why) {
  return {ProofVerdict::kUnknown, why};
}

}  // namespace

record::Verdict verdict_of(const Evidence& evidence) {
  if (evidence.plugin_runs == 0) return unknown("no run");
  const bool all_served = evidence.eager_runs == evidence.plugin_runs;
  if (all_served || evidence.covers_program || ran_only_eager_kernels(evidence)) {
    return ProofVerdict::kEager;
  }
  const bool ran_operators = !evidence.entered.empty() || !evidence.inside.empty() ||
                             !evidence.dispatched.empty() || ran_eager_kernels(evidence);
  if (evidence.eager_runs > 0 || ran_operators) return mixed(evidence);
  if (evidence.is_stale || first_of(evidence.flags, ProofEffect::kEmpty)) {
    return ProofVerdict::kEmpty;
  }
  if (!evidence.unavailable.empty()) return unknown(evidence.unavailable);
  // Execute-deny saw no entry: the plugin had opened the windows.
  if (!evidence.sampled.empty()) return mixed(evidence);
  if (evidence.plugin_windows == 0) return ProofVerdict::kEmpty;
  if (evidence.runs_elsewhere && evidence.differs.empty()) return ProofVerdict::kReported;
  const std::string device_says = device_doubt(evidence);
  if (!device_says.empty()) return unknown(device_says);
  if (evidence.device && evidence.device->plugin_work == 0) return ProofVerdict::kEmpty;
  if (!evidence.differs.empty()) return unknown(evidence.differs);
  if (!evidence.unsampled.empty()) return unknown(evidence.unsampled);
  const auto doubt = first_of(evidence.flags, ProofEffect::kUnproven);
  return doubt ? unknown(*doubt) : ProofVerdict::kProven;
}

}  // namespace graphnet::proof
