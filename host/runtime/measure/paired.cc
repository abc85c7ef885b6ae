// SPDX-License-Identifier: MIT
#include "measure/paired.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "measure/bootstrap.h"
#include "measure/clocked_call.h"
#include "measure/pair_summary.h"

namespace graphnet::measure {

using base::Result;
using base::Status;

namespace {

/// Calls of a side sample together last about so long, if so many are enough: a reading of the
/// clock is uncertain by some nanoseconds, a thousandth of this.
constexpr double kSideSampleNs = 20e3;
constexpr double kMostCalls = 64;
/// No more calls than fit into this on the longer side, if the other is very much shorter.
constexpr double kLongestSideSampleNs = 1e6;

/// A call of eager's that takes longer fills the caches itself, so that a control's first side
/// sample may be that of the pair before it: nothing depends on which side came in between.
constexpr double kLongCallNs = 50e6;

constexpr const char* kSideNames[] = {"eager", "backend"};

Status prepare(const SideCalls& side) {
  return side.prepare ? side.prepare() : Status::ok();
}

/// Median cost of two readings that follow each other.
double clock_cost(const Instruments& instruments) {
  std::vector<double> costs(101);
  for (double& cost : costs) {
    const std::int64_t begin_ns = instruments.now();
    cost = static_cast<double>(instruments.now() - begin_ns);
  }
  return median(std::move(costs));
}

/// Which side begins, for every pair: each four pairs hold both orders twice, in random order, so
/// that a cost of coming first is balanced at every interim analysis.
class Order {
 public:
  explicit Order(std::uint64_t seed) : generator_(seed) {}
  bool next_backend_first() {
    if (next_ == block_.size()) {
      // Fisher-Yates; std::shuffle draws differently in each standard library.
      for (std::size_t i = block_.size() - 1; i > 0; --i) {
        std::swap(block_[i], block_[(generator_() >> 32U) * (i + 1) >> 32U]);
      }
      next_ = 0;
    }
    return block_[next_++];
  }

 private:
  std::mt19937_64 generator_;
  std::array<bool, 4> block_ = {false, true, false, true};
  std::size_t next_ = 4;
};

/// A wait is measured with the clock's own cost, a call without it.
void bound_waits(Pair& pair) {
  for (const Side side : {kEager, kBackend}) {
    pair.waited_ns[side] = std::min(pair.waited_ns[side], pair.call_ns[side] - 1);
  }
}

/// One comparison: pairs, interim analyses, and a second attempt if need be.
class Comparison {
 public:
  Comparison(const PerSide<SideCalls>& sides, const PerSide<Warmup>& warmups,
             const PairedHooks& hooks, const PairedSettings& settings,
             const Instruments& instruments)
      : sides_(sides),
        hooks_(hooks),
        settings_(settings),
        instruments_(instruments),
        order_(settings.seed) {
    result_.clock_ns = clock_cost(instruments);
    // A plugin that makes readings dearer now would have it taken out of its calls.
    if (instruments.clock_ns > 0)
      result_.clock_ns = std::min(result_.clock_ns, instruments.clock_ns);
    plan_side_samples({warmups[kEager].typical_ns(), warmups[kBackend].typical_ns()});
    result_.pairs.reserve(static_cast<std::size_t>(settings.max_pairs));
  }

  Result<PairedResult> run() {
    const std::int64_t begin_ns = instruments_.now();
    GN_RETURN_IF_ERROR(attempt());
    if (result_.verdict == Verdict::kUnstable && settings_.remeasure) {
      if (instruments_.wait_quiet) instruments_.wait_quiet();
      result_.remeasured = true;
      GN_RETURN_IF_ERROR(attempt());
    }
    result_.elapsed_ns = static_cast<double>(instruments_.now() - begin_ns);
    return std::move(result_);
  }

 private:
  void plan_side_samples(const PerSide<double>& call_ns);
  int affordable_pairs(double elapsed_ns) const;
  bool has_fewest_pairs() const;
  Status attempt();
  bool analyse_interim(bool last);
  void mark_steal();
  void settle_marks();
  Status measure_pair();
  Status measure_control();
  Result<Judgement> measure_side_sample(Side side, int index, Pair& pair);
  Status leading_call(Side side, int index);
  Result<std::int64_t> approach(Side side, int index, int call);
  double steps_without_waits(double steps_ns, Side side, Pair& pair) const;
  Result<Stopwatch> clocked_call(Side side, int index, int call, Pair& pair);
  Judgement judge_side_sample(const DisturbanceCounters& after, int calls,
                              double side_sample_ns) const;

  const PerSide<SideCalls>& sides_;
  const PairedHooks& hooks_;
  const PairedSettings& settings_;
  const Instruments& instruments_;
  Order order_;
  PairedResult result_;
  int first_index_ = 0;           ///< of this attempt's pairs
  std::size_t judged_pairs_ = 0;  ///< already marked for steal
  double steal_sum_ = 0;          ///< of the interim analyses of this attempt
  OthersShare others_share_;      ///< since this attempt began
  bool shares_sample_ = false;    ///< controls take one from the pair
  Judgement eager_sample_;        ///< of the last pair
  // Of the side sample that is being measured.
  DisturbanceCounters begin_;  ///< before the steps of its first clocked call
  CounterReading before_;      ///< behind them, close to the clock
  Stopwatch first_;            ///< its first clocked call
  Stopwatch last_;             ///< its last one
};

/// As many calls on both sides, and a leading one on both where either's are short: what comes
/// before a call and how warm it finds the caches is alike. One if caches are cold: flushing them
/// takes longer than any short call.
void Comparison::plan_side_samples(const PerSide<double>& call_ns) {
  shares_sample_ = call_ns[kEager] >= kLongCallNs;
  const auto [shorter, longer] = std::minmax(call_ns[kEager], call_ns[kBackend]);
  result_.has_leading_call = shorter < static_cast<double>(settings_.settle_below_ns);
  if (settings_.cache == CacheMode::kCold || shorter <= 0) return;
  const double most = std::clamp(kLongestSideSampleNs / longer, 1.0, kMostCalls);
  const double calls = std::clamp(std::ceil(kSideSampleNs / shorter), 1.0, most);
  result_.calls_per_side_sample = {static_cast<int>(calls), static_cast<int>(calls)};
}

/// How many pairs this attempt will have at most, once the first ones took elapsed_ns.
int Comparison::affordable_pairs(double elapsed_ns) const {
  const double pair_ns = std::max(elapsed_ns / static_cast<double>(result_.pairs.size()), 1.0);
  const double usual = static_cast<double>(settings_.time_ns) / pair_ns;
  const double longest = static_cast<double>(settings_.long_call_time_ns) / pair_ns;
  const double pairs =
      std::max(usual, std::min(static_cast<double>(settings_.long_call_pairs), longest));
  const double most = settings_.max_pairs;
  return static_cast<int>(std::clamp(pairs, std::min(most, 1.0), most));
}

/// Whether so many count, or twice as many were tried.
bool Comparison::has_fewest_pairs() const {
  const auto counted = std::count_if(result_.pairs.begin(), result_.pairs.end(),
                                     [](const Pair& pair) { return !pair.is_disturbed(); });
  const auto fewest = static_cast<std::size_t>(settings_.fewest_pairs);
  return static_cast<std::size_t>(counted) >= fewest || result_.pairs.size() >= 2 * fewest;
}

Status Comparison::attempt() {
  result_.pairs.clear();
  result_.controls.clear();
  result_.analyses = result_.planned_analyses = result_.idle_timeouts = 0;
  judged_pairs_ = 0;
  steal_sum_ = 0;
  if (instruments_.steal_share) instruments_.steal_share();
  others_share_ = instruments_.watch_others ? instruments_.watch_others() : nullptr;
  const std::int64_t begin_ns = instruments_.now();
  int next_analysis = std::min(settings_.first_analysis, settings_.max_pairs);
  int most = settings_.max_pairs;
  for (bool done = false; !done;) {
    GN_RETURN_IF_ERROR(measure_pair());
    const int count = static_cast<int>(result_.pairs.size());
    const int every = settings_.control_every;
    if (every > 0 && count % every == 0) GN_RETURN_IF_ERROR(measure_control());
    const std::int64_t elapsed_ns = instruments_.now() - begin_ns;
    const bool is_late = elapsed_ns >= settings_.long_call_time_ns;
    if (is_late) settle_marks();
    const bool overdue = is_late && has_fewest_pairs();
    if (count < next_analysis && !overdue) continue;
    if (result_.analyses == 0) {
      most = overdue ? count : std::max(count, affordable_pairs(static_cast<double>(elapsed_ns)));
      result_.planned_analyses = 1;
      for (int at = count; at < most; at *= 2) ++result_.planned_analyses;
    }
    done = analyse_interim(/*last=*/overdue || count >= most);
    if (done && overdue && count < most) result_.stop = Stop::kTime;
    next_analysis = std::min(2 * count, most);
  }
  first_index_ += static_cast<int>(result_.pairs.size());
  return Status::ok();
}

/// Summarises what there is; true if nothing more needs to be measured. The error is split evenly
/// over the planned interim analyses, so stopping at any of them keeps the stated confidence.
bool Comparison::analyse_interim(bool last) {
  mark_steal();
  settle_marks();
  ++result_.analyses;
  const double confidence = 1 - (1 - settings_.confidence) / result_.planned_analyses;
  result_.summary = summarise_pairs(result_.pairs, settings_, confidence);
  result_.noise_floor = noise_floor_of(result_.controls);
  const Decision decision = decide(result_.summary, settings_, result_.noise_floor.value_or(0));
  result_.verdict = decision.verdict;
  result_.same_within = decision.same_within;
  result_.reason = decision.reason;
  const bool usable = result_.summary.has_interval();
  if (usable && is_equivalent(result_.summary, settings_.margin)) {
    result_.stop = Stop::kEquivalent;
    return true;
  }
  if (usable && half_width(result_.summary) <= settings_.half_width) {
    result_.stop = Stop::kPrecise;
    return true;
  }
  const bool all = static_cast<int>(result_.pairs.size()) >= settings_.max_pairs;
  result_.stop = all ? Stop::kPairs : Stop::kTime;
  return last;
}

/// The kernel counts steal in ticks of a hundredth of a second, too coarse for a side sample.
void Comparison::mark_steal() {
  const double share = instruments_.steal_share ? instruments_.steal_share() : 0;
  const auto fresh = static_cast<double>(result_.pairs.size() - judged_pairs_);
  steal_sum_ += share * fresh;
  result_.steal_share = steal_sum_ / static_cast<double>(result_.pairs.size());
  for (; judged_pairs_ < result_.pairs.size(); ++judged_pairs_) {
    if (share <= settings_.max_steal) continue;
    for (std::uint8_t& marks : result_.pairs[judged_pairs_].marks) marks |= kSteal;
  }
}

void Comparison::settle_marks() {
  result_.others_share = others_share_ ? others_share_() : std::nullopt;
  settle_own_waits(result_.pairs, result_.others_share.value_or(1) * instruments_.threads);
}

Status Comparison::measure_pair() {
  const int index = first_index_ + static_cast<int>(result_.pairs.size());
  Pair pair;
  pair.backend_first = order_.next_backend_first();
  if (hooks_.before_pair) {
    GN_RETURN_IF_ERROR(hooks_.before_pair({index, result_.calls_per_side_sample[kEager],
                                           pair.backend_first, result_.has_leading_call}));
  }
  const Side first = pair.backend_first ? kBackend : kEager;
  PerSide<Judgement> judged;
  for (const Side side : {first, first == kEager ? kBackend : kEager}) {
    Result<Judgement> judgement = measure_side_sample(side, index, pair);
    if (!judgement.is_ok()) {
      return Status(judgement.status())
          .add_context("pair " + std::to_string(index + 1) + ", " + kSideNames[side]);
    }
    judged[side] = *judgement;
  }
  settle_waits(judged, result_.calls_per_side_sample, pair);
  bound_waits(pair);
  eager_sample_ = judged[kEager];
  result_.pairs.push_back(pair);
  return Status::ok();
}

/// Eager against itself, by the hooks of the pairs. As in these, each role comes first in turn.
Status Comparison::measure_control() {
  const int index = first_index_ + static_cast<int>(result_.pairs.size()) - 1;
  if (hooks_.before_pair) {
    GN_RETURN_IF_ERROR(hooks_.before_pair({index, result_.calls_per_side_sample[kEager],
                                           /*backend_first=*/false, result_.has_leading_call,
                                           /*is_control=*/true}));
  }
  Pair control;
  PerSide<Judgement> judged;
  const Side first = result_.controls.size() % 2 == 0 ? kEager : kBackend;
  for (const Side side : {first, first == kEager ? kBackend : kEager}) {
    Pair one = result_.pairs.back();
    judged[side] = eager_sample_;
    if (side != first || !shares_sample_) {
      one = {};
      Result<Judgement> measured = measure_side_sample(kEager, index, one);
      if (!measured.is_ok()) {
        return Status(measured.status())
            .add_context("control after pair " + std::to_string(index + 1));
      }
      judged[side] = *measured;
    }
    control.call_ns[side] = one.call_ns[kEager];
    control.ran_ns[side] = one.ran_ns[kEager];
    control.span_ns[side] = one.span_ns[kEager];
  }
  settle_waits(judged,
               {result_.calls_per_side_sample[kEager], result_.calls_per_side_sample[kEager]},
               control);
  bound_waits(control);
  result_.controls.push_back(control);
  return Status::ok();
}

/// Finds caches and predictors as the other side left them; its duration counts for nothing.
Status Comparison::leading_call(Side side, int index) {
  GN_RETURN_IF_ERROR(prepare(sides_[side]));
  if (hooks_.before_call) GN_RETURN_IF_ERROR(hooks_.before_call(side, index, kLeadingCall));
  GN_RETURN_IF_ERROR(sides_[side].call());
  return hooks_.after_call ? hooks_.after_call(side, index, kLeadingCall) : Status::ok();
}

/// Everything before the clock. New content comes as late as can be: whoever waits for it beside
/// the call has no time to work on it. Counters come after it, since it takes longer than they do:
/// a wait between their reading and the clock cannot be told from one in the call.
/// Returns when the steps began, later by what the flush took.
Result<std::int64_t> Comparison::approach(Side side, int index, int call) {
  if (call == 0) begin_ = instruments_.counters();
  std::int64_t start_ns = instruments_.now();
  GN_RETURN_IF_ERROR(prepare(sides_[side]));
  if (hooks_.before_call) GN_RETURN_IF_ERROR(hooks_.before_call(side, index, call));
  if (settings_.cache == CacheMode::kCold && instruments_.flush_cache) {
    const std::int64_t begin_ns = instruments_.now();
    instruments_.flush_cache();
    start_ns += instruments_.now() - begin_ns;
  }
  if (call == 0) before_ = read_counters(instruments_);
  return start_ns;
}

/// The steps to the first clocked call, without the thread's waits if it alone ran. What ran in
/// them is noted: nobody else has work to do there.
double Comparison::steps_without_waits(double steps_ns, Side side, Pair& pair) const {
  const RanBetween between = ran_between(begin_, before_.counters);
  pair.steps_ran_ns[side] = between.ran_ns;
  pair.steps_span_ns[side] = between.span_ns;
  const double waited_ns =
      removable_wait_ns(begin_, before_.counters, steps_ns, settings_.disturbed_share);
  return std::max(steps_ns - waited_ns, 0.0);
}

Result<Stopwatch> Comparison::clocked_call(Side side, int index, int call, Pair& pair) {
  GN_ASSIGN_OR_RETURN(const std::int64_t start_ns, approach(side, index, call));
  GN_ASSIGN_OR_RETURN(const Stopwatch watch, time_call(sides_[side], instruments_));
  const auto behind_ns = static_cast<double>(instruments_.now() - watch.end_ns);
  const auto steps_ns = static_cast<double>(watch.begin_ns - start_ns);
  pair.around_ns[side] +=
      behind_ns + (call == 0 ? steps_without_waits(steps_ns, side, pair) : steps_ns);
  if (hooks_.after_call) GN_RETURN_IF_ERROR(hooks_.after_call(side, index, call));
  return watch;
}

Result<Judgement> Comparison::measure_side_sample(Side side, int index, Pair& pair) {
  if (instruments_.wait_idle && !instruments_.wait_idle()) ++result_.idle_timeouts;
  if (result_.has_leading_call) GN_RETURN_IF_ERROR(leading_call(side, index));
  const int calls = result_.calls_per_side_sample[side];
  double side_sample_ns = 0;
  for (int call = 0; call < calls; ++call) {
    GN_ASSIGN_OR_RETURN(last_, clocked_call(side, index, call, pair));
    if (call == 0) first_ = last_;
    side_sample_ns += last_.elapsed_ns();
  }
  const DisturbanceCounters after = instruments_.counters();
  const Judgement judgement = judge_side_sample(after, calls, std::max(side_sample_ns, 1.0));
  pair.call_ns[side] = std::max(side_sample_ns / calls - result_.clock_ns, 1.0);
  pair.around_ns[side] /= calls;
  const double unwaited =
      unwaited_ns(before_.counters, after, side_sample_ns, settings_.disturbed_share);
  pair.unwaited_ns[side] = std::max(unwaited / calls - result_.clock_ns, 1.0);
  const RanBetween between = ran_between(before_.counters, after);
  pair.ran_ns[side] = between.ran_ns;
  pair.span_ns[side] = between.span_ns;
  if (hooks_.after_side_sample) GN_RETURN_IF_ERROR(hooks_.after_side_sample(side, index));
  return judgement;
}

/// Of several calls nobody knows whether a wait fell into one of them or between two.
Judgement Comparison::judge_side_sample(const DisturbanceCounters& after, int calls,
                                        double side_sample_ns) const {
  const auto reading_ns = static_cast<double>(instruments_.now() - last_.end_ns);
  const double span_ns =
      calls == 1 ? side_sample_ns : static_cast<double>(last_.end_ns - first_.begin_ns);
  Judgement judgement =
      judge(before_.counters, after, span_ns, settings_.disturbed_share, instruments_.threads);
  // As above: so much of the wait may have come before or after the side sample.
  const double around_ns =
      std::max(reading_ns, static_cast<double>(first_.begin_ns - before_.end_ns));
  const bool is_vague = around_ns > std::max(static_cast<double>(kReadingNs),
                                             settings_.disturbed_share * side_sample_ns);
  if (is_vague) judgement.is_removable = judgement.is_removable && judgement.waited_ns == 0;
  return judgement;
}

/// What comes before a clocked call of a side sample. With one thread the call before leaves the
/// same behind; with several the core idles between, and the host's steps take 1.6 times as long.
Status lead_up(const SideCalls& side, const Warmup& warmup, const PairedSettings& settings,
               const Instruments& instruments) {
  if (instruments.threads == 1) return Status::ok();
  if (instruments.wait_idle) static_cast<void>(instruments.wait_idle());
  if (warmup.typical_ns() >= static_cast<double>(settings.settle_below_ns)) return Status::ok();
  GN_RETURN_IF_ERROR(prepare(side));
  if (side.renew) GN_RETURN_IF_ERROR(side.renew());
  return side.call();
}

Result<SteppedCall> warm_up_call(const SideCalls& side, const Warmup& warmup,
                                 const PairedSettings& settings, const Instruments& instruments) {
  GN_RETURN_IF_ERROR(lead_up(side, warmup, settings, instruments));
  return step_call(side, side.renew, instruments, settings.disturbed_share);
}

}  // namespace

double Warmup::typical_ns() const {
  constexpr std::ptrdiff_t kLast = 5;
  if (warmup_ns.empty()) return first_call_ns;
  const auto count = std::min(kLast, static_cast<std::ptrdiff_t>(warmup_ns.size()));
  return median({warmup_ns.end() - count, warmup_ns.end()});
}

const char* stop_name(Stop stop) {
  constexpr const char* kNames[] = {"precise", "equivalent", "pairs", "time"};
  return kNames[static_cast<std::size_t>(stop)];
}

const char* unstable_name(Unstable reason) {
  constexpr const char* kNames[] = {"", "drops", "waits", "width"};
  return kNames[static_cast<std::size_t>(reason)];
}

Result<Warmup> warm_up(const SideCalls& side, const PairedSettings& settings,
                       const Instruments& instruments) {
  constexpr std::ptrdiff_t kWindow = 5;
  Warmup warmup;
  const auto first = step_call(side, nullptr, instruments, settings.disturbed_share);
  if (!first.is_ok()) return Status(first.status()).add_context("first call");
  warmup.first_call_ns = first->call_ns;
  if (side.after_first) GN_RETURN_IF_ERROR(side.after_first());
  std::vector<double>& calls = warmup.warmup_ns;
  const auto is_warm = [&] {
    if (static_cast<std::ptrdiff_t>(calls.size()) < 2 * kWindow) return false;
    const double now_ns = median({calls.end() - kWindow, calls.end()});
    const double before_ns = median({calls.end() - 2 * kWindow, calls.end() - kWindow});
    return std::abs(now_ns - before_ns) <= settings.warmup_change * before_ns;
  };
  const std::int64_t begin_ns = instruments.now();
  bool is_late = false;
  while (!is_late && !(static_cast<int>(calls.size()) >= settings.warmup_calls && is_warm())) {
    const auto call = warm_up_call(side, warmup, settings, instruments);
    if (!call.is_ok()) {
      return Status(call.status()).add_context("warm-up " + std::to_string(calls.size() + 1));
    }
    calls.push_back(call->own_ns());
    warmup.around_ns.push_back(call->around_ns);
    warmup.reading_ns.push_back(call->reading_ns);
    is_late = instruments.now() - begin_ns >= settings.warmup_time_ns;
  }
  return warmup;
}

Result<PairedResult> time_paired(const PerSide<SideCalls>& sides, const PerSide<Warmup>& warmups,
                                 const PairedHooks& hooks, const PairedSettings& settings,
                                 const Instruments& instruments) {
  return Comparison(sides, warmups, hooks, settings, instruments).run();
}

}  // namespace graphnet::measure
