// SPDX-License-Identifier: MIT
#include "measure/paired.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "measure/bootstrap.h"
#include "measure/pair_summary.h"

namespace graphnet::measure {

using base::Result;
using base::Status;

namespace {

/// Longer than it takes to read the counters (3 us, 20 us after a call that used the caches), much
/// shorter than another program keeps a core that it has got.
constexpr std::int64_t kReadingNs = 50'000;

constexpr const char* kSideNames[] = {"eager", "backend"};

Status prepare(const SideCalls& side) {
  return side.prepare ? side.prepare() : Status::ok();
}

/// Two readings of the clock.
struct Stopwatch {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  double elapsed_ns() const { return static_cast<double>(end_ns - begin_ns); }
};

/// The only place where a duration is taken: between the two readings there is nothing but the
/// calls.
Result<Stopwatch> time_calls(const SideCalls& side, int calls, const Instruments& instruments) {
  Status status;
  Stopwatch watch;
  watch.begin_ns = instruments.now();
  for (int i = 0; i < calls && status.is_ok(); ++i) status = side.call();
  watch.end_ns = instruments.now();
  if (!status.is_ok()) return status;
  return watch;
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
/// that a cost of coming first is balanced at every look.
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

/// One comparison: pairs, looks, and a second attempt if need be.
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
    for (const Side side : {kEager, kBackend}) plan_half(side, warmups[side].typical_ns());
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
  void plan_half(Side side, double call_ns);
  int affordable_pairs(double elapsed_ns) const;
  Status attempt();
  bool look(bool last);
  void mark_steal();
  Status measure_pair();
  Status measure_half(Side side, int index, Pair& pair);
  Status approach(Side side, int index);
  DisturbanceCounters counters_before();

  const PerSide<SideCalls>& sides_;
  const PairedHooks& hooks_;
  const PairedSettings& settings_;
  const Instruments& instruments_;
  Order order_;
  PairedResult result_;
  int first_index_ = 0;           ///< of this attempt's pairs
  std::size_t judged_pairs_ = 0;  ///< already marked for steal
  double steal_sum_ = 0;          ///< of the looks of this attempt
};

/// Blocks only where nothing has to be put back between the calls, and caches may be warm.
void Comparison::plan_half(Side side, double call_ns) {
  constexpr double kMaxCalls = 1000;
  result_.settled[side] = call_ns < static_cast<double>(settings_.settle_below_ns);
  const bool single = sides_[kEager].prepare || sides_[kBackend].prepare ||
                      settings_.cache == CacheMode::kCold || call_ns <= 0;
  if (single) return;
  const double calls = std::ceil(result_.clock_ns / (settings_.clock_share * call_ns));
  result_.calls_per_half[side] = static_cast<int>(std::clamp(calls, 1.0, kMaxCalls));
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

Status Comparison::attempt() {
  result_.pairs.clear();
  result_.looks = result_.planned_looks = result_.idle_timeouts = 0;
  judged_pairs_ = 0;
  steal_sum_ = 0;
  if (instruments_.steal_share) instruments_.steal_share();
  const std::int64_t begin_ns = instruments_.now();
  int next_look = std::min(settings_.first_look, settings_.max_pairs);
  int most = settings_.max_pairs;
  for (bool done = false; !done;) {
    GN_RETURN_IF_ERROR(measure_pair());
    const int count = static_cast<int>(result_.pairs.size());
    const std::int64_t elapsed_ns = instruments_.now() - begin_ns;
    const bool overdue =
        elapsed_ns >= settings_.long_call_time_ns && count >= settings_.fewest_pairs;
    if (count < next_look && !overdue) continue;
    if (result_.looks == 0) {
      most = overdue ? count : std::max(count, affordable_pairs(static_cast<double>(elapsed_ns)));
      result_.planned_looks = 1;
      for (int at = count; at < most; at *= 2) ++result_.planned_looks;
    }
    done = look(/*last=*/overdue || count >= most);
    if (done && overdue && count < most) result_.stop = Stop::kTime;
    next_look = std::min(2 * count, most);
  }
  first_index_ += static_cast<int>(result_.pairs.size());
  return Status::ok();
}

/// Summarises what there is; true if nothing more needs to be measured. The error is split evenly
/// over the planned looks, so stopping at any of them keeps the stated confidence.
bool Comparison::look(bool last) {
  mark_steal();
  ++result_.looks;
  const double confidence = 1 - (1 - settings_.confidence) / result_.planned_looks;
  result_.summary = summarise_pairs(result_.pairs, settings_, confidence);
  const Decision decision = decide(result_.summary, settings_);
  result_.verdict = decision.verdict;
  result_.same_within = decision.same_within;
  const bool usable = !result_.summary.drops_exceeded;
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

/// The kernel counts steal in ticks of a hundredth of a second, too coarse for a half.
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

Status Comparison::measure_pair() {
  const int index = first_index_ + static_cast<int>(result_.pairs.size());
  Pair pair;
  pair.backend_first = order_.next_backend_first();
  if (hooks_.before_pair) GN_RETURN_IF_ERROR(hooks_.before_pair(index));
  const Side first = pair.backend_first ? kBackend : kEager;
  for (const Side side : {first, first == kEager ? kBackend : kEager}) {
    Status status = measure_half(side, index, pair);
    if (!status.is_ok()) {
      return status.add_context("pair " + std::to_string(index + 1) + ", " + kSideNames[side]);
    }
  }
  result_.pairs.push_back(pair);
  return Status::ok();
}

/// Everything before the clock.
Status Comparison::approach(Side side, int index) {
  if (instruments_.wait_idle && !instruments_.wait_idle()) ++result_.idle_timeouts;
  GN_RETURN_IF_ERROR(prepare(sides_[side]));
  if (result_.settled[side]) {
    GN_RETURN_IF_ERROR(sides_[side].call());
    GN_RETURN_IF_ERROR(prepare(sides_[side]));
  }
  if (hooks_.before_half) GN_RETURN_IF_ERROR(hooks_.before_half(side, index));
  if (instruments_.flush_cache) instruments_.flush_cache();
  return Status::ok();
}

/// Counters that belong to this moment: returning from the kernel is where a thread loses its core,
/// and a wait between the reading and the clock would be taken out of a half that it is not in.
DisturbanceCounters Comparison::counters_before() {
  constexpr int kTries = 5;
  DisturbanceCounters counters;
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t begin_ns = instruments_.now();
    counters = instruments_.counters();
    if (instruments_.now() - begin_ns < kReadingNs) break;
  }
  return counters;
}

Status Comparison::measure_half(Side side, int index, Pair& pair) {
  GN_RETURN_IF_ERROR(approach(side, index));
  const int calls = result_.calls_per_half[side];
  const DisturbanceCounters before = counters_before();
  GN_ASSIGN_OR_RETURN(const Stopwatch watch, time_calls(sides_[side], calls, instruments_));
  const DisturbanceCounters after = instruments_.counters();
  const auto reading_ns = static_cast<double>(instruments_.now() - watch.end_ns);
  const double half_ns = std::max(watch.elapsed_ns(), 1.0);
  Judgement judgement = judge(before, after, half_ns, settings_.disturbed_share);
  // As above: so much of the wait may have come after the half.
  const bool is_vague =
      reading_ns > std::max(static_cast<double>(kReadingNs), settings_.disturbed_share * half_ns);
  if (is_vague && judgement.waited_ns > 0) judgement = {kPreempted, 0};
  pair.marks[side] = judgement.mark;
  pair.call_ns[side] = half_ns / calls;
  pair.waited_ns[side] = judgement.waited_ns / calls;
  return hooks_.after_half ? hooks_.after_half(side, index) : Status::ok();
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

Result<Warmup> warm_up(const SideCalls& side, const PairedSettings& settings,
                       const Instruments& instruments) {
  constexpr std::ptrdiff_t kWindow = 5;
  Warmup warmup;
  const auto timed = [&](double& duration_ns) -> Status {
    GN_RETURN_IF_ERROR(prepare(side));
    GN_ASSIGN_OR_RETURN(const Stopwatch watch, time_calls(side, 1, instruments));
    duration_ns = watch.elapsed_ns();
    return Status::ok();
  };
  GN_RETURN_IF_ERROR(timed(warmup.first_call_ns).add_context("first call"));
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
    double duration_ns = 0;
    GN_RETURN_IF_ERROR(
        timed(duration_ns).add_context("warm-up " + std::to_string(calls.size() + 1)));
    calls.push_back(duration_ns);
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
