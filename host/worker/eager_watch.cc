// SPDX-License-Identifier: MIT
#include "worker/eager_watch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "measure/bootstrap.h"
#include "measure/clock.h"
#include "measure/idle_wait.h"
#include "measure/pair_summary.h"

namespace graphnet::worker {

using base::Result;

namespace {

constexpr double kSuspicion = 1.10;
constexpr double kSlower = 1.05;
constexpr double kConfidence = 0.99;
constexpr double kTimeNs = 4e9;
constexpr double kFewestPairs = 5;
constexpr double kMostPairs = 24;

base::Status call_plugin(PluginSide& plugin) {
  const measure::SideCalls calls = plugin.calls();
  if (calls.prepare) GN_RETURN_IF_ERROR(calls.prepare());
  return calls.call();
}

Result<double> time_here(EagerSide& eager, bool settle) {
  const measure::SideCalls calls = eager.calls();
  double duration_ns = 0;
  for (int i = settle ? 0 : 1; i < 2; ++i) {
    if (calls.prepare) GN_RETURN_IF_ERROR(calls.prepare());
    const std::int64_t begin_ns = measure::monotonic_raw_ns();
    GN_RETURN_IF_ERROR(calls.call());
    duration_ns = static_cast<double>(measure::monotonic_raw_ns() - begin_ns);
  }
  return duration_ns;
}

/// Times of one pair.
struct BothTimes {
  double here_ns = 0;
  double there_ns = 0;
};

Result<BothTimes> time_pair(const WatchedEager& watched, bool here_first, bool settle,
                            std::int64_t idle_wait_ns) {
  BothTimes times;
  for (const bool here : {here_first, !here_first}) {
    GN_RETURN_IF_ERROR(call_plugin(watched.plugin));
    if (idle_wait_ns > 0) measure::wait_until_idle(idle_wait_ns);
    GN_ASSIGN_OR_RETURN(
        (here ? times.here_ns : times.there_ns),
        here ? time_here(watched.eager, settle) : watched.standby.time_call(settle));
  }
  return times;
}

}  // namespace

bool is_suspicious(double before_ns, double in_pairs_ns, const measure::PairedSummary& summary) {
  if (before_ns <= 0) return false;
  const double slowdown = in_pairs_ns / before_ns;
  const bool is_beyond = !summary.has_interval() || std::log(slowdown) > half_width(summary);
  return slowdown > kSuspicion && is_beyond;
}

bool is_slower_here(const std::vector<double>& log_ratios) {
  if (static_cast<double>(log_ratios.size()) < kFewestPairs) return false;
  const auto interval = measure::bootstrap_median(log_ratios, kConfidence, log_ratios.size());
  return interval.low > std::log(kSlower);
}

std::vector<Finding> confirm_slowed(const WatchedEager& watched, double call_ns, int threads,
                                    const measure::PairedSettings& settings, base::Json& report) {
  const bool settle = call_ns < static_cast<double>(settings.settle_below_ns);
  const double pair_ns = 4 * std::max(call_ns, 1.0);
  const int pairs = static_cast<int>(std::clamp(kTimeNs / pair_ns, kFewestPairs, kMostPairs));
  std::vector<double> here;
  std::vector<double> there;
  std::vector<double> log_ratios;
  for (int i = 0; i < pairs; ++i) {
    const auto times =
        time_pair(watched, i % 2 == 0, settle, threads > 1 ? settings.idle_wait_ns : 0);
    if (!times.is_ok()) {
      report["unknown"] = times.status().message();
      return {};
    }
    here.push_back(times->here_ns);
    there.push_back(times->there_ns);
    log_ratios.push_back(std::log(times->here_ns / std::max(times->there_ns, 1.0)));
  }
  const double ratio = std::exp(measure::median(log_ratios));
  report["here_ns"] = measure::median(std::move(here));
  report["there_ns"] = measure::median(std::move(there));
  report["ratio"] = ratio;
  report["pairs"] = pairs;
  if (!is_slower_here(log_ratios)) return {};
  char text[128];
  std::snprintf(text, sizeof text,
                "eager takes %.3g times as long beside the plugin as in a process without it",
                ratio);
  return {{record::Flag::kEagerSlowed, text}};
}

}  // namespace graphnet::worker
