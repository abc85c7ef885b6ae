// SPDX-License-Identifier: MIT
#include "worker/second_timing.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "measure/pair_summary.h"
#include "measure/paired.h"
#include "worker/fresh_inputs.h"

namespace graphnet::worker {

using base::Result;
using base::Status;
using measure::PairedSettings;

namespace {

// Two medians of a few pairs are rarely off by half; what is tuned is several times faster.
constexpr double kLostSpeedup = 1.5;
// The rest of the loss may be eager's.
constexpr double kLongerCalls = 1.2;
// Eager computes the same on both weights. What it takes longer than that on second ones, nobody
// having watched it there, is no speed of the plugin's; less is drift of the machine.
constexpr double kSlowerEager = 1.4;

// In shorter calls too much is what the caches hold.
constexpr double kComparedCallNs = 2e6;
// Pairs are for those that seem to have lost so much.
constexpr double kSuspiciousLoss = 1.2;
constexpr int kFewestPairs = 5;
constexpr int kFirstAnalysis = 8;
constexpr std::int64_t kTimeNs = 200'000'000;
// Calls that take longer have been made twice on these weights, which is enough.
constexpr std::int64_t kWarmupNs = 50'000'000;
// Enough to tell 1.5 times.
constexpr double kHalfWidth = 0.05;

// Of eager, for the first checks (timed_checks.cc).
constexpr int kCheckCalls = 3;
constexpr double kTimingBudgetNs = 10e9;
constexpr int kAttempts = 3;
// What is unclear accuses nobody, so it is not worth more.
constexpr double kUnclearNs = 1e9;

PairedSettings short_settings(const PairedSettings& protocol) {
  PairedSettings settings = measure::passes(protocol).front();
  settings.half_width = std::max(settings.half_width, kHalfWidth);
  settings.first_analysis = kFirstAnalysis;
  settings.max_pairs = std::max(settings.max_pairs, kFirstAnalysis);
  settings.fewest_pairs = settings.long_call_pairs = kFewestPairs;
  settings.time_ns = settings.long_call_time_ns = kTimeNs;
  settings.warmup_time_ns = kWarmupNs;
  settings.remeasure = false;
  settings.control_every = 0;
  return settings;
}

/// Their results are kept nowhere: what the sides keep is of the first weights.
Result<measure::Warmup> warm_up(measure::SideCalls calls, const ComparedSample& compared,
                                double eager_ns, const PairedSettings& settings,
                                const measure::Instruments& instruments) {
  if (eager_ns > static_cast<double>(kWarmupNs)) return measure::Warmup{eager_ns, {}, {}, {}};
  WarmupInputs inputs(compared.sample, compared.eager);
  calls.after_first = nullptr;
  calls.renew = inputs.renew();
  auto warmup = measure::warm_up(calls, settings, instruments);
  GN_RETURN_IF_ERROR(inputs.restore());
  return warmup;
}

/// The middle half of the pairs.
std::pair<double, double> quartiles(const std::vector<measure::Pair>& pairs) {
  std::vector<double> ratios;
  for (const measure::Pair& pair : pairs) {
    ratios.push_back(pair.own_ns(measure::kEager) / pair.own_ns(measure::kBackend));
  }
  std::sort(ratios.begin(), ratios.end());
  return {ratios[ratios.size() / 4], ratios[(ratios.size() * 3) / 4]};
}

/// The pairs without any wait; none is disturbed then but by the hypervisor.
std::vector<measure::Pair> without_waits(std::vector<measure::Pair> pairs) {
  for (measure::Pair& pair : pairs) {
    for (const measure::Side side : {measure::kEager, measure::kBackend}) {
      pair.waited_ns[side] = pair.call_ns[side] - pair.unwaited_ns[side];
      pair.marks[side] &= measure::kSteal;
    }
  }
  return pairs;
}

/// What a speedup on second weights counts for where eager was slower there than on first ones.
double credited_share(const record::SecondWeights& found, double first_eager_ns) {
  if (!found.eager_ns || *found.eager_ns <= 0) return 1;
  return std::min(1.0, kSlowerEager * first_eager_ns / *found.eager_ns);
}

/// Eager on the first weights, where it was slowest: in the pairs, before the plugin was loaded, or
/// in the copy without it that a busy machine had asked; in the last two nobody but the machine
/// could slow it. 0: not known.
double slowest_first_eager_ns(const record::Record& record) {
  const base::Json& watch = record.checks.eager_watch;
  const auto watched_ns = [&](const char* key) {
    return watch.is_object() ? watch.value(key, 0.0) : 0.0;
  };
  if (!record.eager.median_ns) return 0;
  return std::max({*record.eager.median_ns, watched_ns("before_ns"), watched_ns("there_ns")});
}

std::string speedup_text(double speedup) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2fx", speedup);
  return text;
}

/// Pairs on second weights, again if they are doubtful.
class Attempts {
 public:
  Attempts(const ComparedSample& compared, const SecondTimingMeans& means,
           const PairedSettings& settings, const measure::Instruments& instruments,
           measure::PerSide<measure::Warmup> warmups)
      : compared_(compared),
        means_(means),
        settings_(settings),
        instruments_(instruments),
        warmups_(std::move(warmups)) {}

  SecondTimingEnd make(record::SecondWeights& found) {
    SecondTimingEnd end;
    double spent_ns = 0;
    record::SecondWeights best;
    for (int attempt = 1; attempt <= kAttempts && spent_ns <= kTimingBudgetNs; ++attempt) {
      if (attempt > 1 && instruments_.wait_quiet) instruments_.wait_quiet();
      record::SecondWeights now = found;
      spent_ns += once(now, end);
      if (!end.failure.is_ok() || end.findings.flag != record::Flag::kNone) return end;
      if (attempt == 1 || is_better(now, best, means_.call_ns)) best = std::move(now);
      best.attempts = attempt;
      if (!is_doubtful(best, means_.call_ns)) break;
      if (*best.unclear && spent_ns > kUnclearNs) break;
    }
    found = std::move(best);
    return end;
  }

 private:
  /// units    returns nanoseconds
  double once(record::SecondWeights& found, SecondTimingEnd& end) {
    TimedChecks checks(compared_, fresh_inputs(compared_.sample, compared_.eager),
                       /*compare=*/true);
    const auto result =
        measure::time_paired(checks.sides(), warmups_, checks.hooks(), settings_, instruments_);
    end.findings = checks.finish(result.is_ok() ? &*result : nullptr);
    const base::Status failure = result.is_ok() ? end.findings.restored : result.status();
    if (!failure.is_ok()) {
      if (end.findings.flag == record::Flag::kNone) end.failure = failure;
      return 0;
    }
    write_second_pairs(result->pairs, settings_, found);
    return result->elapsed_ns;
  }

  const ComparedSample& compared_;
  const SecondTimingMeans& means_;
  const PairedSettings& settings_;
  const measure::Instruments& instruments_;
  const measure::PerSide<measure::Warmup> warmups_;
};

}  // namespace

bool take_compared_calls(const std::vector<measure::PerSide<double>>& calls_ns,
                         const measure::PerSide<double>& first_weights_ns,
                         record::SecondWeights& found) {
  const double first_eager_ns = first_weights_ns[measure::kEager];
  if (first_eager_ns < kComparedCallNs) return false;
  double eager_ns = calls_ns.front()[measure::kEager];
  std::vector<double> ratios;
  for (const measure::PerSide<double>& call_ns : calls_ns) {
    ratios.push_back(call_ns[measure::kEager] / call_ns[measure::kBackend]);
    eager_ns = std::min(eager_ns, call_ns[measure::kEager]);
  }
  found.eager_ns = eager_ns;
  found.plugin_ns = calls_ns.back()[measure::kBackend];  // on inputs that nobody knew before
  found.speedup = *found.eager_ns / *found.plugin_ns;
  // Eager's shorter call may belong to another pair.
  found.speedup_low = std::min(*found.speedup, *std::min_element(ratios.begin(), ratios.end()));
  found.speedup_high = ratios.back();
  found.pairs = static_cast<std::int64_t>(calls_ns.size());
  const double first_speedup = first_eager_ns / first_weights_ns[measure::kBackend];
  return eager_ns <= kSlowerEager * first_eager_ns &&
         first_speedup <= kSuspiciousLoss * *found.speedup;
}

void write_second_pairs(const std::vector<measure::Pair>& pairs, const PairedSettings& settings,
                        record::SecondWeights& found) {
  const std::vector<measure::Pair> own = without_waits(pairs);
  const measure::PairedSummary summary =
      measure::summarise_pairs(own, settings, settings.confidence);
  found.unclear = !summary.has_interval();
  found.speedup = summary.ratio;
  std::tie(found.speedup_low, found.speedup_high) =
      *found.unclear ? quartiles(own) : std::pair(summary.low, summary.high);
  found.pairs = static_cast<std::int64_t>(pairs.size());
  found.eager_ns = summary.median_ns[measure::kEager];
  found.plugin_ns = summary.median_ns[measure::kBackend];
}

bool is_doubtful(const record::SecondWeights& found,
                 const measure::PerSide<double>& first_weights_ns) {
  const double first_speedup =
      first_weights_ns[measure::kEager] / first_weights_ns[measure::kBackend];
  const double share = credited_share(found, first_weights_ns[measure::kEager]);
  return *found.unclear || first_speedup > kSuspiciousLoss * share * *found.speedup;
}

bool is_better(const record::SecondWeights& one, const record::SecondWeights& other,
               const measure::PerSide<double>& first_weights_ns) {
  if (*one.unclear != *other.unclear) return *other.unclear;
  const double first_eager_ns = first_weights_ns[measure::kEager];
  return credited_share(one, first_eager_ns) * *one.speedup >
         credited_share(other, first_eager_ns) * *other.speedup;
}

SecondTimingEnd time_second_weights(const ComparedSample& compared, const SecondTimingMeans& means,
                                    record::SecondWeights& found) {
  if (means.settings.replay) {
    found.untimed = "the timed calls will be launches of a captured one";
    return {};
  }
  const double eager_ns = means.call_ns[measure::kEager];
  const double expected_ns = (kFewestPairs + kCheckCalls) * eager_ns;
  if (expected_ns > kTimingBudgetNs) {
    if (found.speedup) return {};
    found.untimed = "time: about " + base::format_duration(expected_ns) + " of eager's, at most " +
                    base::format_duration(kTimingBudgetNs);
    return {};
  }
  const PairedSettings settings = short_settings(means.settings);
  const auto instruments = means.instruments(settings);
  if (!instruments.is_ok()) return {{}, instruments.status()};
  compared.plugin.announce_calls();
  const auto eager = warm_up(compared.eager.calls(), compared, eager_ns, settings, *instruments);
  if (!eager.is_ok()) return {{}, eager.status()};
  const auto plugin = warm_up(compared.plugin.calls(), compared, eager_ns, settings, *instruments);
  if (!plugin.is_ok()) return {{}, plugin.status()};
  return Attempts(compared, means, settings, *instruments, {*eager, *plugin}).make(found);
}

std::vector<Finding> check_tuned_to_weights(const record::Record& record) {
  const record::SecondWeights& second = record.checks.second_weights;
  const auto& first_ns = record.plugin_side.median_ns;
  const auto& first_low = record.timing.speedup_low;
  const bool are_known =
      record.speedup && first_low && first_ns && second.speedup && second.plugin_ns;
  if (!are_known || second.unclear.value_or(false)) return {};
  const auto& flags = record.flags;
  if (std::find(flags.begin(), flags.end(), record::Flag::kDenormal) != flags.end()) return {};
  const double eager_ns = slowest_first_eager_ns(record);
  const double credited = eager_ns > 0 ? credited_share(second, eager_ns) : 1;
  const double second_speedup = credited * *second.speedup;
  const double second_high = credited * second.speedup_high.value_or(*second.speedup);
  // A plugin can make its interval wide: then the speedup itself must be beyond the other interval.
  const bool is_lost = *record.speedup > kLostSpeedup * second_speedup &&
                       (*first_low > second_high || *record.speedup > kLostSpeedup * second_high);
  if (!is_lost || *second.plugin_ns <= kLongerCalls * *first_ns) return {};
  return {{record::Flag::kTunedToWeights,
           "a speedup of " + speedup_text(*record.speedup) + " on the sample's weights is one of " +
               speedup_text(second_speedup) +
               " on second weights, where a call of the plugin takes " +
               base::format_duration(*second.plugin_ns) + " instead of " +
               base::format_duration(*first_ns),
           /*is_fatal=*/false}};
}

}  // namespace graphnet::worker
