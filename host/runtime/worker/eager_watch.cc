// SPDX-License-Identifier: MIT
#include "worker/eager_watch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <thread>

#include "measure/bootstrap.h"
#include "measure/clocked_call.h"
#include "measure/idle_wait.h"
#include "measure/pair_summary.h"
#include "worker/fresh_inputs.h"
#include "worker/more_pairs.h"

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
constexpr std::size_t kFewestRatios = 5;
constexpr int kMostRounds = 2;
constexpr std::chrono::milliseconds kRest(1);

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

  base::Result<double> time_there() const {
    GN_ASSIGN_OR_RETURN(const measure::SteppedCall call, standby.time_call(settle));
    return call.own_ns();
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
  double ratio() const { return std::exp(measure::median(log_ratios())); }
};

base::Status time_pair(const Watched& watched, bool here_first, Times& times) {
  for (const bool here : {here_first, !here_first}) {
    GN_RETURN_IF_ERROR(call_plugin(watched.plugin, watched.renew));
    // A thread that has just been woken gets a core sooner, as the copy does, which slept
    // meanwhile.
    std::this_thread::sleep_for(kRest);
    const std::int64_t idle_wait_ns = watched.settings.idle_wait_ns;
    if (idle_wait_ns > 0) measure::wait_until_idle(idle_wait_ns);
    GN_ASSIGN_OR_RETURN(const double time_ns, here ? watched.time_here() : watched.time_there());
    (here ? times.here_ns : times.there_ns).push_back(time_ns);
  }
  return base::Status::ok();
}

SecondLook slowed(const char* format, double factor) {
  char text[160];
  std::snprintf(text, sizeof text, format, factor);
  return {{{record::Flag::kEagerSlowed, text}}};
}

constexpr const char* kNobodyDenies =
    "eager took %.3g times as long in the timed pairs as before the plugin was loaded, and no "
    "process without the plugin is left to compare with";

/// Asks the copy, and once more before it accuses.
class Confirmation {
 public:
  Confirmation(const SlowedMeans& means, const EagerTimes& times, base::Json& report)
      : means_(means), times_(times), report_(report), quiet_ns_(times.before_ns) {}

  SecondLook run() {
    bool is_found = true;
    double least_ratio = 0;
    for (int round = 1; is_found && round <= kMostRounds; ++round) {
      if (round > 1 && means_.instruments.wait_quiet) means_.instruments.wait_quiet();
      const Result<Times> compared = compare();
      if (!compared.is_ok()) return nobody_denies(compared.status());
      report_["rounds"] = round;
      note(*compared);
      is_found = is_slower(compared->log_ratios(), times_.slowdown());
      least_ratio = round == 1 ? compared->ratio() : std::min(least_ratio, compared->ratio());
    }
    if (is_found) {
      return slowed("eager takes %.3g times as long beside the plugin as in a process without it",
                    least_ratio);
    }
    return look_at_pairs();
  }

 private:
  Result<Times> compare() {
    const ComparedSample& compared = means_.compared;
    const int pairs = affordable_pairs(4 * times_.before_ns);
    const bool settle = means_.pairs.has_leading_call;
    WarmupInputs inputs(compared.sample, compared.eager);
    const Watched watched = {compared.eager,  compared.plugin,    *means_.standby, inputs.renew(),
                             means_.settings, means_.instruments, settle};
    Times times;
    base::Status timed;
    for (int i = 0; i < pairs && !is_settled(times.log_ratios(), pairs); ++i) {
      timed = time_pair(watched, i % 2 == 0, times);
      if (!timed.is_ok()) break;
    }
    GN_RETURN_IF_ERROR(inputs.restore());
    GN_RETURN_IF_ERROR(timed);
    return times;
  }

  SecondLook nobody_denies(const base::Status& status) {
    report_["unknown"] = status.message();
    return slowed(kNobodyDenies, times_.slowdown());
  }

  void note(const Times& times) {
    const double here_ns = measure::median(times.here_ns);
    const double there_ns = measure::median(times.there_ns);
    report_["here_ns"] = here_ns;
    report_["there_ns"] = there_ns;
    report_["ratio"] = times.ratio();
    report_["pairs"] = times.here_ns.size();
    quiet_ns_ = std::max({quiet_ns_, here_ns, there_ns});
  }

  /// More pairs, and the copy again behind them: a machine may be slow for a while and fast again.
  SecondLook look_at_pairs() {
    if (!means_.pairs.summary.has_interval()) return {};
    double least_ns = times_.in_pairs_ns;
    const bool is_in_pairs_only = was_slower_in_pairs(least_ns, quiet_ns_) ||
                                  is_faster_in_pairs_only(means_.pairs.summary, quiet_ns_);
    for (int look = 0; was_slower_in_pairs(least_ns, quiet_ns_); ++look) {
      if (look == kLooksAtPairs) {
        return slowed("eager took %.3g times as long in the timed pairs as before and after them",
                      least_ns / quiet_ns_);
      }
      const Result<double> again_ns = time_more_pairs();
      // Nobody but the plugin ends calls that went well before.
      if (!again_ns.is_ok()) return slowed(kNobodyDenies, times_.slowdown());
      report_["in_more_pairs_ns"] = *again_ns;
      least_ns = std::min(least_ns, *again_ns);
      if (!was_slower_in_pairs(least_ns, quiet_ns_)) break;
      const Result<Times> compared = compare();
      if (!compared.is_ok()) return nobody_denies(compared.status());
      note(*compared);
    }
    return {{}, is_in_pairs_only};
  }

  Result<double> time_more_pairs() {
    GN_ASSIGN_OR_RETURN(const measure::PairedResult result,
                        worker::time_more_pairs(means_.compared, means_.pairs.summary.median_ns,
                                                means_.settings, means_.instruments));
    return eager_times({}, result.pairs).in_pairs_ns;
  }

  const SlowedMeans& means_;
  const EagerTimes& times_;
  base::Json& report_;
  double quiet_ns_;  ///< the slowest of what is no pair
};

}  // namespace

EagerTimes eager_times(const measure::Warmup& warmup, const std::vector<measure::Pair>& pairs) {
  return {warmup.typical_ns(), measure::larger_median(pairs, [](const measure::Pair& pair) {
            return pair.unwaited_ns[measure::kEager];
          })};
}

bool is_suspicious(const EagerTimes& times, const measure::PairedSummary& summary) {
  if (times.before_ns <= 0) return false;
  const double slowdown = times.slowdown();
  const bool is_beyond = !summary.has_interval() || std::log(slowdown) > half_width(summary) ||
                         was_slower_in_pairs(times.in_pairs_ns, times.before_ns);
  return slowdown > kSuspicion && is_beyond;
}

bool is_slower(const std::vector<double>& log_ratios, double slowdown) {
  if (log_ratios.size() < kFewestRatios) return false;
  const auto interval = measure::bootstrap_median(log_ratios, kConfidence, log_ratios.size());
  return interval.low > std::log(kSuspicion) &&
         measure::median(log_ratios) >= kExplained * std::log(slowdown);
}

bool is_settled(const std::vector<double>& log_ratios, int num_pairs) {
  const auto too_small = std::count_if(log_ratios.begin(), log_ratios.end(),
                                       [](double ratio) { return ratio <= std::log(kSuspicion); });
  return 2 * too_small > num_pairs;
}

bool is_faster_in_pairs_only(const measure::PairedSummary& summary, double quiet_ns) {
  return summary.has_interval() && summary.low > 1 &&
         summary.median_ns[measure::kBackend] >= quiet_ns;
}

bool was_slower_in_pairs(double in_pairs_ns, double quiet_ns) {
  return in_pairs_ns > kSlowerInPairs * quiet_ns;
}

SecondLook confirm_slowed(const SlowedMeans& means, const EagerTimes& times, base::Json& report) {
  if (means.standby != nullptr) return Confirmation(means, times, report).run();
  report["unknown"] = "no process without the plugin could be made";
  const bool was_slower =
      means.pairs.summary.has_interval() && was_slower_in_pairs(times.in_pairs_ns, times.before_ns);
  // Of a device no copy is made, and what a plugin keeps there can slow whoever comes next.
  if (!means.compared.eager.device().is_host()) return {{}, was_slower};
  return was_slower ? slowed(kNobodyDenies, times.slowdown()) : SecondLook();
}

}  // namespace graphnet::worker
