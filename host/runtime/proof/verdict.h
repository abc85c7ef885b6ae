// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/flag.h"
#include "record/verdict.h"

namespace graphnet::proof {

/// What devices did in the traced calls of the plugin, as far as CUPTI tells.
struct DeviceEvidence {
  std::string unavailable;  ///< why it cannot be relied on; empty: it can
  std::size_t plugin_work = 0;
  std::vector<std::string> eager_kernels;
  std::size_t unattributed = 0;
  bool counts_differ = false;  ///< from call to call
};

/// All that is known of who did the work.
struct Evidence {
  std::uint64_t plugin_runs = 0;
  std::uint64_t eager_runs = 0;  ///< of them through the host's own eager service
  /// Flags of the timed calls, as in record::Record.
  std::vector<record::Word<record::Flag>> flags;

  // Execute-deny tracer.
  std::string unavailable;           ///< why it did not look; empty: it did
  std::vector<std::string> entered;  ///< libtorch's functions that somebody else called
  std::vector<std::string> inside;   ///< those that ran in turn
  std::size_t plugin_windows = 0;    ///< of the plugin's code that were entered
  // Samples of its threads.
  std::string sampled;    ///< libtorch's function in which threads were found; empty: none
  std::string unsampled;  ///< why they prove nothing; empty: they do
  // Dispatcher counts.
  std::vector<std::string> dispatched;  ///< operators that were called
  bool covers_program = false;          ///< they are at least those of the program itself
  /// What the plugin's manifest says that its compiler calls in libtorch by design: patterns of
  /// fnmatch(3) for names of `entered` and `dispatched`.
  std::vector<std::string> declared;
  /// Its manifest says that it hands its work to another process, where no tracer looks.
  bool runs_elsewhere = false;

  /// Of samples on a device; then code of the plugin and work on the device are both needed.
  std::optional<DeviceEvidence> device;

  bool is_stale = false;  ///< traced outputs do not follow the inputs
  std::string differs;    ///< how they differ from those of an untraced call; empty: they do not
};

/// Which code did the work:
///
/// | verdict           | means                                                                   |
/// |-------------------|-------------------------------------------------------------------------|
/// | `proven`          | no libtorch operator code ran in the traced calls, the plugin's code    |
/// |                   | did, no thread was found in such code in the sampled ones, and outputs  |
/// |                   | equal those of untraced calls; on a device also:                        |
/// |                   | all its work is attributed, none of it to libtorch, and the same in     |
/// |                   | each call                                                               |
/// | `mixed(list)`     | operators or kernels of libtorch ran, or copies of them, which;         |
/// |                   | `mixed(declared)`: only those that the plugin's manifest names, and     |
/// |                   | what they called in turn                                                |
/// | `eager`           | libtorch ran the whole program: every call through the host's eager     |
/// |                   | service, as many operators of each name as the program has, or all      |
/// |                   | work on the device                                                      |
/// | `empty`           | what was traced did not compute the outputs: they were stored, written  |
/// |                   | later or left out, or no device did anything                            |
/// | `reported`        | only the plugin itself says so: its manifest says that it hands its     |
/// |                   | work to another process, and nothing was found that speaks against it   |
/// | `unknown(reason)` | it could not be found out, why                                          |
///
/// Evidence against the plugin takes precedence over missing evidence.
record::Verdict verdict_of(const Evidence& evidence);

}  // namespace graphnet::proof
