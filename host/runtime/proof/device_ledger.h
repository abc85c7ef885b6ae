// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "proof/cupti_session.h"
#include "proof/kernel_files.h"
#include "proof/verdict.h"
#include "proof/work_attribution.h"
#include "proof/work_span.h"

namespace graphnet::proof {

/// Equal work.
///
/// units    nanoseconds; the sum over all calls
struct LedgerRow {
  std::string name;  ///< of the kernel, demangled; "(copy)", "(set)"
  WorkKind kind = WorkKind::kKernel;
  WorkOwner owner = WorkOwner::kNobody;
  AttributionSource source = AttributionSource::kNone;
  std::string module;  ///< file that holds the kernel; "" if that is not known
  std::string in;      ///< whose call asked for it: call_side_name(); "" outside of traced calls
  std::size_t count = 0;
  std::uint64_t time_ns = 0;
  std::size_t outside = 0;  ///< of `count`: outside of the span in which it can have been done
};

/// What devices did in the traced calls of one side, whoever's work it was.
///
/// units    nanoseconds; means over the calls
struct CallsOnDevice {
  std::size_t num_calls = 0;
  /// By kind and name, in the first call.
  std::map<std::pair<WorkKind, std::string>, std::size_t> first_counts;
  bool counts_differ = false;  ///< the calls did not all do the same
  double sum_ns = 0;           ///< times of all work
  double busy_ns = 0;          ///< parts of the clock in which any of it ran
  double span_ns = 0;          ///< from the first start to the last end
};

/// Everything that devices did in a session, by whom.
struct DeviceLedger {
  std::vector<LedgerRow> rows;  ///< most time first, then by name
  CallsOnDevice plugin_calls;
  CallsOnDevice replays;        ///< of a captured call of the plugin
  CallsOnDevice eager_calls;    ///< of eager by itself
  std::size_t plugin_work = 0;  ///< kernels, copies and sets; those of replays too
  std::size_t eager_work = 0;   ///< in the plugin's calls and their replays
  std::size_t host_work = 0;    ///< in the host's own calls; not between calls
  std::size_t unattributed = 0;
  std::vector<std::string> eager_kernels;  ///< names, in the plugin's calls and their replays
  std::vector<std::string> unasked_eager_kernels;  ///< and in no traced call
  std::map<std::string, std::size_t> launches;     ///< calls that launch, by CUPTI's name for them
  OutsideSpan outside;                ///< work outside of the span in which it can have been done
  std::vector<std::string> refusals;  ///< of CUPTI that cost no records, in words
  std::string problem;                ///< why something may be missing; empty: nothing is
};

/// CUPTI's name of a call; see CuptiSession::call_name().
using CallName = std::function<std::string(std::uint32_t domain, std::uint32_t id)>;

/// Turns what a session has seen into a ledger.
DeviceLedger make_device_ledger(const DeviceTrace& trace, const CallName& call_name,
                                const KernelFiles& files);

/// What of it the verdict rests on. Work outside of its span voids nothing, unless the plugin did
/// not wait for it.
///
/// shapes   self_tested: the host launched work of its own in the session
DeviceEvidence device_evidence(const DeviceLedger& ledger, bool self_tested);

/// Why times of a call that were taken without CUPTI do not fit to what it saw; empty if they do.
/// Work on a stream that the events do not see makes their span too short, by more than the clocks
/// are apart; work that goes on after the call has returned makes the host's time too short.
///
/// units    nanoseconds of one call; clock_error_ns: OutsideSpan's
std::string check_times(const CallsOnDevice& calls, double host_ns, double event_ns,
                        std::uint64_t clock_error_ns = 0);

}  // namespace graphnet::proof
