// SPDX-License-Identifier: MIT
#include "proof/device_ledger.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/elf_symbols.h"
#include "base/memory_map.h"
#include "base/text.h"

namespace graphnet::proof {

using base::Json;

namespace {

constexpr const char* kOwnerNames[] = {"plugin", "eager", "host", "unattributed"};
constexpr const char* kRungNames[] = {"loader", "id", "window", "module", "none"};
constexpr std::size_t kMostRows = 50;

// Events lie on one stream and are taken a little outside of the work.
constexpr double kLeastEventShare = 0.9;

// Through which everything is loaded.
constexpr std::string_view kDriverLibraries[] = {"libcuda.so", "libcudart", "libcupti",
                                                 "libcudadebugger"};
// Of which eager and plugin may both call: whoever came first has loaded their kernels.
constexpr std::string_view kSharedLibraries[] = {"libcublas", "libcudnn",     "libcufft",
                                                 "libcurand", "libcusolver",  "libcusparse",
                                                 "libnvrtc",  "libnvJitLink", "libnccl"};

template <std::size_t N>
bool is_one_of(std::string_view module, const std::string_view (&names)[N]) {
  return std::any_of(std::begin(names), std::end(names),
                     [&](std::string_view name) { return module.substr(0, name.size()) == name; });
}

/// Who loaded a module.
struct Loader {
  std::string module;
  WorkOwner owner = WorkOwner::kNobody;

  bool operator==(const Loader& other) const { return module == other.module; }
};

const Region* region_of(const std::vector<Region>& regions, std::uintptr_t address) {
  const auto after = std::upper_bound(
      regions.begin(), regions.end(), address,
      [](std::uintptr_t wanted, const Region& region) { return wanted < region.mapping.start; });
  if (after == regions.begin()) return nullptr;
  const Region& region = *(after - 1);
  return region.mapping.contains(address) ? &region : nullptr;
}

/// In these the plugin's work is expected, and nobody else's.
bool is_plugins(CallSide side) {
  return side == CallSide::kPlugin || side == CallSide::kReplay;
}

WorkOwner owner_of(RegionKind kind) {
  if (kind == RegionKind::kDeny) return WorkOwner::kEager;
  return kind == RegionKind::kExpect ? WorkOwner::kPlugin : WorkOwner::kHost;
}

/// The innermost code outside of the driver and its shared helpers. The frames before the driver's
/// first are those of our own callback.
std::optional<Loader> loader_of(const LoadedModule& loaded, const std::vector<Region>& regions) {
  bool is_past_callback = false;
  for (const std::uintptr_t address : loaded.stack) {
    const Region* const region = region_of(regions, address);
    if (region == nullptr) continue;
    const std::string module = base::module_name(region->mapping.path);
    const bool is_driver = is_one_of(module, kDriverLibraries);
    is_past_callback = is_past_callback || is_driver;
    if (is_driver || !is_past_callback) continue;
    if (is_one_of(module, kSharedLibraries)) return Loader{module, WorkOwner::kNobody};
    if (region->kind != RegionKind::kWatch) return Loader{module, owner_of(region->kind)};
  }
  return std::nullopt;
}

/// Loaders of kernels by name; those that several files have loaded are nobody's.
std::map<std::string, Loader> kernel_loaders(const std::vector<LoadedModule>& modules,
                                             const std::vector<Region>& regions) {
  std::map<std::string, Loader> loaders;
  for (const LoadedModule& module : modules) {
    const std::optional<Loader> loader = loader_of(module, regions);
    if (!loader) continue;
    for (const std::string& function : module.functions) {
      const auto [found, is_new] = loaders.emplace(function, *loader);
      if (!is_new && !(found->second == *loader)) found->second = Loader();
    }
  }
  return loaders;
}

/// Finds out whose a piece of work is.
class Attribution {
 public:
  Attribution(const DeviceTrace& trace, const std::vector<Region>& regions)
      : trace_(trace), loaders_(kernel_loaders(trace.modules, regions)) {
    for (const DeviceCall& call : trace.records.calls) {
      const auto [first, is_new] = call_starts_.emplace(call.correlation, call.start_ns);
      if (!is_new) first->second = std::min(first->second, call.start_ns);
    }
  }

  struct Answer {
    WorkOwner owner = WorkOwner::kNobody;
    Rung rung = Rung::kNone;
    std::string module;
    std::optional<std::size_t> call;  ///< traced call in which it was asked for
  };

  /// When the call that asked for it began, on the clock of records; 0 if that is not known.
  std::uint64_t launch_ns(const DeviceWork& work) const {
    const auto start = call_starts_.find(work.correlation);
    return start == call_starts_.end() ? 0 : start->second;
  }

  Answer of(const DeviceWork& work) const {
    Answer answer;
    Rung call_rung = Rung::kNone;
    answer.call = call_of(work, call_rung);
    const Loader* const loader = loader_of_kernel(work);
    if (loader != nullptr) answer.module = loader->module;
    const auto side = answer.call ? trace_.calls[*answer.call].side : CallSide::kHost;
    const bool is_libtorchs = loader != nullptr && loader->owner == WorkOwner::kEager;
    if (answer.call && is_libtorchs && is_plugins(side)) {
      answer.owner = WorkOwner::kEager;
      answer.rung = Rung::kLoader;
    } else if (answer.call && side == CallSide::kBetween) {
      const bool is_known = loader != nullptr && loader->owner != WorkOwner::kNobody;
      answer.owner = is_known ? loader->owner : WorkOwner::kHost;
      answer.rung = call_rung;
    } else if (answer.call) {
      answer.owner = owner_of_side(side);
      answer.rung = call_rung;
    } else if (loader != nullptr && loader->owner != WorkOwner::kNobody) {
      answer.owner = loader->owner;
      answer.rung = Rung::kModule;
    }
    return answer;
  }

 private:
  static WorkOwner owner_of_side(CallSide side) {
    if (is_plugins(side)) return WorkOwner::kPlugin;
    return side == CallSide::kEager ? WorkOwner::kEager : WorkOwner::kHost;
  }

  std::optional<std::size_t> call_of(const DeviceWork& work, Rung& rung) const {
    const auto pushed = trace_.records.pushed_ids.find(work.correlation);
    if (pushed != trace_.records.pushed_ids.end() && pushed->second < trace_.calls.size()) {
      rung = Rung::kId;
      return static_cast<std::size_t>(pushed->second);
    }
    const auto start = call_starts_.find(work.correlation);
    if (!trace_.has_own_clock || start == call_starts_.end()) return std::nullopt;
    for (std::size_t i = 0; i < trace_.calls.size(); ++i) {
      const TracedCall& call = trace_.calls[i];
      if (call.side == CallSide::kBetween) continue;
      if (start->second < call.start_ns || start->second > call.end_ns) continue;
      rung = Rung::kWindow;
      return i;
    }
    return std::nullopt;
  }

  const Loader* loader_of_kernel(const DeviceWork& work) const {
    if (work.kind != WorkKind::kKernel) return nullptr;
    const auto found = loaders_.find(trace_.records.names[work.name]);
    return found == loaders_.end() ? nullptr : &found->second;
  }

  const DeviceTrace& trace_;
  std::map<std::string, Loader> loaders_;
  std::map<std::uint32_t, std::uint64_t> call_starts_;
};

using Interval = std::pair<std::uint64_t, std::uint64_t>;

/// Work of one traced call.
struct CallWork {
  std::map<std::pair<WorkKind, std::string>, std::size_t> counts;
  std::vector<Interval> times;
};

/// Nanoseconds in which at least one of the intervals runs.
double busy_ns(std::vector<Interval> times) {
  std::sort(times.begin(), times.end());
  std::uint64_t sum = 0;
  std::uint64_t covered = 0;
  for (const auto& [start, end] : times) {
    const std::uint64_t from = std::max(start, covered);
    if (end > from) sum += end - from;
    covered = std::max(covered, end);
  }
  return static_cast<double>(sum);
}

/// Adds up work.
class LedgerMaker {
 public:
  LedgerMaker(const DeviceTrace& trace, const std::vector<Region>& regions)
      : trace_(trace), attribution_(trace, regions) {
    for (const std::string& name : trace.records.names) {
      kernel_names_.push_back(base::without_arguments(base::demangled(name)));
    }
  }

  DeviceLedger make() {
    for (const DeviceWork& work : trace_.records.work) add(work);
    for (std::size_t i = trace_.first_call; i < trace_.calls.size(); ++i) {
      CallsOnDevice* const calls = calls_of(trace_.calls[i].side);
      if (calls != nullptr) add_call(calls_[i], *calls);
    }
    for (auto& [key, row] : rows_) ledger_.rows.push_back(std::move(row));
    std::stable_sort(
        ledger_.rows.begin(), ledger_.rows.end(),
        [](const LedgerRow& one, const LedgerRow& other) { return one.time_ns > other.time_ns; });
    ledger_.eager_kernels.assign(eager_names_.begin(), eager_names_.end());
    ledger_.outside = spans_.finish();
    for (CallsOnDevice* calls : {&ledger_.plugin_calls, &ledger_.replays, &ledger_.eager_calls}) {
      const auto num_calls = static_cast<double>(std::max<std::size_t>(1, calls->num_calls));
      for (double* mean : {&calls->sum_ns, &calls->busy_ns, &calls->span_ns}) *mean /= num_calls;
    }
    return std::move(ledger_);
  }

 private:
  std::string name_of(const DeviceWork& work) const {
    if (work.kind == WorkKind::kKernel) return kernel_names_[work.name];
    return std::string("(") + work_kind_name(work.kind) + ")";
  }

  void add(const DeviceWork& work) {
    const Attribution::Answer answer = attribution_.of(work);
    const std::string name = name_of(work);
    const std::string in = answer.call ? call_side_name(trace_.calls[*answer.call].side) : "";
    LedgerRow& row = rows_[{name, work.kind, answer.owner, answer.rung, answer.module, in}];
    if (row.count == 0) row = {name, work.kind, answer.owner, answer.rung, answer.module, in};
    ++row.count;
    const bool is_timed = work.is_timed();
    const bool is_on_hosts_clock = trace_.has_own_clock && answer.call;
    spans_.add(work, attribution_.launch_ns(work),
               is_on_hosts_clock ? &trace_.calls[*answer.call] : nullptr);
    if (is_timed) row.time_ns += work.end_ns - work.start_ns;
    if (!answer.call) {
      count(answer, name);
      return;
    }
    // What happens between calls speaks for and against nobody.
    if (trace_.calls[*answer.call].side != CallSide::kBetween) count(answer, name);
    CallWork& call = calls_[*answer.call];
    ++call.counts[{work.kind, name}];
    if (is_timed) call.times.emplace_back(work.start_ns, work.end_ns);
  }

  void count(const Attribution::Answer& answer, const std::string& name) {
    switch (answer.owner) {
      case WorkOwner::kPlugin:
        ++ledger_.plugin_work;
        break;
      case WorkOwner::kHost:
        ++ledger_.host_work;
        break;
      case WorkOwner::kNobody:
        ++ledger_.unattributed;
        break;
      case WorkOwner::kEager: {
        // Eager's work in eager's own calls is what they are for.
        const bool is_expected = answer.call && trace_.calls[*answer.call].side == CallSide::kEager;
        if (is_expected) break;
        ++ledger_.eager_work;
        eager_names_.insert(name);
      }
    }
  }

  CallsOnDevice* calls_of(CallSide side) {
    switch (side) {
      case CallSide::kEager:
        return &ledger_.eager_calls;
      case CallSide::kPlugin:
        return &ledger_.plugin_calls;
      case CallSide::kReplay:
        return &ledger_.replays;
      case CallSide::kHost:
      case CallSide::kBetween:
        break;
    }
    return nullptr;
  }

  static void add_call(const CallWork& call, CallsOnDevice& calls) {
    if (calls.num_calls++ == 0) calls.first_counts = call.counts;
    calls.counts_differ = calls.counts_differ || call.counts != calls.first_counts;
    calls.busy_ns += busy_ns(call.times);
    std::uint64_t first = UINT64_MAX;
    std::uint64_t last = 0;
    for (const auto& [start, end] : call.times) {
      calls.sum_ns += static_cast<double>(end - start);
      first = std::min(first, start);
      last = std::max(last, end);
    }
    if (last > first) calls.span_ns += static_cast<double>(last - first);
  }

  using RowKey = std::tuple<std::string, WorkKind, WorkOwner, Rung, std::string, std::string>;

  const DeviceTrace& trace_;
  Attribution attribution_;
  std::vector<std::string> kernel_names_;
  DeviceLedger ledger_;
  std::map<RowKey, LedgerRow> rows_;
  std::map<std::size_t, CallWork> calls_;
  std::set<std::string> eager_names_;
  SpanWatch spans_;
};

/// Why records may be missing.
std::string problem_of(const DeviceTrace& trace) {
  if (!trace.problem.empty()) return trace.problem;
  if (trace.num_dropped > 0) return std::to_string(trace.num_dropped) + " records were dropped";
  if (trace.lost_bytes > 0) {
    return base::format_bytes(trace.lost_bytes) + " of records were lost for want of buffers";
  }
  if (trace.records.num_cut_buffers > 0) {
    const std::string& reason = trace.records.cut_reason;
    return std::to_string(trace.records.num_cut_buffers) + " buffers of records were cut off" +
           (reason.empty() ? "" : ": " + reason);
  }
  return "";
}

}  // namespace

const char* work_owner_name(WorkOwner owner) {
  return kOwnerNames[static_cast<std::size_t>(owner)];
}

const char* rung_name(Rung rung) {
  return kRungNames[static_cast<std::size_t>(rung)];
}

DeviceLedger make_device_ledger(const DeviceTrace& trace, const CallName& call_name,
                                const std::vector<Region>& regions) {
  DeviceLedger ledger = LedgerMaker(trace, regions).make();
  for (const LoadedModule& module : trace.modules) {
    const std::optional<Loader> loader = loader_of(module, regions);
    ledger.modules.push_back(
        {loader ? loader->module : "", module.sha256, module.functions.size()});
  }
  for (const DeviceCall& call : trace.records.calls) {
    const std::string name = call_name(call.domain, call.id);
    if (is_launch_call(name)) ++ledger.launches[name];
  }
  ledger.refusals = trace.refusals;
  ledger.problem = problem_of(trace);
  return ledger;
}

DeviceEvidence device_evidence(const DeviceLedger& ledger, bool self_tested) {
  DeviceEvidence evidence;
  evidence.unavailable = ledger.problem;
  if (evidence.unavailable.empty() && self_tested && ledger.host_work == 0) {
    evidence.unavailable = "CUPTI did not see the work by which it was tried";
  }
  if (evidence.unavailable.empty() && ledger.outside.unwaited > 0) {
    evidence.unavailable =
        std::to_string(ledger.outside.unwaited) + " pieces of work ended after their call, up to " +
        base::format_duration(static_cast<double>(ledger.outside.most_unwaited_ns)) +
        " later, though the device had been waited for";
  }
  evidence.plugin_work = ledger.plugin_work;
  evidence.eager_kernels = ledger.eager_kernels;
  evidence.unattributed = ledger.unattributed;
  evidence.counts_differ = ledger.plugin_calls.counts_differ || ledger.replays.counts_differ;
  // Nothing is said against the plugin: CUPTI may not know graphs from before it recorded.
  const bool saw_replays = ledger.replays.num_calls == 0 || !ledger.replays.first_counts.empty();
  if (evidence.unavailable.empty() && !saw_replays) {
    evidence.unavailable = "CUPTI did not see any work of the replayed graph";
  }
  return evidence;
}

std::string check_times(const CallsOnDevice& calls, double host_ns, double event_ns,
                        std::uint64_t clock_error_ns) {
  if (host_ns < calls.busy_ns) {
    return "the device was busy for " + base::format_duration(calls.busy_ns) + ", the call took " +
           base::format_duration(host_ns) + ": it returned before its work was done";
  }
  if (event_ns < kLeastEventShare * (calls.span_ns - static_cast<double>(clock_error_ns))) {
    return "work spans " + base::format_duration(calls.span_ns) + ", the events " +
           base::format_duration(event_ns) + ": it ran on a stream that they do not see";
  }
  return "";
}

namespace {

Json calls_json(const CallsOnDevice& calls) {
  return {{"calls", calls.num_calls},
          {"sum_ns", calls.sum_ns},
          {"busy_ns", calls.busy_ns},
          {"span_ns", calls.span_ns}};
}

Json outside_json(const OutsideSpan& outside) {
  return {{"early", outside.early},
          {"late", outside.late},
          {"most_early_ns", outside.most_early_ns},
          {"most_late_ns", outside.most_late_ns},
          {"clock_error_ns", outside.clock_error_ns}};
}

}  // namespace

Json device_json(const CuptiStatus& status, const CuptiLibrary* library,
                 const DeviceLedger& ledger) {
  Json json = {{"cupti", {{"state", cupti_state_name(status.state)}}}};
  if (!status.reason.empty()) json["cupti"]["reason"] = status.reason;
  if (library != nullptr) {
    json["cupti"]["version"] = library->version;
    json["cupti"]["file"] = library->file.string();
  }
  if (!status.is_ready()) return json;
  json["kernels"] = Json::array();
  for (const LedgerRow& row : ledger.rows) {
    if (json["kernels"].size() == kMostRows) break;
    json["kernels"].push_back({{"name", row.name},
                               {"kind", work_kind_name(row.kind)},
                               {"owner", work_owner_name(row.owner)},
                               {"by", rung_name(row.rung)},
                               {"module", row.module},
                               {"count", row.count},
                               {"time_ns", row.time_ns},
                               {"in", row.in}});
  }
  json["num_rows"] = ledger.rows.size();
  json["plugin"] = ledger.plugin_work;
  json["eager"] = ledger.eager_work;
  json["host"] = ledger.host_work;
  json["unattributed"] = ledger.unattributed;
  json.update(calls_json(ledger.plugin_calls));
  if (ledger.eager_calls.num_calls > 0) json["eager_calls"] = calls_json(ledger.eager_calls);
  if (ledger.replays.num_calls > 0) {
    json["replays"] = calls_json(ledger.replays);
    json["replays"]["as_called"] = ledger.replays.first_counts == ledger.plugin_calls.first_counts;
  }
  json["modules"] = Json::array();
  for (const LedgerModule& module : ledger.modules) {
    if (json["modules"].size() == kMostRows) break;
    json["modules"].push_back({{"loader", module.loader},
                               {"sha256", module.sha256},
                               {"functions", module.num_functions}});
  }
  json["launches"] = ledger.launches;
  if (ledger.outside.count() > 0) json["outside_span"] = outside_json(ledger.outside);
  if (!ledger.refusals.empty()) json["refusals"] = ledger.refusals;
  if (!ledger.problem.empty()) json["problem"] = ledger.problem;
  return json;
}

}  // namespace graphnet::proof
