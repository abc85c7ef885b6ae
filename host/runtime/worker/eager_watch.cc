// SPDX-License-Identifier: MIT
#include "worker/eager_watch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "measure/bootstrap.h"
#include "measure/clocked_call.h"
#include "measure/idle_wait.h"
#include "measure/pair_summary.h"
#include "worker/fresh_inputs.h"

namespace graphnet::worker {

using base::Result;

namespace {

// In a process with other code and threads than the copy eager is slower by 5 to 7 % without
// anybody's doing.
constexpr double kSuspicion = 1.10;
// Of what is suspicious, as logarithms.
constexpr double kExplained = 0.5;
// Machines drift by 20 % from one minute to the next, and these times are not of one moment.
constexpr double kSlowerInPairs = 1.4;
constexpr double kConfidence = 0.99;
constexpr double kTimeNs = 4e9;
constexpr int kFewestPairs = 5;
constexpr int kMostPairs = 24;

using Renew = std::function<base::Status()>;

base::Status call_plugin(PluginSide& plugin, const Renew& renew) {
  const measure::SideCalls calls = plugin.calls();
  if (calls.prepare) GN_RETURN_IF_ERROR(calls.prepare());
  GN_RETURN_IF_ERROR(renew());
  return calls.call();
}

/// The sides of one sample and the copy of this process that no code of a plugin has touched.
struct Watched {
  EagerSide& eager;
  PluginSide& plugin;
  EagerStandby& standby;
  Renew renew;  ///< gives the inputs here other content, as before the calls of the pairs
  const measure::PairedSettings& settings;
  const measure::Instruments& instruments;
  bool settle;  ///< each time is that of a second call

  Result<double> time_here() const {
    const measure::SideCalls calls = eager.calls();
    double own_ns = 0;
    for (int i = settle ? 0 : 1; i < 2; ++i) {
      GN_ASSIGN_OR_RETURN(const auto call,
                          measure::step_call(calls, renew, instruments, settings.disturbed_share));
      own_ns = call.own_ns();
    }
    return own_ns;
  }
};

/// One time of each pair.
struct Times {
  std::vector<double> here_ns;
  std::vector<double> there_ns;

  std::vector<double> log_ratios() const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < here_ns.size(); ++i) {
      ratios.push_back(std::log(here_ns[i] / std::max(there_ns[i], 1.0)));
    }
    return ratios;
  }
};

base::Status time_pair(const Watched& watched, bool here_first, Times& times) {
  for (const bool here : {here_first, !here_first}) {
    GN_RETURN_IF_ERROR(call_plugin(watched.plugin, watched.renew));
    const std::int64_t idle_wait_ns = watched.settings.idle_wait_ns;
    if (idle_wait_ns > 0) measure::wait_until_idle(idle_wait_ns);
    GN_ASSIGN_OR_RETURN(const double time_ns,
                        here ? watched.time_here() : watched.standby.time_call(watched.settle));
    (here ? times.here_ns : times.there_ns).push_back(time_ns);
  }
  return base::Status::ok();
}

std::vector<Finding> slowed(const char* format, double factor) {
  char text[160];
  std::snprintf(text, sizeof text, format, factor);
  return {{record::Flag::kEagerSlowed, text}};
}

}  // namespace

EagerTimes eager_times(const measure::Warmup& warmup, const std::vector<measure::Pair>& pairs) {
  std::vector<double> clean_ns;
  std::vector<double> all_ns;
  for (const measure::Pair& pair : pairs) {
    const double own_ns = pair.call_ns[measure::kEager] - pair.removable_ns[measure::kEager];
    all_ns.push_back(own_ns);
    const bool is_clean =
        pair.marks[measure::kEager] == 0 || pair.removable_ns[measure::kEager] > 0;
    if (is_clean) clean_ns.push_back(own_ns);
  }
  std::vector<double>& used_ns = clean_ns.empty() ? all_ns : clean_ns;
  return {warmup.typical_ns(), used_ns.empty() ? 0 : measure::median(std::move(used_ns))};
}

bool is_suspicious(const EagerTimes& times, const measure::PairedSummary& summary) {
  if (times.before_ns <= 0) return false;
  const double slowdown = times.in_pairs_ns / times.before_ns;
  const bool is_beyond = !summary.has_interval() || std::log(slowdown) > half_width(summary);
  return slowdown > kSuspicion && is_beyond;
}

bool is_slower(const std::vector<double>& log_ratios, double slowdown) {
  if (log_ratios.size() < static_cast<std::size_t>(kFewestPairs)) return false;
  const auto interval = measure::bootstrap_median(log_ratios, kConfidence, log_ratios.size());
  return interval.low > std::log(kSuspicion) &&
         measure::median(log_ratios) >= kExplained * std::log(slowdown);
}

bool is_settled(const std::vector<double>& log_ratios, int num_pairs) {
  const auto too_small = std::count_if(log_ratios.begin(), log_ratios.end(),
                                       [](double ratio) { return ratio <= std::log(kSuspicion); });
  return 2 * too_small > num_pairs;
}

std::vector<Finding> confirm_slowed(const ComparedSample& compared, EagerStandby* standby,
                                    const EagerTimes& eager_times,
                                    const measure::PairedSettings& settings,
                                    const measure::Instruments& instruments, base::Json& report) {
  const double factor = eager_times.in_pairs_ns / eager_times.before_ns;
  constexpr const char* kNobodyDenies =
      "eager took %.3g times as long in the timed pairs as before the plugin was loaded, and no "
      "process without the plugin is left to compare with";
  if (standby == nullptr) {
    report["unknown"] = "no process without the plugin could be made";
    return factor > kSlowerInPairs ? slowed(kNobodyDenies, factor) : std::vector<Finding>();
  }
  const bool settle = eager_times.before_ns < static_cast<double>(settings.settle_below_ns);
  const double pair_ns = 4 * std::max(eager_times.before_ns, 1.0);
  const int pairs =
      static_cast<int>(std::clamp<double>(kTimeNs / pair_ns, kFewestPairs, kMostPairs));
  WarmupInputs inputs(compared.sample, compared.eager);
  const Watched watched = {compared.eager, compared.plugin, *standby, inputs.renew(),
                           settings,       instruments,     settle};
  Times times;
  base::Status timed;
  for (int i = 0; i < pairs && !is_settled(times.log_ratios(), pairs); ++i) {
    timed = time_pair(watched, i % 2 == 0, times);
    if (!timed.is_ok()) break;
  }
  const base::Status restored = inputs.restore();
  if (timed.is_ok()) timed = restored;
  if (!timed.is_ok()) {
    report["unknown"] = timed.message();
    return slowed(kNobodyDenies, factor);
  }
  const std::vector<double> log_ratios = times.log_ratios();
  const double ratio = std::exp(measure::median(log_ratios));
  const double there_ns = measure::median(times.there_ns);
  report["here_ns"] = measure::median(times.here_ns);
  report["there_ns"] = there_ns;
  report["ratio"] = ratio;
  report["pairs"] = log_ratios.size();
  if (is_slower(log_ratios, factor)) {
    return slowed("eager takes %.3g times as long beside the plugin as in a process without it",
                  ratio);
  }
  const double quiet_ns =
      std::max({eager_times.before_ns, there_ns, measure::median(times.here_ns)});
  if (eager_times.in_pairs_ns > kSlowerInPairs * quiet_ns) {
    return slowed("eager took %.3g times as long in the timed pairs as before and after them",
                  eager_times.in_pairs_ns / quiet_ns);
  }
  return {};
}

}  // namespace graphnet::worker
