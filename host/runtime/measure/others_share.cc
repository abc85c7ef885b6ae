// SPDX-License-Identifier: MIT
#include "measure/others_share.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/kernel_file.h"
#include "measure/clock.h"

namespace graphnet::measure {

namespace {

// Two hundred ticks at 250 Hz.
constexpr double kShortestNs = 0.8e9;
constexpr double kTolerance = 0.2;
constexpr double kFewTicks = 4;

double tick_length_ns() {
  return 1e9 / static_cast<double>(std::max(::sysconf(_SC_CLK_TCK), 1L));
}

/// A thread of the family that is not bound has time on other cores.
std::optional<CoresAt> read_cores(const FamilyClock& clock, const std::vector<int>& cores) {
  const std::string stat = base::read_kernel_file("/proc/stat");
  const auto family_ns = clock.ran_ns();
  if (!family_ns) return std::nullopt;
  CoresAt now = {{}, *family_ns - clock.ran_elsewhere_ns(), monotonic_raw_ns()};
  for (const int core : cores) {
    const auto ticks = core_ticks_in(stat, "cpu" + std::to_string(core) + " ");
    if (!ticks) return std::nullopt;
    now.cores.push_back(*ticks);
  }
  return now;
}

}  // namespace

std::optional<double> others_share(const CoresAt& before, const CoresAt& after, double tick_ns) {
  const auto span_ns = static_cast<double>(after.at_ns - before.at_ns);
  const double core_ns = span_ns * static_cast<double>(after.cores.size());
  if (core_ns < kShortestNs || before.cores.size() != after.cores.size()) return std::nullopt;
  double busy_ns = 0;
  for (std::size_t i = 0; i < after.cores.size(); ++i) {
    const CoreTicks& was = before.cores[i];
    const CoreTicks& is = after.cores[i];
    const double passed_ns = tick_ns * static_cast<double>(is.total - was.total);
    const double tolerated_ns = std::max(kTolerance * span_ns, kFewTicks * tick_ns);
    if (std::fabs(passed_ns - span_ns) > tolerated_ns) return std::nullopt;
    // `busy` has the steal, in which the family's time goes on: once more it is others'.
    busy_ns += tick_ns * static_cast<double>(is.busy - was.busy + is.steal - was.steal);
  }
  const double others_ns = busy_ns - static_cast<double>(after.family_ns - before.family_ns);
  if (others_ns < -kTolerance * core_ns) return std::nullopt;
  return std::max(others_ns, 0.0) / core_ns;
}

void watch_others(Instruments& instruments, const FamilyClock& clock, std::vector<int> cores) {
  if (cores.empty()) return;
  instruments.watch_others = [&clock, cores = std::move(cores)] {
    return [&clock, cores, begin = read_cores(clock, cores)]() -> std::optional<double> {
      const auto now = read_cores(clock, cores);
      return begin && now ? others_share(*begin, *now, tick_length_ns()) : std::nullopt;
    };
  };
}

}  // namespace graphnet::measure
