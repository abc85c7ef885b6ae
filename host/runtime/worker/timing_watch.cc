// SPDX-License-Identifier: MIT
#include "worker/timing_watch.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/text.h"
#include "journal/worker_message.h"
#include "measure/clock.h"
#include "measure/pair_summary.h"

namespace graphnet::worker {

using base::Status;
using measure::Side;
using record::Flag;

namespace {

constexpr double kContentsACall = 10;
constexpr double kBudgetTolerance = 0.05;
// Of single side samples, whose counts and spans do not begin at the same moment.
constexpr double kShareTolerance = 0.15;
// The process's clock sees threads on other cores at their ticks only.
constexpr double kTicksNs = 20e6;
constexpr const char* kSideNames[] = {"eager", "the plugin"};

/// Where processor time is counted: whoever computes while inputs are written is ahead of the
/// clock.
struct Stretch {
  const char* name;
  measure::PerSide<double> measure::Pair::*ran_ns;
  measure::PerSide<double> measure::Pair::*span_ns;
  double slack_ns;  ///< for what the counts and the clock miss of each other in short steps
};
constexpr Stretch kStretches[] = {
    {"in the timed calls of ", &measure::Pair::ran_ns, &measure::Pair::span_ns, 0},
    {"in the host's steps before timed calls of ", &measure::Pair::steps_ran_ns,
     &measure::Pair::steps_span_ns, kTicksNs},
};

std::string seconds_text(double ns) {
  return base::format_duration(ns);
}

}  // namespace

std::string own_mark() {
  const char* slot = std::getenv(journal::kSlotVariable);
  return slot == nullptr ? "" : std::string(journal::kSlotVariable) + "=" + slot;
}

std::vector<Finding> SettingsWatch::findings() const {
  if (before_.empty()) return {};
  const std::string changed = eager::changed_settings(before_, eager::current_settings());
  if (changed.empty()) return {};
  return {{Flag::kSettingsChanged, "the plugin changed libtorch's settings: " + changed,
           /*is_fatal=*/true}};
}

std::vector<Finding> check_budget(const measure::PairedResult& result, int threads) {
  for (const Stretch& stretch : kStretches) {
    for (const Side side : {measure::kEager, measure::kBackend}) {
      double ran_ns = 0;
      double span_ns = 0;
      for (const measure::Pair& pair : result.pairs) {
        ran_ns += (pair.*stretch.ran_ns)[side];
        span_ns += (pair.*stretch.span_ns)[side];
      }
      // As for the sums, of half of the pairs: the others may have slept.
      const double share = measure::larger_median(result.pairs, [&](const measure::Pair& pair) {
        return (pair.*stretch.ran_ns)[side] / std::max((pair.*stretch.span_ns)[side], 1.0);
      });
      const bool is_over = ran_ns > (1 + kBudgetTolerance) * threads * span_ns + stretch.slack_ns;
      const bool is_mostly_over = stretch.slack_ns == 0 && share > (1 + kShareTolerance) * threads;
      if (!is_over && !is_mostly_over) continue;
      return {{Flag::kOverThreads, stretch.name + std::string(kSideNames[side]) +
                                       " the worker and its child processes used " +
                                       seconds_text(ran_ns) + " of processor time in " +
                                       seconds_text(span_ns) + ", with " + std::to_string(threads) +
                                       (threads == 1 ? " thread" : " threads") + " allowed" +
                                       (is_over ? "" : "; in most calls, more than these have")}};
    }
  }
  return {};
}

std::vector<Finding> check_contents(const measure::PairedResult& result, double content_bits) {
  const double calls =
      static_cast<double>(result.pairs.size()) * result.calls_per_side_sample[measure::kBackend];
  if (content_bits >= std::log2(kContentsACall * std::max(calls, 1.0))) return {};
  const std::string contents = std::to_string(std::llround(std::exp2(content_bits)));
  return {{Flag::kUnvaried, "there are about " + contents + " contents of the inputs for " +
                                std::to_string(std::llround(calls)) +
                                " timed calls: results that are remembered would pass"}};
}

TimingWatch::Moment TimingWatch::now() {
  constexpr int kTries = 4;
  constexpr std::int64_t kSure = 2'000;
  Moment moment;
  // Another program may take the core between the two readings.
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kTries && shortest > kSure; ++i) {
    const std::int64_t before = measure::monotonic_raw_ns();
    const std::int64_t system = measure::system_clock_ns();
    const std::int64_t kernel = measure::monotonic_raw_ns_by_syscall();
    const std::int64_t after = measure::monotonic_raw_ns();
    if (after - before >= shortest) continue;
    shortest = after - before;
    moment = {system, kernel, before + (after - before) / 2};
  }
  return moment;
}

void TimingWatch::scan() {
  family_.scan_now_and_then();
  std::vector<std::string> living = family_.living();
  if (living.size() > helpers_.size()) helpers_ = std::move(living);
}

void TimingWatch::note_side_sample(Side side) {
  const Moment end = now();
  agreements_[side].system_ns += static_cast<double>(end.system_ns - begin_.system_ns);
  agreements_[side].kernel_ns += static_cast<double>(end.kernel_ns - begin_.kernel_ns);
  agreements_[side].counter_ns += static_cast<double>(end.counter_ns - begin_.counter_ns);
}

measure::PairedHooks TimingWatch::around(measure::PairedHooks inner) {
  measure::PairedHooks hooks;
  hooks.before_pair = [this, inner = std::move(inner.before_pair)](const measure::PairPlan& plan) {
    scan();
    note_processes();
    if (clock_ != nullptr && !elsewhere_before_ns_) {
      elsewhere_before_ns_ = clock_->ran_elsewhere_ns();
    }
    has_leading_call_ = plan.has_leading_call;
    return inner ? inner(plan) : Status::ok();
  };
  hooks.before_call = [this, inner = std::move(inner.before_call)](Side side, int pair, int call) {
    // Before each call: one that is set behind the leading call may be gone behind the clocked one.
    is_counter_trapped_ = is_counter_trapped_ || measure::cycle_count_raises_signal();
    const int first = has_leading_call_ ? measure::kLeadingCall : 0;
    if (call == first) begin_ = now();
    return inner ? inner(side, pair, call) : Status::ok();
  };
  hooks.after_call = std::move(inner.after_call);
  hooks.after_side_sample = [this, inner = std::move(inner.after_side_sample)](Side side,
                                                                               int pair) {
    note_side_sample(side);
    note_processes();
    return inner ? inner(side, pair) : Status::ok();
  };
  return hooks;
}

// However busy the machine is: a helper on a core of its own may leave the sum within the budget.
// A plugin that sleeps in some calls makes their sum larger, not their median.
std::vector<Finding> TimingWatch::check_elsewhere(const measure::PairedResult& result) const {
  if (!elsewhere_before_ns_) return {};
  const auto elsewhere_ns = static_cast<double>(clock_->ran_elsewhere_ns() - *elsewhere_before_ns_);
  const double clocked_ns = static_cast<double>(result.pairs.size()) *
                            result.calls_per_side_sample[measure::kBackend] *
                            result.summary.median_ns[measure::kBackend];
  if (elsewhere_ns <= kBudgetTolerance * clocked_ns) return {};
  return {{Flag::kOverThreads,
           "during the timed calls the worker and its child processes ran for " +
               seconds_text(elsewhere_ns) + " on cores that they were not bound to"}};
}

void TimingWatch::note_processes() {
  if (forks_ == nullptr) return;
  if (!has_begun_) forks_->forget();
  has_begun_ = true;
  num_started_ = forks_->read().size();
}

std::vector<Finding> TimingWatch::check_processes() const {
  std::string which = base::join(helpers_, ", ");
  if (which.empty() && num_started_ > 0) {
    which = std::to_string(num_started_) + ", too short to be seen or hidden";
  }
  if (which.empty() && forks_ != nullptr && has_begun_ && forks_->has_lost()) {
    which = "more threads and processes were started than the kernel's log holds";
  }
  if (which.empty()) return {};
  return {{Flag::kHelperProcess,
           "processes that the plugin started ran beside the timed calls: " + which}};
}

std::vector<Finding> TimingWatch::findings(const measure::PairedResult& result) const {
  std::vector<Finding> found = check_budget(result, threads_);
  if (is_counter_trapped_) {
    found.push_back({Flag::kUntimedWork,
                     "reading the cycle counter raises a signal: what handles it runs before the "
                     "clock"});
  }
  for (Finding& finding : check_elsewhere(result)) found.push_back(std::move(finding));
  for (Finding& finding : check_processes()) found.push_back(std::move(finding));
  for (const Side side : {measure::kEager, measure::kBackend}) {
    if (!measure::is_tampered(agreements_[side])) continue;
    found.push_back({Flag::kClockTampered,
                     "the system's clock counted " + seconds_text(agreements_[side].system_ns) +
                         " and the kernel's " + seconds_text(agreements_[side].kernel_ns) +
                         " in the timed calls of " + kSideNames[side] + ", which took " +
                         seconds_text(agreements_[side].counter_ns) +
                         " by the processor's cycle counter",
                     /*is_fatal=*/true});
    break;
  }
  return found;
}

}  // namespace graphnet::worker
