// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "record/record.h"

namespace graphnet::report {

struct GraphnetLogStyle {
  std::string prompt = "graph-net-test-compiler-log";
  /// For records that end before the worker says what processor it ran on; may be empty.
  std::string hardware;
  /// Report as failed what record::upstream_refusal() names, although it ran here.
  bool refuse_as_upstream = false;
  /// Show how long kernels ran, where the record is of a GPU: upstream's --kernel-time.
  bool kernel_time = false;
};

/// One record as the lines that upstream's test_compiler prints for it, each ending in a newline;
/// its analysis scripts read them. Names and messages are made printable, so that none forges a
/// line.
///
/// Deviations, all deliberate:
/// - The hardware is the processor's name, `unknown` without one: upstream prints an empty value
///   where Python does not know it, and its own parser then drops the line.
/// - On a GPU the hardware is its name, the device is numbered (upstream's `cuda` is our `cuda:0`),
///   and the kernel time is how long the device was busy in a traced call (`busy_ns` in
///   proof/device_json.h): upstream adds up kernels that run at the same time. It is traced on
///   three calls at most, not on as many as are timed, and a line says so where it is not known.
/// - compile_framework_version is libtorch's version where libtorch did the work, else
///   `<Plugin> <version>`: upstream raises for every backend but its torch ones.
/// - A failure names the outcome, `Compiled model execution failed: compile_failed: <message>`,
///   because upstream does not tell compile failures from run failures. One line, no traceback.
/// - After a failure of the eager side the compiled side does not run.
/// - A spread of the times is no failure.
/// - Outputs of unequal shape get 0 at every level and `nan` as difference, empty ones `nan`:
///   upstream broadcasts, or ends with an exception.
/// - A sample that cannot be loaded is one line without prompt, in place of a traceback. Like
///   upstream's traceback it has no Processing line, so scores do not count the sample.
/// - Where torch's Python layer refuses a sample with a ValueError, upstream ends with a traceback
///   after the Config lines; here the lines of an eager failure follow
///   (record::upstream_refusal()).
/// - Every run gets the same arguments and generator state, so samples that draw random numbers or
///   write to their arguments agree with themselves.
///
/// order    Processing, Config, Profiling and Trial of both sides, types, correctness (64 levels in
///          the order of base::tolerance_levels()), result, performance, speedup
/// units    milliseconds
/// source   GraphNet bench test_compiler, test_compiler_util
std::string graphnet_log(const record::Record& record, const GraphnetLogStyle& style);

}  // namespace graphnet::report
