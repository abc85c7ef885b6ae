// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "device/gpu.h"
#include "proof/cupti_session.h"

namespace graphnet::proof {

/// One way in which a device is given work, and what CUPTI told of it:
///
/// | way                   | the self-test's kernel is launched                               |
/// |-----------------------|------------------------------------------------------------------|
/// | `default_stream`      | by the thread that opened the device, on the default stream      |
/// | `second_thread`       | by another thread, which carries no id                           |
/// | `non_blocking_stream` | on a stream that does not wait for the default one               |
/// | `earlier_graph`       | by a graph that was instantiated before CUPTI was started        |
struct TracedWay {
  std::string way;
  std::size_t asked = 0;       ///< kernels that were launched and computed what they should
  std::size_t seen = 0;        ///< of which CUPTI told
  std::size_t attributed = 0;  ///< of those seen: that the ledger gives to the call that asked
  std::string problem;         ///< why it could not be tried, or records may be missing; else empty

  bool is_seen() const { return problem.empty() && asked > 0 && seen == asked; }
};

/// Offset of CUPTI's clock to the host's, from the records of one call and its kernel.
///
/// units    nanoseconds; positive: later than the host says
struct TracingClock {
  /// Record of the first launching call against the host's readings around it.
  double offset_ns = 0;
  double uncertainty_ns = 0;  ///< of it, either way
  /// From the record of the call to the start of its kernel. Negative cannot be: the clocks of
  /// device and host are not brought together.
  double start_after_call_ns = 0;
  /// From the end of the kernel to the host's reading when the device had been waited for; so here.
  double end_before_return_ns = 0;
};

/// What a session sees of work that is known.
struct TracingSelfTest {
  CuptiStatus recording;              ///< not `ready`: nothing was tried, for this reason
  std::uint32_t version = 0;          ///< of CUPTI's interface; 0: it could not be started
  std::filesystem::path library;      ///< CUPTI's file
  std::vector<TracedWay> ways;        ///< in the order of the table
  bool has_own_clock = false;         ///< CUPTI took the host's clock for its records
  std::optional<TracingClock> clock;  ///< absent if there was no record of the first launch
  std::vector<std::string> refusals;  ///< of CUPTI that cost no tracing, in its own words
  base::Json raw;  ///< raw_rows_json() of the first way that was not seen; null if all were

  /// Why CUPTI cannot be relied on; empty: it can.
  std::string problem() const;
};

/// Starts CUPTI, gives the device known work in each of these ways, and compares the records with
/// it. Nothing can be timed afterwards.
///
/// errors   kUnsupported: built without nvcc; else as Gpu, before the first way. What goes wrong in
///          one is its `problem`
base::Result<TracingSelfTest> run_tracing_self_test(device::Gpu& gpu,
                                                    const CuptiSession::Settings& settings);

/// | key             | holds                                                                     |
/// |-----------------|---------------------------------------------------------------------------|
/// | `ways`          | [{"way", "asked", "seen", "attributed"}], `problem` where there is one    |
/// | `own_clock`     | true: CUPTI's records are on the host's clock                             |
/// | `clock`         | {"offset_ns", "uncertainty_ns", "start_after_call_ns",                    |
/// |                 | "end_before_return_ns"}; absent if it could not be seen                   |
/// | `refusals`      | absent if there were none                                                 |
/// | `raw`           | absent if everything was seen                                             |
base::Json tracing_json(const TracingSelfTest& test);

}  // namespace graphnet::proof
