// SPDX-License-Identifier: MIT
#include "proof/device_ledger.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/elf_symbols.h"
#include "base/text.h"

namespace graphnet::proof {

namespace {

// Events lie on one stream and are taken a little outside of the work.
constexpr double kLeastEventShare = 0.9;

// By side of a call; null: its calls are not added up.
constexpr CallsOnDevice DeviceLedger::*kCallsOf[] = {
    nullptr,                      // host
    &DeviceLedger::eager_calls,   // eager
    &DeviceLedger::plugin_calls,  // plugin
    &DeviceLedger::replays,       // replay
    nullptr,                      // between
};

// By owner.
constexpr std::size_t DeviceLedger::*kCountOf[] = {
    &DeviceLedger::plugin_work, &DeviceLedger::eager_work, &DeviceLedger::host_work,
    &DeviceLedger::unattributed};

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
  LedgerMaker(const DeviceTrace& trace, const KernelFiles& files)
      : trace_(trace), attribution_(trace, files) {
    for (const std::string& name : trace.records.names) {
      kernel_names_.push_back(base::without_arguments(base::demangled(name)));
    }
  }

  DeviceLedger make() {
    for (const DeviceWork& work : trace_.records.work) add(work);
    for (std::size_t i = trace_.first_call; i < trace_.calls.size(); ++i) {
      CallsOnDevice DeviceLedger::*const calls =
          kCallsOf[static_cast<std::size_t>(trace_.calls[i].side)];
      if (calls != nullptr) add_call(calls_[i], ledger_.*calls);
    }
    for (auto& [key, row] : rows_) ledger_.rows.push_back(std::move(row));
    std::stable_sort(
        ledger_.rows.begin(), ledger_.rows.end(),
        [](const LedgerRow& one, const LedgerRow& other) { return one.time_ns > other.time_ns; });
    ledger_.eager_kernels.assign(eager_names_.begin(), eager_names_.end());
    ledger_.unasked_eager_kernels.assign(unasked_names_.begin(), unasked_names_.end());
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
    const Attribution by = attribution_.of(work);
    const TracedCall* const call = by.call ? &trace_.calls[*by.call] : nullptr;
    const std::string name = name_of(work);
    const std::string in = call != nullptr ? call_side_name(call->side) : "";
    LedgerRow& row = rows_[{name, work.kind, by.owner, by.source, by.module, in}];
    if (row.count == 0) row = {name, work.kind, by.owner, by.source, by.module, in};
    ++row.count;
    if (work.is_timed()) row.time_ns += work.end_ns - work.start_ns;
    const TracedCall* const timed_call = trace_.has_own_clock ? call : nullptr;
    row.outside += spans_.add(work, attribution_.launch_ns(work), timed_call) ? 1 : 0;
    count(by.owner, call, name);
    if (call == nullptr) return;
    CallWork& done = calls_[*by.call];
    ++done.counts[{work.kind, name}];
    if (work.is_timed()) done.times.emplace_back(work.start_ns, work.end_ns);
  }

  void count(WorkOwner owner, const TracedCall* call, const std::string& name) {
    // What happens between calls speaks for and against nobody.
    if (call != nullptr && call->side == CallSide::kBetween) return;
    const bool is_eagers = owner == WorkOwner::kEager;
    // Eager's work in eager's own calls is what they are for.
    if (is_eagers && call != nullptr && call->side == CallSide::kEager) return;
    ++(ledger_.*kCountOf[static_cast<std::size_t>(owner)]);
    if (is_eagers) (call != nullptr ? eager_names_ : unasked_names_).insert(name);
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

  /// What rows differ in: name, kind, owner, source, module, in.
  using RowKey =
      std::tuple<std::string, WorkKind, WorkOwner, AttributionSource, std::string, std::string>;

  const DeviceTrace& trace_;
  WorkAttribution attribution_;
  std::vector<std::string> kernel_names_;
  DeviceLedger ledger_;
  std::map<RowKey, LedgerRow> rows_;
  std::map<std::size_t, CallWork> calls_;
  std::set<std::string> eager_names_;
  std::set<std::string> unasked_names_;
  SpanWatch spans_;
};

/// Why records may be missing.
std::string problem_of(const DeviceTrace& trace) {
  if (!trace.problem.empty()) return trace.problem;
  if (trace.num_dropped > 0) return std::to_string(trace.num_dropped) + " records were dropped";
  if (trace.lost_bytes > 0) {
    return base::format_bytes(trace.lost_bytes) + " of records were lost for lack of buffers";
  }
  if (trace.records.num_cut_buffers > 0) {
    const std::string& reason = trace.records.cut_reason;
    return std::to_string(trace.records.num_cut_buffers) + " buffers of records were cut off" +
           (reason.empty() ? "" : ": " + reason);
  }
  return "";
}

}  // namespace

DeviceLedger make_device_ledger(const DeviceTrace& trace, const CallName& call_name,
                                const KernelFiles& files) {
  DeviceLedger ledger = LedgerMaker(trace, files).make();
  for (const DeviceCall& call : trace.records.calls) {
    const std::string name = call_name(call.domain, call.id);
    if (is_launch_call(name)) ++ledger.launches[name];
  }
  ledger.refusals = trace.refusals;
  ledger.problem = problem_of(trace);
  if (ledger.problem.empty()) ledger.problem = files.problem;
  return ledger;
}

DeviceEvidence device_evidence(const DeviceLedger& ledger, bool self_tested) {
  DeviceEvidence evidence;
  evidence.unavailable = ledger.problem;
  evidence.eager_kernels = ledger.eager_kernels;
  // Then eager's own calls may have asked for what nobody seems to have asked for.
  const bool saw_no_eager = ledger.eager_calls.num_calls > 0 &&
                            ledger.eager_calls.first_counts.empty() &&
                            !ledger.eager_calls.counts_differ;
  const std::vector<std::string>& unasked = ledger.unasked_eager_kernels;
  if (!saw_no_eager) {
    evidence.eager_kernels.insert(evidence.eager_kernels.end(), unasked.begin(), unasked.end());
  } else if (evidence.unavailable.empty() && (!unasked.empty() || ledger.unattributed > 0)) {
    evidence.unavailable = "CUPTI did not report which call asked for the work of eager's calls";
  }
  if (evidence.unavailable.empty() && self_tested && ledger.host_work == 0) {
    evidence.unavailable = "CUPTI did not record the work of its self-test";
  }
  if (evidence.unavailable.empty() && ledger.outside.unwaited > 0) {
    evidence.unavailable =
        std::to_string(ledger.outside.unwaited) + " pieces of work ended after their call, up to " +
        base::format_duration(static_cast<double>(ledger.outside.most_unwaited_ns)) +
        " later, after a wait for the device";
  }
  evidence.plugin_work = ledger.plugin_work;
  evidence.unattributed = ledger.unattributed;
  evidence.counts_differ = ledger.plugin_calls.counts_differ || ledger.replays.counts_differ;
  // Nothing is said against the plugin: CUPTI may not know graphs from before it was started. The
  // one of CUDA 13.0 does.
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
           base::format_duration(event_ns) + ": it ran on another stream";
  }
  return "";
}

}  // namespace graphnet::proof
