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
/// "affinity" (list of cores, "0-3,8"), "smt" (whether sibling threads of a core are in use),
/// "turbo" (whether the clock may rise above its nominal rate), "cpu_quota" (cores that the control
/// group allows, absent without limit), "steal_share" (of all cores' time since boot), "runnable"
/// (threads that run or want to, on the whole machine), "clock_source", "transparent_hugepages",
/// "allocator" (of this process: "glibc 2.36" or the library that replaces it),
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

/// Makes peak_rss_bytes() start again from what is resident now; without effect where the system
/// refuses.
///
/// source   "5" written to /proc/self/clear_refs, proc(5)
void reset_peak_rss();

/// The processor's name from the text of /proc/cpuinfo, repeated blanks folded, with family and
/// model where the name has no number ("AMD EPYC" is said of four generations); "" if there is
/// none.
std::string cpu_model_in(std::string_view cpuinfo);

/// The word in brackets: "always [madvise] never" gives "madvise"; "" if there is none.
std::string chosen_in(std::string_view choices);

/// Number of cores in the text of a control group's cpu.max, "150000 100000"; nothing for "max".
std::optional<double> cpu_quota_in(std::string_view cpu_max);

/// Name of an allocator that replaces the C library's, from the text of /proc/self/maps; "" if
/// there is none of those known: jemalloc, tcmalloc, mimalloc.
std::string allocator_in(std::string_view maps);

/// VmHWM from the text of /proc/self/status, in bytes.
std::optional<std::int64_t> peak_rss_in(std::string_view status);

}  // namespace graphnet::measure
