// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace graphnet::measure {

/// The machine as this process sees it now, for Record::environment.
///
/// Keys, absent if the system does not tell: "cpu_model", "logical_cores" (in the affinity mask),
/// "cores_online", "kernel", "load_average_1m", "cpu_governor" (of the first core in the mask),
/// "memory_bytes", "host_hash" (12 hexadecimal digits; tells machines apart without naming them),
/// "hardware_class" (records of different classes never share a score column).
///
/// shapes   threads: size of the pool that the sample ran with
base::Json collect_environment(int threads);

/// "<cpu model>/<n> threads", the class of a record measured on the CPU.
std::string hardware_class(std::string_view cpu_model, int threads);

/// Number of logical cores that this process may use; 1 if the system does not tell.
///
/// source   sched_getaffinity(2)
int affinity_cores();

/// Largest resident set of this process so far.
///
/// units    bytes
/// source   VmHWM in /proc/self/status; nothing if it cannot be read
std::optional<std::int64_t> peak_rss_bytes();

/// The processor's name from the text of /proc/cpuinfo, repeated blanks folded; "" if there is
/// none.
std::string cpu_model_in(std::string_view cpuinfo);

/// VmHWM from the text of /proc/self/status, in bytes.
std::optional<std::int64_t> peak_rss_in(std::string_view status);

}  // namespace graphnet::measure
