// SPDX-License-Identifier: MIT
#include "measure/disturbance.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <charconv>

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

std::int64_t clock_ns(clockid_t clock) {
  timespec time = {};
  ::clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Judgement judge(const DisturbanceCounters& before, const DisturbanceCounters& after, double half_ns,
                double share) {
  Judgement judgement;
  if (!before.waited_ns || !after.waited_ns) {
    if (after.switches > before.switches) judgement.mark = kPreempted;
    return judgement;
  }
  const auto waited_ns = static_cast<double>(*after.waited_ns - *before.waited_ns);
  const auto others_ns = static_cast<double>(after.others_ran_ns - before.others_ran_ns);
  const bool alone = others_ns <= share * half_ns;
  if (alone && waited_ns < half_ns) {
    judgement.waited_ns = waited_ns;
  } else if (waited_ns > share * half_ns) {
    judgement.mark = kPreempted;
  }
  return judgement;
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
  counters.others_ran_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - clock_ns(CLOCK_THREAD_CPUTIME_ID);
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
