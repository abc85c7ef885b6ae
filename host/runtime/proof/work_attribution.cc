// SPDX-License-Identifier: MIT
#include "proof/work_attribution.h"

#include <algorithm>
#include <iterator>

namespace graphnet::proof {

namespace {

using Owner = WorkOwner;

constexpr const char* kOwnerNames[] = {"plugin", "eager", "host", "unattributed"};
constexpr const char* kSourceNames[] = {"file", "id", "window", "none"};

// Owner of a piece of work. Row: the side of the traced call that asked for it, as CallSide, the
// last for none. Column: whose file holds its kernel, as KernelHolder: plugin, libtorch, nobody.
constexpr Owner kOwners[][3] = {
    {Owner::kHost, Owner::kHost, Owner::kHost},       // host
    {Owner::kEager, Owner::kEager, Owner::kEager},    // eager
    {Owner::kPlugin, Owner::kEager, Owner::kPlugin},  // plugin
    {Owner::kPlugin, Owner::kEager, Owner::kPlugin},  // replay
    {Owner::kPlugin, Owner::kEager, Owner::kHost},    // between
    {Owner::kPlugin, Owner::kEager, Owner::kNobody},  // no traced call
};
constexpr std::size_t kNoCall = std::size(kOwners) - 1;
static_assert(static_cast<std::size_t>(CallSide::kBetween) + 1 == kNoCall);

/// In these the plugin's work is expected, and nobody else's.
bool is_plugins(CallSide side) {
  return side == CallSide::kPlugin || side == CallSide::kReplay;
}

}  // namespace

const char* work_owner_name(WorkOwner owner) {
  return kOwnerNames[static_cast<std::size_t>(owner)];
}

const char* attribution_source_name(AttributionSource source) {
  return kSourceNames[static_cast<std::size_t>(source)];
}

WorkAttribution::WorkAttribution(const DeviceTrace& trace, const KernelFiles& files)
    : trace_(trace), files_(files) {
  for (const DeviceCall& call : trace.records.calls) {
    const auto [first, is_new] = launches_ns_.emplace(call.correlation, call.start_ns);
    if (!is_new) first->second = std::min(first->second, call.start_ns);
  }
}

Attribution WorkAttribution::of(const DeviceWork& work) const {
  Attribution answer;
  const KernelFile* const file = file_of(work);
  const KernelHolder holder = file == nullptr ? KernelHolder::kNobody : file->holder;
  if (file != nullptr) answer.module = file->module;
  const std::optional<AskingCall> asking = asking_call(work);
  if (!asking) {
    answer.owner = kOwners[kNoCall][static_cast<std::size_t>(holder)];
    if (holder != KernelHolder::kNobody) answer.source = AttributionSource::kFile;
    return answer;
  }
  const CallSide side = trace_.calls[asking->index].side;
  answer.call = asking->index;
  answer.owner = kOwners[static_cast<std::size_t>(side)][static_cast<std::size_t>(holder)];
  const bool is_by_file = is_plugins(side) && holder == KernelHolder::kLibtorch;
  answer.source = is_by_file ? AttributionSource::kFile : asking->source;
  return answer;
}

std::uint64_t WorkAttribution::launch_ns(const DeviceWork& work) const {
  const auto launch = launches_ns_.find(work.correlation);
  return launch == launches_ns_.end() ? 0 : launch->second;
}

std::optional<WorkAttribution::AskingCall> WorkAttribution::asking_call(
    const DeviceWork& work) const {
  const auto pushed = trace_.records.pushed_ids.find(work.correlation);
  if (pushed != trace_.records.pushed_ids.end() && pushed->second < trace_.calls.size()) {
    return AskingCall{static_cast<std::size_t>(pushed->second), AttributionSource::kId};
  }
  const auto launch = launches_ns_.find(work.correlation);
  if (!trace_.has_own_clock || launch == launches_ns_.end()) return std::nullopt;
  for (std::size_t i = 0; i < trace_.calls.size(); ++i) {
    const TracedCall& call = trace_.calls[i];
    if (call.side == CallSide::kBetween) continue;
    if (launch->second < call.start_ns || launch->second > call.end_ns) continue;
    return AskingCall{i, AttributionSource::kWindow};
  }
  return std::nullopt;
}

const KernelFile* WorkAttribution::file_of(const DeviceWork& work) const {
  if (work.kind != WorkKind::kKernel) return nullptr;
  const auto found = files_.by_name.find(trace_.records.names[work.name]);
  return found == files_.by_name.end() ? nullptr : &found->second;
}

}  // namespace graphnet::proof
