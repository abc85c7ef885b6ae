// SPDX-License-Identifier: MIT
#include "measure/disturbance.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/threads.h"
#include "measure/clock.h"
#include "measure/cycle_clock.h"

namespace graphnet::measure {

namespace {

/// Takes the next decimal number off the front; nothing if there is none.
std::optional<std::int64_t> take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// Second number of a schedstat file; nothing if there is none, or if the kernel does not count: it
/// prints zeros then, and a thread that runs has a running time.
std::optional<std::int64_t> waited_in(int schedstat) {
  std::array<char, 96> text = {};
  const ssize_t size = schedstat < 0 ? -1 : ::pread(schedstat, text.data(), text.size(), 0);
  if (size <= 0) return std::nullopt;
  std::string_view rest(text.data(), static_cast<std::size_t>(size));
  const auto ran_ns = take_number(rest);
  const auto waited_ns = take_number(rest);
  return ran_ns.value_or(0) > 0 ? waited_ns : std::nullopt;
}

/// For how long others than this process and its like can have had the cores.
double stolen_ns(const DisturbanceCounters& before, const DisturbanceCounters& after,
                 double waited_ns, int threads) {
  if (!before.ran_ns || !after.ran_ns) return waited_ns;
  const RanBetween between = ran_between(before, after);
  return std::clamp(threads * between.span_ns - between.ran_ns, 0.0, waited_ns);
}

}  // namespace

RanBetween ran_between(const DisturbanceCounters& before, const DisturbanceCounters& after) {
  RanBetween between;
  between.span_ns = static_cast<double>(after.end_ns - before.at_ns);
  between.others_ns = static_cast<double>(after.others_ran_ns - before.others_ran_ns);
  if (!before.ran_ns || !after.ran_ns) return between;
  between.ran_ns = static_cast<double>(*after.ran_ns - *before.ran_ns);
  if (!before.inherited_ns || !after.inherited_ns) return between;
  // The other count may see threads that run elsewhere at their ticks only, so the larger of the
  // two would be too large.
  const double own_ns = between.ran_ns - between.others_ns;
  between.ran_ns = static_cast<double>(*after.inherited_ns - *before.inherited_ns);
  between.others_ns = std::max(between.ran_ns - own_ns, 0.0);
  return between;
}

double unwaited_ns(const DisturbanceCounters& before, const DisturbanceCounters& after,
                   double call_ns, double share) {
  const double waited_ns =
      static_cast<double>(after.waited_ns.value_or(0) - before.waited_ns.value_or(0));
  if (!before.ran_ns || !after.ran_ns) {
    const Judgement judgement = judge(before, after, std::max(call_ns, 1.0), share);
    return judgement.is_removable ? call_ns - judgement.waited_ns : call_ns;
  }
  const auto others_ns = static_cast<double>(after.others_waited_ns - before.others_waited_ns);
  const double without_ns = call_ns - waited_ns - std::max(others_ns, 0.0);
  const double ran_ns = std::max(ran_between(before, after).ran_ns, 0.0);
  return std::clamp(std::max(without_ns, ran_ns), std::min(call_ns, 1.0), call_ns);
}

Judgement judge(const DisturbanceCounters& before, const DisturbanceCounters& after,
                double side_sample_ns, double share, int threads) {
  Judgement judgement;
  if (!before.waited_ns || !after.waited_ns) {
    if (after.switches > before.switches) judgement.mark = kPreempted;
    return judgement;
  }
  judgement.waited_ns = static_cast<double>(*after.waited_ns - *before.waited_ns);
  const double others_ns = ran_between(before, after).others_ns;
  judgement.may_be_own = 2 * others_ns >= judgement.waited_ns;
  judgement.is_removable =
      others_ns <= share * side_sample_ns && judgement.waited_ns < side_sample_ns;
  const bool is_stolen =
      stolen_ns(before, after, judgement.waited_ns, threads) > share * side_sample_ns;
  if (is_stolen) judgement.mark = kPreempted;
  return judgement;
}

void settle_waits(const PerSide<Judgement>& judgements, const PerSide<int>& calls, Pair& pair) {
  bool can_be_removed = true;
  for (const Side side : {kEager, kBackend}) {
    can_be_removed = can_be_removed && judgements[side].is_removable && calls[side] == 1;
  }
  for (const Side side : {kEager, kBackend}) {
    pair.marks[side] = can_be_removed ? kUndisturbed : judgements[side].mark;
    pair.waited_ns[side] = can_be_removed ? judgements[side].waited_ns : 0;
  }
  pair.may_be_own_wait = pair.marks[kBackend] == kPreempted && judgements[kBackend].may_be_own;
}

void settle_own_waits(std::vector<Pair>& pairs, double other_cores) {
  constexpr double kAlone = 0.1;  // ticks are counted unevenly
  constexpr double kFewestShare = 0.25;
  constexpr double kMoreThanEagers = 2;
  double own_waits = 0;
  double eagers_waits = 0;
  for (const Pair& pair : pairs) {
    own_waits += pair.may_be_own_wait ? 1 : 0;
    eagers_waits += (pair.marks[kEager] & kPreempted) != 0 ? 1 : 0;
  }
  const bool are_own = other_cores <= kAlone &&
                       own_waits >= kFewestShare * static_cast<double>(pairs.size()) &&
                       own_waits >= kMoreThanEagers * eagers_waits;
  for (Pair& pair : pairs) {
    if (!pair.may_be_own_wait) continue;
    std::uint8_t& marks = pair.marks[kBackend];
    marks = are_own ? marks & ~kPreempted : marks | kPreempted;
  }
}

OtherThreads::OtherThreads() : own_(std::to_string(::syscall(SYS_gettid))) {}

void OtherThreads::find() {
  threads_.clear();
  struct Close {
    void operator()(DIR* folder) const { ::closedir(folder); }
  };
  const std::unique_ptr<DIR, Close> folder(::opendir("/proc/self/task"));
  if (!folder) return;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string name = entry->d_name;
    if (name.front() == '.' || name == own_) continue;
    const std::string file = "/proc/self/task/" + name + "/schedstat";
    threads_.push_back({base::UniqueFd(::open(file.c_str(), O_RDONLY | O_CLOEXEC)),
                        base::clock_of_thread(std::atoi(name.c_str()))});
  }
}

void OtherThreads::bring_up_to_date() {
  struct stat status = {};
  const bool is_known = ::stat("/proc/self/task", &status) == 0;
  if (is_known && status.st_nlink != links_) {
    links_ = status.st_nlink;
    find();
  }
  const auto has_ended = [](const Thread& thread) {
    return clock_ns_by_syscall(thread.clock) == 0;
  };
  // Another one may have come in its place, which the number of threads does not show.
  if (std::count_if(threads_.begin(), threads_.end(), has_ended) == 0) return;
  find();
  std::for_each(threads_.begin(), threads_.end(), has_ended);
}

std::int64_t OtherThreads::waited_ns() const {
  std::int64_t sum_ns = 0;
  for (const Thread& thread : threads_) {
    sum_ns += waited_in(thread.schedstat.get()).value_or(0);
  }
  return sum_ns;
}

DisturbanceMeter::DisturbanceMeter(bool counts_others)
    : schedstat_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {
  if (counts_others) others_ = std::make_unique<OtherThreads>();
}

DisturbanceMeter::~DisturbanceMeter() {
  if (schedstat_ >= 0) ::close(schedstat_);
}

DisturbanceCounters DisturbanceMeter::read() const {
  DisturbanceCounters counters;
  rusage usage = {};
  if (::getrusage(RUSAGE_THREAD, &usage) == 0) counters.switches = usage.ru_nivcsw;
  if (others_) others_->bring_up_to_date();
  counters.at_ns = monotonic_raw_ns();
  counters.ran_ns = clock_ns_by_syscall(CLOCK_PROCESS_CPUTIME_ID);
  counters.others_ran_ns = *counters.ran_ns - clock_ns_by_syscall(CLOCK_THREAD_CPUTIME_ID);
  counters.end_ns = monotonic_raw_ns();
  if (others_) counters.others_waited_ns = others_->waited_ns();
  counters.waited_ns = waited_in(schedstat_);
  return counters;
}

std::optional<CoreTicks> core_ticks_in(std::string_view stat, std::string_view head) {
  constexpr int kIdle = 3;  // user nice system idle iowait irq softirq steal
  constexpr int kIoWait = 4;
  constexpr int kSteal = 7;
  while (stat.substr(0, head.size()) != head) {
    const std::size_t end = stat.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    stat.remove_prefix(end + 1);
  }
  std::string_view line = stat.substr(head.size(), stat.find('\n') - head.size());
  CoreTicks ticks;
  for (int field = 0; field <= kSteal; ++field) {
    const auto value = take_number(line);
    if (!value) return std::nullopt;
    ticks.total += *value;
    if (field == kSteal) ticks.steal = *value;
    if (field != kIdle && field != kIoWait) ticks.busy += *value;
  }
  return ticks;
}

double steal_share(const CoreTicks& before, const CoreTicks& after) {
  const std::int64_t total = after.total - before.total;
  if (total <= 0) return 0;
  return static_cast<double>(after.steal - before.steal) / static_cast<double>(total);
}

std::optional<int> running_in(std::string_view stat) {
  constexpr std::string_view kKey = "\nprocs_running ";
  const std::size_t at = stat.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = stat.substr(at + kKey.size());
  const auto count = take_number(rest);
  if (!count || *count > 1'000'000) return std::nullopt;
  return static_cast<int>(*count);
}

}  // namespace graphnet::measure
