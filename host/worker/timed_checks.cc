// SPDX-License-Identifier: MIT
#include "worker/timed_checks.h"

#include <chrono>
#include <cstring>
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

// Longer than any sensible hand-over between threads, shorter than a reader's patience.
constexpr std::chrono::milliseconds kLateOutputWait{20};

// Indices may differ where values tie, which only the full comparison can judge.
bool is_wrong(const verify::Comparison& comparison, const std::vector<KeptOutput>& outputs) {
  for (std::size_t i = 0; i < comparison.outputs.size(); ++i) {
    const bool judged = base::is_floating(outputs[i].dtype);
    if (judged && !comparison.outputs[i].within_tolerance) return true;
  }
  return false;
}

}  // namespace

TimedChecks::TimedChecks(const ComparedSample& compared, InputShuffle shuffle, bool compare,
                         std::uint64_t seed)
    : compared_(compared),
      eager_(compared.eager),
      plugin_(compared.plugin),
      shuffle_(std::move(shuffle)),
      compare_(compare),
      generator_(seed),
      start_ns_(measure::monotonic_raw_ns()) {}

measure::PerSide<measure::SideCalls> TimedChecks::sides() {
  measure::PerSide<measure::SideCalls> sides = {eager_.calls(), plugin_.calls()};
  for (measure::SideCalls& side : sides) {
    side.call = [this, call = std::move(side.call)] {
      const std::uint64_t start = measure::cycle_count();
      Status status = call();
      half_cycles_ += measure::cycle_count() - start;
      return status;
    };
  }
  return sides;
}

measure::PairedHooks TimedChecks::hooks() {
  measure::PairedHooks hooks;
  hooks.before_pair = [this](int) { return before_pair(); };
  hooks.before_half = [this](Side side, int) { return before_half(side); };
  hooks.after_half = [this](Side side, int pair) { return after_half(side, pair); };
  return hooks;
}

Status TimedChecks::before_pair() {
  const auto passed_ns = static_cast<double>(measure::monotonic_raw_ns() - start_ns_);
  const bool can_afford =
      findings_.checked_calls < kFewestChecks || spent_ns_ < kCheckShare * passed_ns + kFreeCheckNs;
  // Drawn even if it cannot be afforded: the order of draws must not tell anything.
  const bool is_drawn = std::uniform_int_distribution<int>(0, 3)(generator_) != 0;
  is_checked_ = compare_ && is_drawn && can_afford;
  halves_done_ = 0;
  cycles_.emplace_back();
  if (!eager_.place().is_host()) span_ns_.emplace_back();
  shuffle_.draw();
  return Status::ok();
}

Status TimedChecks::before_half(Side side) {
  GN_RETURN_IF_ERROR(shuffle_.apply());
  if (side == measure::kBackend && shuffle_.has_effect()) ++findings_.shuffled_calls;
  if (side == measure::kBackend) GN_RETURN_IF_ERROR(plugin_.prepare_outputs(is_checked_));
  half_cycles_ = 0;
  return eager_.place().wait();  // what was asked of a device here is in no clock
}

Status TimedChecks::after_half(Side side, int pair) {
  cycles_.back()[side] = half_cycles_;
  if (!span_ns_.empty()) span_ns_.back()[side] = eager_.place().last_span_ns().value_or(0);
  const std::int64_t start = measure::monotonic_raw_ns();
  if (is_checked_) {
    GN_RETURN_IF_ERROR(side == measure::kEager ? eager_.copy_outputs(eager_outputs_)
                                               : plugin_.copy_outputs(plugin_outputs_));
  }
  ++halves_done_;
  if (halves_done_ == 1) {
    GN_RETURN_IF_ERROR(
        shuffle_.undo());  // the other side's settle call must not see what it will be timed on
  } else if (is_checked_) {
    ++findings_.checked_calls;
    GN_RETURN_IF_ERROR(compare_pair(pair));
  }
  spent_ns_ += static_cast<double>(measure::monotonic_raw_ns() - start);
  return Status::ok();
}

Status TimedChecks::compare_pair(int pair) {
  const bool agrees = bits_equal(eager_outputs_, plugin_outputs_);
  if (agrees) return Status::ok();
  const auto comparison = verify::compare_outputs(views(eager_outputs_), views(plugin_outputs_));
  if (comparison.outcome == Outcome::kOk) return Status::ok();
  const std::string which = "timed call " + std::to_string(pair + 1);
  if (outputs_arrive_later()) {
    return found(Flag::kLateOutput, Outcome::kPluginFailed,
                 "outputs of " + which + " changed after gn_backend_run had returned");
  }
  if (plugin_.is_unwritten(plugin_outputs_)) {
    return found(Flag::kUnwrittenOutput, Outcome::kPluginFailed,
                 which + " left an output unwritten");
  }
  const bool is_first_result = bits_equal(plugin_outputs_, plugin_.kept());
  if (shuffle_.has_effect() && is_first_result) {
    return found(Flag::kStaleOutput, Outcome::kPluginFailed,
                 which + " gave the results of the first call, though its inputs had changed");
  }
  if (!is_wrong(comparison, eager_outputs_)) return Status::ok();
  const auto full = compare_on_present_inputs(compared_, eager_outputs_, plugin_outputs_);
  if (!is_wrong(full, eager_outputs_)) {
    ++findings_.ill_conditioned_calls;
    return Status::ok();
  }
  if (repeats_untimed()) {
    findings_.sensitive = which + " on shuffled inputs: " + comparison.message;
    return Status::ok();
  }
  return found(Flag::kWrongOutput, comparison.outcome,
               which + " on shuffled inputs: " + comparison.message);
}

// A choice among nearly equal values (topk, sorting) falls differently with a rounding: the plugin
// computes what it computes, timed or not.
bool TimedChecks::repeats_untimed() {
  std::vector<KeptOutput> again;
  const bool ran = plugin_.prepare_outputs(/*poisoned=*/true).is_ok() && eager_.prepare().is_ok() &&
                   plugin_.calls().call().is_ok() && plugin_.copy_outputs(again).is_ok();
  if (!ran) return false;
  return !is_wrong(verify::compare_outputs(views(plugin_outputs_), views(again)), again);
}

bool TimedChecks::outputs_arrive_later() {
  std::this_thread::sleep_for(kLateOutputWait);
  std::vector<KeptOutput> later;
  return plugin_.copy_outputs(later).is_ok() && !bits_equal(plugin_outputs_, later);
}

Status TimedChecks::found(Flag flag, Outcome outcome, const std::string& message) {
  findings_.flag = flag;
  findings_.outcome = outcome;
  findings_.message = message;
  return Status(Code::kPlugin, message);  // ends the measurement
}

TimedFindings TimedChecks::finish(const measure::PairedResult* result) {
  // A device that fails here fails in the next call too, which says so.
  static_cast<void>(shuffle_.restore().is_ok());
  if (result == nullptr || findings_.flag != Flag::kNone || cycles_.size() < result->pairs.size()) {
    return findings_;
  }
  // The pairs of the attempt that counts are the last ones.
  const std::size_t skipped = cycles_.size() - result->pairs.size();
  if (!span_ns_.empty()) {
    findings_.span_ns.assign(span_ns_.begin() + static_cast<std::ptrdiff_t>(skipped),
                             span_ns_.end());
  }
  const auto ns_per_tick = rate_.ns_per_tick();
  if (!ns_per_tick) return findings_;
  for (const Side side : {measure::kEager, measure::kBackend}) {
    measure::ClockAgreement agreement;
    for (std::size_t i = 0; i < result->pairs.size(); ++i) {
      agreement.clock_ns += result->pairs[i].call_ns[side] * result->calls_per_half[side];
      agreement.cycles_ns += static_cast<double>(cycles_[skipped + i][side]) * *ns_per_tick;
    }
    if (!measure::is_tampered(agreement)) continue;
    findings_.flag = Flag::kClockTampered;
    findings_.outcome = Outcome::kPluginFailed;
    findings_.message = "the system's clock counted " + base::format_duration(agreement.clock_ns) +
                        " in timed calls that took " + base::format_duration(agreement.cycles_ns) +
                        " by the processor's cycle counter";
  }
  return findings_;
}

}  // namespace graphnet::worker
