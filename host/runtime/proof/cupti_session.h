// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proof/cupti_library.h"
#include "proof/cupti_records.h"

namespace graphnet::proof {

/// Who was called; kReplay: nobody, a captured call of the plugin was launched again; kBetween:
/// whatever the host's thread does between the calls that matter (copies, calls that nobody
/// traces).
enum class CallSide : std::uint8_t { kHost, kEager, kPlugin, kReplay, kBetween };

/// "host", "eager", "plugin", "replay", "between".
const char* call_side_name(CallSide side);

/// A call during which a device was traced.
///
/// units    nanoseconds of CLOCK_MONOTONIC_RAW, as the records if has_own_clock
struct TracedCall {
  CallSide side = CallSide::kHost;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
};

/// Everything that a session has seen.
struct DeviceTrace {
  DeviceRecords records;
  std::vector<TracedCall> calls;      ///< the id pushed in a call is its index here
  std::size_t first_call = 0;         ///< of those since the last finish(), whose records these are
  bool has_own_clock = false;         ///< else CUPTI's, which no host time can be compared with
  std::size_t num_dropped = 0;        ///< records that CUPTI had no buffer for
  std::size_t lost_bytes = 0;         ///< of records in buffers that had to be used again
  std::string problem;                ///< why records may be missing; empty: none is known
  std::vector<std::string> refusals;  ///< of CUPTI that cost no records, in words
};

/// Records what devices do, through CUPTI. One at a time in a process, for the rest of the process:
/// CUPTI is not finalised (that crashes with graphs), the process ends instead. Nothing may be
/// timed while one runs, nor after it: launches cost more from the moment of subscribing, also when
/// the subscription has ended (7.5 us before, 11 us from then on, in one process on an H100).
///
/// CUPTI is given the host's clock right after subscribing. Records of a device's clock from before
/// that would be on another clock.
///
/// order    start(), then begin_call(), the call, wait for the device, end_call(), again and again,
///          then finish(). Ends before the context of the device that it traces
class CuptiSession {
 public:
  struct Settings {
    CuptiSearch search;
    std::string driver = "libcuda.so.1";  ///< asked why CUPTI does not start
    // 300 bytes a kernel with the call that launched it: 64 MiB hold 200,000 kernels.
    std::size_t buffer_bytes = std::size_t{1} << 20U;
    std::size_t max_buffers = 64;
    std::chrono::milliseconds flush_limit = std::chrono::seconds(5);
  };

  /// Records from here on. Null if the state is not `ready`.
  static std::unique_ptr<CuptiSession> start(const Settings& settings, CuptiStatus& status);
  /// Unsubscribes; buffers stay, CUPTI may still write to them.
  ~CuptiSession();
  CuptiSession(const CuptiSession&) = delete;
  CuptiSession& operator=(const CuptiSession&) = delete;

  /// The clock of calls, and of records if has_own_clock.
  ///
  /// units    nanoseconds of CLOCK_MONOTONIC_RAW
  static std::uint64_t now_ns();

  void begin_call(CallSide side);
  /// order    after the device has been waited for: what it still does belongs to nobody
  void end_call();

  /// Has CUPTI deliver what it holds, within the limit, and reads it: the records since the last
  /// time, and all calls.
  DeviceTrace finish();

  /// The name of a driver's or the runtime's function, without version suffixes of its own;
  /// "" if CUPTI does not know it.
  std::string call_name(std::uint32_t domain, std::uint32_t id) const;
  const CuptiLibrary& library() const;

 private:
  struct State;
  explicit CuptiSession(std::shared_ptr<State> state);
  std::string flush();

  std::shared_ptr<State> state_;  // a flush that hangs keeps it
};

/// True for the calls whose records are wanted: launches (of kernels, graphs and host functions),
/// copies, sets, and what loads code. CUPTI's names, such as "cudaLaunchKernelExC_v11060".
bool is_traced_call(std::string_view name);

/// True for those of them that launch kernels, graphs or host functions.
bool is_launch_call(std::string_view name);

}  // namespace graphnet::proof
