// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "proof/cupti_session.h"
#include "proof/regions.h"
#include "proof/verdict.h"
#include "proof/work_span.h"

namespace graphnet::proof {

/// Whose work something on a device is.
enum class WorkOwner { kPlugin, kEager, kHost, kNobody };

/// "plugin", "eager", "host", "unattributed".
const char* work_owner_name(WorkOwner owner);

/// How that is known, strongest first:
///
/// | rung     | means                                                                           |
/// |----------|---------------------------------------------------------------------------------|
/// | `loader` | libtorch loaded the code of the kernel: it is eager's, whoever was called. Says |
/// |          | nothing of kernels of cuBLAS and the like, which both may call: that libtorch's |
/// |          | operators were not entered is for the execute-deny witness to say               |
/// | `id`     | the call that asked for it carries the id that was pushed around a traced call  |
/// | `window` | that call was made while a traced call ran, on another thread: a worker holds   |
/// |          | one plugin and makes one call at a time. Not between calls, where another       |
/// |          | thread works unasked                                                            |
/// | `module` | neither, but the plugin's file, or the host's, loaded its code                  |
/// | `none`   | nothing of that                                                                 |
enum class Rung { kLoader, kId, kWindow, kModule, kNone };

/// "loader", "id", "window", "module", "none".
const char* rung_name(Rung rung);

/// Equal work.
///
/// units    nanoseconds; the sum over all calls
struct LedgerRow {
  std::string name;  ///< of the kernel, demangled; "(copy)", "(set)"
  WorkKind kind = WorkKind::kKernel;
  WorkOwner owner = WorkOwner::kNobody;
  Rung rung = Rung::kNone;
  std::string module;  ///< file that loaded its code; "" if that is not known
  std::string in;      ///< whose call asked for it: call_side_name(); "" outside of traced calls
  std::size_t count = 0;
  std::uint64_t time_ns = 0;
};

/// Code that was loaded onto a device during the session.
struct LedgerModule {
  std::string loader;  ///< file that asked for it; "" if that is not known
  std::string sha256;  ///< of the code as the device gets it
  std::size_t num_functions = 0;
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
  std::vector<std::string> eager_kernels;       ///< names, in the plugin's calls and their replays
  std::vector<LedgerModule> modules;            ///< in the order in which they were loaded
  std::map<std::string, std::size_t> launches;  ///< calls that launch, by CUPTI's name for them
  OutsideSpan outside;                ///< work outside of the span in which it can have been done
  std::vector<std::string> refusals;  ///< of CUPTI that cost no records, in words
  std::string problem;                ///< why something may be missing; empty: nothing is
};

/// CUPTI's name of a call; see CuptiSession::call_name().
using CallName = std::function<std::string(std::uint32_t domain, std::uint32_t id)>;

/// Turns what a session has seen into a ledger.
///
/// order    regions by address, of a moment in which what loaded modules is still mapped
DeviceLedger make_device_ledger(const DeviceTrace& trace, const CallName& call_name,
                                const std::vector<Region>& regions);

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

/// The member `device` of Record::proof:
///
/// | key                            | holds                                                      |
/// |--------------------------------|------------------------------------------------------------|
/// | `cupti`                        | {"state", "reason", "version", "file"}                     |
/// | `kernels`                      | [{"name", "kind", "owner", "by", "module", "count",        |
/// |                                | "time_ns", "in"}], the first 50 rows                       |
/// | `num_rows`                     | of all                                                     |
/// | `plugin`, `eager`, `host`, `unattributed` | numbers of kernels, copies and sets             |
/// | `calls`                        | traced calls of the plugin                                 |
/// | `sum_ns`, `busy_ns`, `span_ns` | of one of them                                             |
/// | `eager_calls`                  | the same four of eager's calls; absent if none was traced  |
/// | `replays`                      | the same four of replays of a captured call, and           |
/// |                                | `as_called`: they do what the plugin's calls do; absent if |
/// |                                | there were none                                            |
/// | `modules`                      | [{"loader", "sha256", "functions"}], the first 50          |
/// | `launches`                     | {call: times}                                              |
/// | `outside_span`                 | {"early", "late", "most_early_ns", "most_late_ns",         |
/// |                                | "clock_error_ns"}: work outside of the span in which it    |
/// |                                | can have been done (work_span.h); absent if there is none  |
/// | `refusals`                     | of CUPTI that cost no records; absent if there were none   |
/// | `problem`                      | absent if there is none                                    |
base::Json device_json(const CuptiStatus& status, const CuptiLibrary* library,
                       const DeviceLedger& ledger);

}  // namespace graphnet::proof
