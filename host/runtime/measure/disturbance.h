// SPDX-License-Identifier: MIT
#pragma once

#include <time.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "measure/paired_result.h"

namespace graphnet::measure {

/// Why a side sample is marked; bits.
enum Disturbance : std::uint8_t {
  kUndisturbed = 0,
  kPreempted = 1,  ///< a thread had no core for a while, and for how long cannot be taken out
  kSteal = 2,      ///< the hypervisor took time before the interim analysis of this side sample
};

/// What the kernel has counted so far; only differences mean something.
struct DisturbanceCounters {
  /// Time that the calling thread was ready to run but had no core; nothing if the kernel does not
  /// count it.
  ///
  /// units    nanoseconds
  std::optional<std::int64_t> waited_ns;
  /// Time that whatever else belongs to this process was on a core: its other threads, and
  /// processes that it has started (process_family.h).
  ///
  /// units    nanoseconds
  std::int64_t others_ran_ns = 0;
  /// Involuntary context switches of the calling thread.
  std::int64_t switches = 0;
  /// Time on a core of the calling thread and of the others together; nothing if unknown.
  ///
  /// units    nanoseconds
  std::optional<std::int64_t> ran_ns = {};
  /// The same by the kernel's inherited count (family_clock.h), which starts elsewhere; nothing
  /// without it.
  std::optional<std::int64_t> inherited_ns = {};
  /// When reading this began and ended; see clock.h.
  std::int64_t at_ns = 0;
  std::int64_t end_ns = 0;
  /// As waited_ns, of this process's other threads that live; 0 where they are not counted.
  std::int64_t others_waited_ns = 0;
};

/// What ran between two readings, by the inherited count where there is one.
///
/// units    nanoseconds
struct RanBetween {
  double ran_ns = 0;     ///< as DisturbanceCounters::ran_ns; 0 if unknown
  double others_ns = 0;  ///< as others_ran_ns
  double span_ns = 0;    ///< of the wall clock; not shorter than what one thread ran in it
};
RanBetween ran_between(const DisturbanceCounters& before, const DisturbanceCounters& after);

/// What happened to a side sample.
struct Judgement {
  /// Holds if the wait stays in the side sample.
  Disturbance mark = kUndisturbed;
  double waited_ns = 0;  ///< for a core, by the calling thread
  /// The calling thread alone did the work of one call, so the wait is no part of it.
  bool is_removable = false;
  /// Other threads of the process, or its children, ran for at least half as long as the calling
  /// thread waited: they may have had the core that it waited for, and switching takes time, too.
  bool may_be_own = false;
};

/// What a call, or the calls of a side sample together, took without other programs: for checks
/// that must accuse nobody of what these did. It is exact where one thread does the work. The
/// readings lie some way before and behind the call, so a wait between them may have been outside
/// of it: what the process ran between them then says more, since nobody runs for longer than that.
/// Of both the larger one counts: a thread that sleeps neither runs nor waits for a core. With
/// several threads waits of all are counted, and what is left may be too long: each may have run
/// while another waited. Without a count of processor time waits are taken out if the calling
/// thread alone ran.
///
/// shapes   result in (0, call_ns]
/// units    nanoseconds; `share` as for judge()
double unwaited_ns(const DisturbanceCounters& before, const DisturbanceCounters& after,
                   double call_ns, double share);

/// Judges a side sample by what was counted during it.
///
/// If the calling thread alone did the work, its wait for a core is not work and can be subtracted.
/// If other threads or child processes ran too, they may have worked during the wait. Then nothing
/// is subtracted, and the side sample is marked if other programs had the cores for more than
/// `share` of it. Other programs had them for at most the wait, and for at most the time of
/// `threads` cores that this process and its children did not use. Without counted waits every
/// involuntary switch is a mark.
///
/// units    side_sample_ns: nanoseconds
Judgement judge(const DisturbanceCounters& before, const DisturbanceCounters& after,
                double side_sample_ns, double share, int threads = 1);

/// Writes the side samples' marks and waits to the pair: waits are taken out of both side samples,
/// or of neither if one of them cannot be freed of its own. A side sample of several calls (`calls`
/// above 1) cannot, since the calls share it. Notes a mark of the plugin's that may be of its own
/// making.
void settle_waits(const PerSide<Judgement>& judgements, const PerSide<int>& calls, Pair& pair);

/// Takes the plugin's marks away that are for waits of its own making, or puts them back. Where
/// others had at most a tenth of a core, its threads may have waited for each other. They do so in
/// many of its side samples and in more than eager waits in: what other programs do falls on both
/// sides alike. Eager's marks stay: a plugin's threads may have been in its way.
///
/// units    other_cores: what others had, in cores
void settle_own_waits(std::vector<Pair>& pairs, double other_cores);

/// The waits of all threads of this process but the one that made this.
///
/// source   as DisturbanceMeter; the links of /proc/self/task count the threads (proc(5)); the
///          threads' clocks are those of pthread_getcpuclockid(3)
class OtherThreads {
 public:
  OtherThreads();
  OtherThreads(const OtherThreads&) = delete;
  OtherThreads& operator=(const OtherThreads&) = delete;

  /// Sum for those that lived at the last bring_up_to_date(); it falls when one ends.
  std::int64_t waited_ns() const;
  /// Makes the kernel add to the process's clock what each has run up to now. By itself it does so
  /// at a thread's ticks and switches only: a tick more or less belonged to a short stretch by
  /// chance.
  void bring_up_to_date();

 private:
  struct Thread {
    base::UniqueFd schedstat;
    clockid_t clock = 0;  ///< of its own processor time
  };
  void find();

  std::string own_;
  std::uint64_t links_ = 0;
  std::vector<Thread> threads_;
};

/// Reads the counters of the calling thread; about two microseconds, no allocation.
/// `counts_others`: the other threads' waits too, and their running time up to now; two
/// microseconds for each.
///
/// source   /proc/thread-self/schedstat, second field (Documentation/scheduler/sched-stats.rst);
///          getrusage(2), RUSAGE_THREAD; clock_gettime(2), CPU-time clocks, by system calls of our
///          own
class DisturbanceMeter {
 public:
  explicit DisturbanceMeter(bool counts_others = false);
  DisturbanceMeter(const DisturbanceMeter&) = delete;
  DisturbanceMeter& operator=(const DisturbanceMeter&) = delete;
  ~DisturbanceMeter();

  DisturbanceCounters read() const;

 private:
  int schedstat_ = -1;
  std::unique_ptr<OtherThreads> others_;
};

/// Sums of a line of /proc/stat.
///
/// units    clock ticks
struct CoreTicks {
  std::int64_t total = 0;  ///< without guest, which the kernel also counts as user
  std::int64_t steal = 0;
  std::int64_t busy = 0;  ///< all but idle and waiting for input or output; with steal
};

/// `head`: of the line, a core's with its number and a blank; by default that of all cores
/// together.
///
/// errors   nothing if the text has no such line, or no eight numbers in it
std::optional<CoreTicks> core_ticks_in(std::string_view stat, std::string_view head = "cpu ");

/// Share of steal between two readings; 0 if no tick passed.
double steal_share(const CoreTicks& before, const CoreTicks& after);

/// Number of threads that run or wait for a core on the whole machine, this one included.
///
/// source   procs_running in the text of /proc/stat
std::optional<int> running_in(std::string_view stat);

}  // namespace graphnet::measure
