// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "xla/program_executable.h"

namespace graphnet::xla {

/// What an optimized program consists of.
struct OptimizedProgram {
  /// What the entry computation executes: "fusion:kLoop", "custom-call:<target>", "dot", ... and
  /// how often. Parameters, constants and tuples are no work and not here.
  std::map<std::string, std::size_t> operations;
  std::size_t num_computations = 0;
  std::size_t num_instructions = 0;  ///< of all computations
};

/// Reads a serialized xla.HloModuleProtoWithConfig; what is damaged is left out.
///
/// source   openxla/xla: xla/service/hlo.proto
OptimizedProgram read_optimized_program(std::string_view bytes);

/// "key: value" lines about the PJRT library.
std::string report_client(const PjrtClient& client);

/// A line "call_times" with the means a call in microseconds; empty if no times were taken.
std::string report_times(const CallTimes& times);

/// "key: value" lines about what XLA made of a program, and where the time of its calls on a device
/// went.
std::string report_program(const ProgramExecutable& executable);

}  // namespace graphnet::xla
