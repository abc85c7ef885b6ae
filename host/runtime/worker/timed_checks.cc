// SPDX-License-Identifier: MIT
#include "worker/timed_checks.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <thread>
#include <utility>

#include "base/text.h"
#include "measure/clock.h"
#include "verify/compare.h"

namespace graphnet::worker {

using base::Code;
using base::Status;
using measure::Side;
using record::Flag;
using record::Outcome;

namespace {

// A check may cost this part of the time that has passed, and this much in any case.
constexpr double kCheckShare = 0.1;
constexpr std::int64_t kFreeCheckNs = 5'000'000;
constexpr int kFewestChecks = 3;
constexpr double kShareBeyondBudget = 0.25;

// Eager's results on what the plugin got must be computed there.
constexpr double kShareWithoutEager = 0.5;
constexpr double kShareWithEager = 0.75;

// Copied in 25 us: much shorter than what makes the reading of counters vague.
constexpr std::size_t kAtOnceBytes = std::size_t{256} << 10U;

// Longer than any sensible hand-over between threads, shorter than a reader's patience.
constexpr std::chrono::milliseconds kLateOutputWait{20};

/// The chance of each of so many by which any is drawn with `chance`.
double chance_of_any(double chance, int count) {
  return 1 - std::pow(1 - chance, 1.0 / count);
}

}  // namespace

TimedChecks::TimedChecks(const ComparedSample& compared, InputShuffle shuffle, bool compare)
    : compared_(compared),
      eager_(compared.eager),
      plugin_(compared.plugin),
      shuffle_(std::move(shuffle)),
      compare_(compare),
      start_ns_(measure::monotonic_raw_ns()) {
  findings_.content_bits = shuffle_.content_bits();
  for (const KeptOutput& output : eager_.kept()) output_bytes_ += output.bytes.num_bytes();
}

measure::PerSide<measure::SideCalls> TimedChecks::sides() {
  return {eager_.calls(), plugin_.calls()};
}

measure::PairedHooks TimedChecks::hooks() {
  measure::PairedHooks hooks;
  hooks.before_pair = [this](const measure::PairPlan& plan) { return before_pair(plan); };
  hooks.before_call = [this](Side side, int, int call) { return before_call(side, call); };
  hooks.after_call = [this](Side side, int, int call) { return after_call(side, call); };
  hooks.after_side_sample = [this](Side side, int pair) { return after_side_sample(side, pair); };
  return hooks;
}

/// For a pair; `is_free`: eager's results come from its side sample.
double TimedChecks::chance_of_check(bool is_free) const {
  if (!compare_) return 0;
  const auto passed_ns = static_cast<double>(measure::monotonic_raw_ns() - start_ns_);
  const bool can_afford =
      findings_.checked_calls < kFewestChecks || spent_ns_ < kCheckShare * passed_ns + kFreeCheckNs;
  return (is_free ? kShareWithEager : kShareWithoutEager) * (can_afford ? 1 : kShareBeyondBudget);
}

bool TimedChecks::is_drawn() {
  return std::uniform_real_distribution<double>(0, 1)(random_) < check_chance_;
}

Status TimedChecks::before_pair(const measure::PairPlan& plan) {
  plan_ = plan;
  side_samples_done_ = 0;
  has_eager_ = false;
  checked_call_.reset();
  shuffle_.forget();
  const auto contents = static_cast<std::uint64_t>(plan.calls) + 1;  // one for a leading call
  if (plan.is_control) {
    first_content_[measure::kEager] = shuffle_.reserve(contents);
    return Status::ok();
  }
  const int calls = plan.calls + (plan.has_leading_call ? 1 : 0);
  was_drawn_.assign(static_cast<std::size_t>(plan.calls) + 1, false);
  check_chance_ = chance_of_any(chance_of_check(plan.backend_first), calls);
  if (!eager_.device().is_host()) span_ns_.emplace_back();
  first_content_[measure::kBackend] = shuffle_.reserve(contents);
  first_content_[measure::kEager] =
      plan.backend_first ? first_content_[measure::kBackend] : shuffle_.reserve(contents);
  return Status::ok();
}

std::uint64_t TimedChecks::content_of(Side side, int call) const {
  return first_content_[side] + static_cast<std::uint64_t>(call - measure::kLeadingCall);
}

Status TimedChecks::before_call(Side side, int call) {
  GN_RETURN_IF_ERROR(shuffle_.apply(content_of(side, call)));
  const bool is_timed = call != measure::kLeadingCall;
  if (is_timed && side == measure::kBackend && shuffle_.has_effect()) ++findings_.shuffled_calls;
  return eager_.device().wait();  // what was asked of a device here is in no clock
}

/// Whether a checked call's outputs are copied right after it; else at the end of its side sample.
bool TimedChecks::copies_at_once(int call) const {
  return output_bytes_ <= kAtOnceBytes || call + 1 < plan_.calls;
}

/// Copies of the plugin's outputs leave other things in the caches, so eager's are copied behind as
/// many of its calls: where it repeats the plugin's contents, behind the same ones, else behind
/// calls that are drawn alike, for nothing. Not behind the last one: nobody changes eager's outputs
/// later, and a copy would only lengthen the way from the clock to the counters.
Status TimedChecks::after_call_of_eager(int call, bool is_drawn_now) {
  if (call + 1 == plan_.calls) return Status::ok();
  if (!plan_.backend_first) {
    if (is_drawn_now) GN_RETURN_IF_ERROR(copy_eager());
    has_eager_ = false;
    return Status::ok();
  }
  if (!was_drawn_[static_cast<std::size_t>(call - measure::kLeadingCall)]) return Status::ok();
  GN_RETURN_IF_ERROR(copy_eager());
  has_eager_ = checked_call_ == call;
  return Status::ok();
}

Status TimedChecks::after_call(Side side, int call) {
  if (plan_.is_control) return Status::ok();
  const bool is_drawn_now = is_drawn();  // on both sides: what comes between calls is alike
  if (side == measure::kEager) return after_call_of_eager(call, is_drawn_now);
  if (!is_drawn_now) return Status::ok();
  checked_call_ = call;
  checked_content_ = content_of(measure::kBackend, call);
  was_drawn_[static_cast<std::size_t>(call - measure::kLeadingCall)] = true;
  early_copy_.clear();
  copy_ns_ = 0;
  if (copies_at_once(call)) return copy_plugin();
  if (!eager_.device().is_host()) return Status::ok();
  GN_RETURN_IF_ERROR(plugin_.check_tensors());
  const std::int64_t begin_ns = measure::monotonic_raw_ns();
  GN_RETURN_IF_ERROR(plugin_.judge_read(early_copy_.take(plugin_.outputs(), plugin_.kept())));
  copy_ns_ += static_cast<double>(measure::monotonic_raw_ns() - begin_ns);
  return Status::ok();
}

Status TimedChecks::copy_plugin() {
  const bool allocates = plugin_outputs_.empty();
  const std::int64_t begin_ns = measure::monotonic_raw_ns();
  GN_RETURN_IF_ERROR(plugin_.copy_outputs(plugin_outputs_));
  copy_ns_ += static_cast<double>(measure::monotonic_raw_ns() - begin_ns);
  if (!allocates && eager_.device().is_host()) {
    findings_.copies_ns[measure::kBackend].push_back(copy_ns_);
  }
  return Status::ok();
}

Status TimedChecks::copy_eager() {
  has_eager_ = true;
  const bool allocates = eager_outputs_.empty();
  if (allocates) GN_RETURN_IF_ERROR(eager_.copy_outputs(eager_outputs_));
  if (!eager_.device().is_host()) {
    return allocates ? Status::ok() : eager_.copy_outputs(eager_outputs_);
  }
  GN_ASSIGN_OR_RETURN(const double copy_ns, eager_.time_copy(eager_outputs_));
  findings_.copies_ns[measure::kEager].push_back(copy_ns);
  return Status::ok();
}

Status TimedChecks::after_side_sample(Side side, int pair) {
  if (plan_.is_control) {
    first_content_[side] = shuffle_.reserve(static_cast<std::uint64_t>(plan_.calls) + 1);
    return Status::ok();
  }
  if (!span_ns_.empty()) {
    GN_ASSIGN_OR_RETURN(span_ns_.back()[side], eager_.device().last_span_ns());
  }
  const std::int64_t start = measure::monotonic_raw_ns();
  const bool is_host = eager_.device().is_host();  // elsewhere a look at guards is a copy for each
  if (side == measure::kBackend && is_host) GN_RETURN_IF_ERROR(plugin_.check_guards());
  if (checked_call_ && side == measure::kBackend && !copies_at_once(*checked_call_)) {
    GN_RETURN_IF_ERROR(copy_plugin());
  }
  const bool is_last = checked_call_ == plan_.calls - 1;
  if (is_last && side == measure::kEager && plan_.backend_first && !has_eager_) {
    GN_RETURN_IF_ERROR(copy_eager());
  }
  if (++side_samples_done_ == 2 && checked_call_) GN_RETURN_IF_ERROR(check_pair(pair));
  spent_ns_ += static_cast<double>(measure::monotonic_raw_ns() - start);
  return Status::ok();
}

Status TimedChecks::check_pair(int pair) {
  is_last_call_ = *checked_call_ + 1 == plan_.calls;
  if (!has_eager_) GN_RETURN_IF_ERROR(compute_eager());
  return compare_call("timed call " + std::to_string(pair + 1));
}

Status TimedChecks::compute_eager() {
  GN_RETURN_IF_ERROR(shuffle_.apply(checked_content_));
  GN_RETURN_IF_ERROR(eager_.prepare());
  GN_RETURN_IF_ERROR(eager_.run());
  return copy_eager();
}

Status TimedChecks::check_untimed(int calls) {
  is_last_call_ = true;
  const measure::SideCalls plugin = plugin_.calls();
  for (int call = 0; call < calls && shuffle_.has_effect() && compare_; ++call) {
    shuffle_.forget();
    checked_content_ = shuffle_.reserve(1);
    GN_RETURN_IF_ERROR(plugin.prepare());
    GN_RETURN_IF_ERROR(shuffle_.apply(checked_content_));
    GN_RETURN_IF_ERROR(plugin.call());
    GN_RETURN_IF_ERROR(plugin_.copy_outputs(plugin_outputs_));
    GN_RETURN_IF_ERROR(compute_eager());
    GN_RETURN_IF_ERROR(compare_call("untimed call " + std::to_string(call + 1)));
  }
  return Status::ok();
}

Status TimedChecks::compare_call(const std::string& which) {
  ++findings_.checked_calls;
  if (early_copy_.differs(plugin_outputs_)) {
    return found(Flag::kLateOutput, Outcome::kPluginFailed,
                 "outputs of " + which + " changed after gn_backend_run had returned");
  }
  if (bits_equal(eager_outputs_, plugin_outputs_)) return Status::ok();
  const auto comparison = verify::compare_outputs(views(eager_outputs_), views(plugin_outputs_));
  if (comparison.outcome == Outcome::kOk) return Status::ok();
  GN_RETURN_IF_ERROR(shuffle_.apply(checked_content_));  // other calls have come since
  return judge_difference(which);
}

Status TimedChecks::judge_difference(const std::string& which) {
  GN_ASSIGN_OR_RETURN(const bool is_late, outputs_arrive_late());
  if (is_late) {
    return found(Flag::kLateOutput, Outcome::kPluginFailed,
                 "outputs of " + which + " changed after gn_backend_run had returned");
  }
  if (plugin_.is_unwritten(plugin_outputs_)) {
    return found(Flag::kUnwrittenOutput, Outcome::kPluginFailed,
                 which + " left an output unwritten");
  }
  const std::string is_stale =
      which + " gave the results of the first call, though its inputs had changed";
  if (shuffle_.has_effect() && bits_equal(plugin_outputs_, plugin_.kept())) {
    return found(Flag::kStaleOutput, Outcome::kPluginFailed, is_stale);
  }
  const PresentJudgement full = judge_on_present_inputs(compared_, eager_outputs_, plugin_outputs_);
  if (full.standing != PresentStanding::kWrong) {
    ++findings_.ill_conditioned_calls;
    return Status::ok();
  }
  if (shuffle_.has_effect() && is_of_the_first_call()) {
    return found(Flag::kStaleOutput, Outcome::kPluginFailed, is_stale);
  }
  const base::Result<bool> repeats = repeats_untimed();
  std::string message = which + " on shuffled inputs: " + full.comparison.message;
  if (!repeats.is_ok()) message += "; another call: " + repeats.status().message();
  return found(repeats.is_ok() && *repeats ? Flag::kSensitive : Flag::kWrongOutput,
               full.comparison.outcome, message);
}

// A bit more or less does not make them new.
bool TimedChecks::is_of_the_first_call() {
  return verify::compare_outputs(views(plugin_.kept()), views(plugin_outputs_)).outcome ==
         Outcome::kOk;
}

// Whether the plugin computes what it computes, timed or not.
base::Result<bool> TimedChecks::repeats_untimed() {
  std::vector<KeptOutput> again;
  const measure::SideCalls plugin = plugin_.calls();
  GN_RETURN_IF_ERROR(plugin.prepare());
  GN_RETURN_IF_ERROR(plugin.call());
  GN_RETURN_IF_ERROR(plugin_.copy_outputs(again));
  return verify::compare_outputs(views(plugin_outputs_), views(again)).outcome == Outcome::kOk;
}

// If other calls have come since, or in any case if nothing arrived: another one on the same
// inputs.
base::Result<bool> TimedChecks::outputs_arrive_late() {
  std::vector<KeptOutput> at_once;
  std::vector<KeptOutput> later;
  // Outputs of the eager service are gone with eager's next run.
  if (is_last_call_ && plugin_.eager_runs() == 0) {
    std::this_thread::sleep_for(kLateOutputWait);
    GN_RETURN_IF_ERROR(plugin_.copy_outputs(later));
    if (!bits_equal(plugin_outputs_, later)) return true;
  }
  const measure::SideCalls plugin = plugin_.calls();
  GN_RETURN_IF_ERROR(plugin.prepare());
  GN_RETURN_IF_ERROR(plugin.call());
  GN_RETURN_IF_ERROR(plugin_.copy_outputs(at_once));
  std::this_thread::sleep_for(kLateOutputWait);
  GN_RETURN_IF_ERROR(plugin_.copy_outputs(later));
  return !bits_equal(at_once, later);
}

Status TimedChecks::found(Flag flag, Outcome outcome, const std::string& message) {
  findings_.flag = flag;
  findings_.outcome = outcome;
  findings_.message = message;
  return Status(Code::kPlugin, message);  // ends the measurement
}

TimedFindings TimedChecks::finish(const measure::PairedResult* result) {
  findings_.restored = shuffle_.restore();
  // The pairs of the attempt that counts are the last ones.
  if (result == nullptr || span_ns_.size() < result->pairs.size()) return findings_;
  findings_.span_ns.assign(span_ns_.end() - static_cast<std::ptrdiff_t>(result->pairs.size()),
                           span_ns_.end());
  return findings_;
}

}  // namespace graphnet::worker
