// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace graphnet::proof {

/// All that is known of who did the work.
struct Evidence {
  std::uint64_t plugin_runs = 0;
  std::uint64_t eager_runs = 0;  ///< of them through the host's own eager service
  /// Flags of the timed calls, as in journal::Record.
  std::vector<std::string> flags;

  // Execute-deny witness.
  std::string unavailable;           ///< why it did not look; empty: it did
  std::vector<std::string> entered;  ///< libtorch's functions that somebody else called
  std::vector<std::string> inside;   ///< those that ran in turn
  std::size_t plugin_windows = 0;    ///< of the plugin's code that were entered
  // Dispatcher counts.
  std::vector<std::string> dispatched;  ///< operators that were called
  bool covers_program = false;          ///< they are at least those of the program itself

  bool is_stale = false;  ///< traced outputs do not follow the inputs
  std::string differs;    ///< how they differ from those of an untraced call; empty: they do not
};

/// Who did the work, in one word with its reason:
///
/// | verdict           | means                                                                   |
/// |-------------------|-------------------------------------------------------------------------|
/// | `proven`          | no libtorch operator code ran in the traced calls, the plugin's code    |
/// |                   | did, and their outputs equal those of untraced calls                    |
/// | `mixed(list)`     | operators of libtorch ran, which                                        |
/// | `eager`           | libtorch ran the whole program: every call through the host's eager     |
/// |                   | service, or as many operators of each name as the program has           |
/// | `empty`           | what was traced did not compute the outputs: they were stored, written  |
/// |                   | later or left out                                                       |
/// | `reported`        | only the plugin itself says so; no witness of the CPU gives this        |
/// | `unknown(reason)` | it could not be found out, why                                          |
///
/// What speaks against the plugin counts before what is missing.
std::string verdict_of(const Evidence& evidence);

}  // namespace graphnet::proof
