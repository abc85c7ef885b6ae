// SPDX-License-Identifier: MIT
#include "measure/disturbance.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

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
  // The other count sees threads that run elsewhere at their ticks only, so the larger of the two
  // would be too large.
  const double own_ns = between.ran_ns - between.others_ns;
  between.ran_ns = static_cast<double>(*after.inherited_ns - *before.inherited_ns);
  between.others_ns = std::max(between.ran_ns - own_ns, 0.0);
  return between;
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
    const bool is_free = judgements[side].is_removable && calls[side] == 1;
    pair.removable_ns[side] = is_free ? judgements[side].waited_ns : 0;
  }
}

DisturbanceMeter::DisturbanceMeter()
    : schedstat_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

DisturbanceMeter::~DisturbanceMeter() {
  if (schedstat_ >= 0) ::close(schedstat_);
}

DisturbanceCounters DisturbanceMeter::read() const {
  DisturbanceCounters counters;
  rusage usage = {};
  if (::getrusage(RUSAGE_THREAD, &usage) == 0) counters.switches = usage.ru_nivcsw;
  counters.at_ns = monotonic_raw_ns();
  counters.ran_ns = clock_ns_by_syscall(CLOCK_PROCESS_CPUTIME_ID);
  counters.others_ran_ns = *counters.ran_ns - clock_ns_by_syscall(CLOCK_THREAD_CPUTIME_ID);
  counters.end_ns = monotonic_raw_ns();
  std::array<char, 96> text = {};
  const ssize_t size = schedstat_ < 0 ? -1 : ::pread(schedstat_, text.data(), text.size(), 0);
  if (size <= 0) return counters;
  std::string_view rest(text.data(), static_cast<std::size_t>(size));
  // Kernels without the counters print zeros; a thread that runs has a running time.
  const auto ran_ns = take_number(rest);
  const auto waited_ns = take_number(rest);
  if (ran_ns.value_or(0) > 0) counters.waited_ns = waited_ns;
  return counters;
}

std::optional<CoreTicks> core_ticks_in(std::string_view stat) {
  constexpr std::string_view kHead = "cpu ";
  constexpr int kSteal = 7;  // user nice system idle iowait irq softirq steal
  if (stat.substr(0, kHead.size()) != kHead) return std::nullopt;
  std::string_view line = stat.substr(kHead.size(), stat.find('\n') - kHead.size());
  CoreTicks ticks;
  for (int field = 0; field <= kSteal; ++field) {
    const auto value = take_number(line);
    if (!value) return std::nullopt;
    ticks.total += *value;
    if (field == kSteal) ticks.steal = *value;
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
