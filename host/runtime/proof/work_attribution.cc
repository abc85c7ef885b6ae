// SPDX-License-Identifier: MIT
#include "proof/work_attribution.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/memory_map.h"

namespace graphnet::proof {

namespace {

using Owner = WorkOwner;

constexpr const char* kOwnerNames[] = {"plugin", "eager", "host", "unattributed"};
constexpr const char* kSourceNames[] = {"loader", "id", "window", "module", "none"};

/// Libraries between the code that loads a kernel and the device.
struct LoadingLibrary {
  std::string_view prefix;  // of the file's name
  bool is_driver;           // through which everything is loaded; else shared
};

// Eager and plugin may both call the shared ones: whoever came first has loaded their kernels.
constexpr LoadingLibrary kLibraries[] = {
    {"libcuda.so", true},   {"libcudart", true},    {"libcupti", true},  {"libcudadebugger", true},
    {"libcublas", false},   {"libcudnn", false},    {"libcufft", false}, {"libcurand", false},
    {"libcusolver", false}, {"libcusparse", false}, {"libnvrtc", false}, {"libnvJitLink", false},
    {"libnccl", false},
};

// Owner of a piece of work. Row: the side of the traced call that asked for it, as CallSide, the
// last for none. Column: who loaded the code of its kernel, as WorkOwner: plugin, eager, host,
// nobody.
constexpr Owner kOwners[][4] = {
    {Owner::kHost, Owner::kHost, Owner::kHost, Owner::kHost},         // host
    {Owner::kEager, Owner::kEager, Owner::kEager, Owner::kEager},     // eager
    {Owner::kPlugin, Owner::kEager, Owner::kPlugin, Owner::kPlugin},  // plugin
    {Owner::kPlugin, Owner::kEager, Owner::kPlugin, Owner::kPlugin},  // replay
    {Owner::kPlugin, Owner::kEager, Owner::kHost, Owner::kHost},      // between
    {Owner::kPlugin, Owner::kEager, Owner::kHost, Owner::kNobody},    // no traced call
};
constexpr std::size_t kNoCall = std::size(kOwners) - 1;
static_assert(static_cast<std::size_t>(CallSide::kBetween) + 1 == kNoCall);

/// In these the plugin's work is expected, and nobody else's.
bool is_plugins(CallSide side) {
  return side == CallSide::kPlugin || side == CallSide::kReplay;
}

Owner owner_of(RegionKind kind) {
  if (kind == RegionKind::kDeny) return Owner::kEager;
  return kind == RegionKind::kExpect ? Owner::kPlugin : Owner::kHost;
}

const LoadingLibrary* find_library(const std::string& module) {
  const auto* const found = std::find_if(
      std::begin(kLibraries), std::end(kLibraries),
      [&](const LoadingLibrary& library) { return module.rfind(library.prefix, 0) == 0; });
  return found == std::end(kLibraries) ? nullptr : found;
}

/// Loaders of kernels by name; those that several files have loaded are nobody's.
std::map<std::string, CodeLoader> kernel_loaders(const std::vector<LoadedModule>& modules,
                                                 const std::vector<Region>& regions) {
  std::map<std::string, CodeLoader> loaders;
  for (const LoadedModule& module : modules) {
    const std::optional<CodeLoader> loader = loader_of(module, regions);
    if (!loader) continue;
    for (const std::string& function : module.functions) {
      const auto [found, is_new] = loaders.emplace(function, *loader);
      if (!is_new && found->second.module != loader->module) found->second = CodeLoader();
    }
  }
  return loaders;
}

}  // namespace

const char* work_owner_name(WorkOwner owner) {
  return kOwnerNames[static_cast<std::size_t>(owner)];
}

const char* attribution_source_name(AttributionSource source) {
  return kSourceNames[static_cast<std::size_t>(source)];
}

// The frames before the driver's first are those of our own callback.
std::optional<CodeLoader> loader_of(const LoadedModule& loaded,
                                    const std::vector<Region>& regions) {
  bool is_past_callback = false;
  for (const std::uintptr_t address : loaded.stack) {
    const Region* const region = find_region(regions, address);
    if (region == nullptr) continue;
    const std::string module = base::module_name(region->mapping.path);
    const LoadingLibrary* const library = find_library(module);
    const bool is_driver = library != nullptr && library->is_driver;
    is_past_callback = is_past_callback || is_driver;
    if (is_driver || !is_past_callback) continue;
    if (library != nullptr) return CodeLoader{module, Owner::kNobody};
    if (region->kind != RegionKind::kWatch) return CodeLoader{module, owner_of(region->kind)};
  }
  return std::nullopt;
}

WorkAttribution::WorkAttribution(const DeviceTrace& trace, const std::vector<Region>& regions)
    : trace_(trace), loaders_(kernel_loaders(trace.modules, regions)) {
  for (const DeviceCall& call : trace.records.calls) {
    const auto [first, is_new] = launches_ns_.emplace(call.correlation, call.start_ns);
    if (!is_new) first->second = std::min(first->second, call.start_ns);
  }
}

Attribution WorkAttribution::of(const DeviceWork& work) const {
  Attribution answer;
  const CodeLoader* const loader = loader_of_kernel(work);
  const Owner loaded_by = loader == nullptr ? Owner::kNobody : loader->owner;
  if (loader != nullptr) answer.module = loader->module;
  const std::optional<AskingCall> asking = asking_call(work);
  if (!asking) {
    answer.owner = kOwners[kNoCall][static_cast<std::size_t>(loaded_by)];
    if (loaded_by != Owner::kNobody) answer.source = AttributionSource::kModule;
    return answer;
  }
  const CallSide side = trace_.calls[asking->index].side;
  answer.call = asking->index;
  answer.owner = kOwners[static_cast<std::size_t>(side)][static_cast<std::size_t>(loaded_by)];
  const bool is_by_loader = is_plugins(side) && loaded_by == Owner::kEager;
  answer.source = is_by_loader ? AttributionSource::kLoader : asking->source;
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

const CodeLoader* WorkAttribution::loader_of_kernel(const DeviceWork& work) const {
  if (work.kind != WorkKind::kKernel) return nullptr;
  const auto found = loaders_.find(trace_.records.names[work.name]);
  return found == loaders_.end() ? nullptr : &found->second;
}

}  // namespace graphnet::proof
