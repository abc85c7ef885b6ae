// SPDX-License-Identifier: MIT
#include "worker/untimed_work.h"

#include <algorithm>

#include "base/text.h"
#include "measure/bootstrap.h"
#include "measure/clock.h"
#include "measure/pair_summary.h"
#include "worker/more_pairs.h"

namespace graphnet::worker {

namespace {

constexpr int kCopies = 5;
constexpr int kCallsWithoutPlugin = 15;
constexpr int kFewestCallsWithoutPlugin = 3;
constexpr std::int64_t kTimeWithoutPluginNs = 2'000'000'000;  // then the fewest are enough
// Of calls of eager's that take longer one is enough. A copy without a call before it would find
// warm caches, and the plugin's call may be short: what follows that finds cold ones.
constexpr double kOneCopyNs = 20e6;
constexpr double kCallShare = 0.1;
constexpr double kLeastNs = 2000;
// Of the steps around calls, up to the first length and beyond it: small inputs are written in
// 4 us, about what a trap takes; large ones take long enough to compute in.
constexpr double kShortStepsNs = 10e3;
constexpr double kShortSlack = 0.5;
constexpr double kLongSlack = 0.2;
// A reading of the counters is a dozen system calls. Where these are slow they are slower still
// between calls that leave other things in the caches: by half and more, where a reading of 8 us
// was measured.
constexpr double kFastReadingNs = 4e3;
// What a plugin writes past the caches is copied from memory.
constexpr double kCopySlack = 1;
// Up to so much, as a share, by which copies of eager's outputs become longer is the machine's:
// what both sides use together may be more than the caches hold.
constexpr double kCopySlowdown = 0.7;
// The system call of a copy (kernel_copy.h) takes 3 us in a row, and 7 after a call of either side.
constexpr double kCopyCallNs = 6e3;
constexpr std::size_t kFewestCopies = 3;
// The most that was seen on an H100 beside XLA: 48 us on steps of 21 us, 166 us on steps of 234 us.
constexpr double kDeviceNs = 60e3;

double median_or_zero(std::vector<double> values) {
  return values.empty() ? 0 : measure::median(std::move(values));
}

double eager_steps_ns(const measure::PairedResult& result) {
  std::vector<double> arounds_ns;
  for (const measure::Pair& pair : result.pairs) {
    arounds_ns.push_back(pair.around_ns[measure::kEager]);
  }
  return median_or_zero(std::move(arounds_ns));
}

std::optional<double> ask(const AskSteps& who) {
  return who ? who() : std::nullopt;
}

/// By how much longer copying eager's outputs takes in the pairs than before.
double longer_copy_ns(double before_ns, const std::vector<double>& in_pairs_ns) {
  if (in_pairs_ns.size() < kFewestCopies) return 0;
  return std::clamp(measure::median(in_pairs_ns) - before_ns, 0.0,
                    std::max(kCopySlowdown * before_ns, kCopyCallNs));
}

/// As a share of the steps' time.
double around_slack(double before_ns) {
  const double short_ns = std::min(before_ns, kShortStepsNs);
  return (kShortSlack * short_ns + kLongSlack * (before_ns - short_ns)) / before_ns;
}

}  // namespace

base::Result<HostSteps> measure_host_steps(const measure::Warmup& eager_warmup, EagerSide& eager) {
  HostSteps steps;
  steps.around_ns = median_or_zero(eager_warmup.around_ns);
  steps.reading_ns = median_or_zero(eager_warmup.reading_ns);
  steps.are_on_device = !eager.device().is_host();
  if (steps.are_on_device) return steps;
  std::vector<KeptOutput> copied;
  GN_RETURN_IF_ERROR(eager.copy_outputs(copied));  // allocates
  std::vector<double> copies_ns;
  const measure::SideCalls calls = eager.calls();
  const int num_copies = eager_warmup.typical_ns() < kOneCopyNs ? kCopies : 1;
  for (int i = 0; i < num_copies; ++i) {
    GN_RETURN_IF_ERROR(calls.prepare());
    GN_RETURN_IF_ERROR(calls.call());
    GN_ASSIGN_OR_RETURN(const double copy_ns, eager.time_copy(copied));
    copies_ns.push_back(copy_ns);
  }
  steps.copy_ns = measure::median(std::move(copies_ns));
  return steps;
}

bool is_untimed_work(double before_ns, double with_plugin_ns, double call_ns, double slack) {
  const double excess_ns = with_plugin_ns - before_ns;
  return excess_ns > std::max({kCallShare * call_ns, slack * before_ns, kLeastNs});
}

SecondLook check_untimed_work(const HostSteps& before, const measure::PairedResult& result,
                              const measure::PerSide<std::vector<double>>& copies_ns,
                              base::Json& report, const SecondLooks& looks) {
  const double call_ns = result.summary.median_ns[measure::kBackend];
  const double eager_ns = eager_steps_ns(result);
  const double around_ns = plugin_steps_ns(result);
  double before_ns = before.around_ns;
  const auto calls = static_cast<double>(result.calls_per_side_sample[measure::kBackend]);
  if (before_ns > 0) before_ns += before.reading_ns / calls;
  // A busier machine lengthens the steps of both sides.
  const double most_ns = before.are_on_device ? before_ns + kDeviceNs : kLeastNs;
  const double machine_ns = std::max(before.reading_ns - kFastReadingNs, 0.0) / calls +
                            std::clamp(eager_ns - before_ns, 0.0, most_ns);
  const double copy_ns = median_or_zero(copies_ns[measure::kBackend]);
  report["around_ns"] = {{"before", before_ns},
                         {"eager", eager_ns},
                         {"plugin", around_ns},
                         {"reading", before.reading_ns}};
  if (copy_ns > 0) {
    report["copy_ns"] = {{"before", before.copy_ns},
                         {"eager", median_or_zero(copies_ns[measure::kEager])},
                         {"plugin", copy_ns}};
  }
  const auto found = [](const std::string& what, double was_ns, double is_ns) {
    return Finding{record::Flag::kUntimedWork, what + " took " + base::format_duration(is_ns) +
                                                   " a call, and " + base::format_duration(was_ns) +
                                                   " before the plugin was loaded"};
  };
  const auto are_longer = [&](double steps_ns, double usual_ns) {
    return usual_ns > 0 &&
           is_untimed_work(usual_ns, steps_ns - machine_ns, call_ns, around_slack(usual_ns));
  };
  SecondLook seen;
  if (are_longer(around_ns, before_ns)) {
    const std::optional<double> there_ns = ask(looks.without_plugin);
    const double without_ns = there_ns.value_or(0) + before.reading_ns / calls;
    if (there_ns) report["around_ns"]["without_plugin"] = without_ns;
    // Where the machine is slow for all, eager's steps are as long in the same pairs.
    const double usual_ns = std::max(before_ns, std::min(without_ns, eager_ns));
    bool is_found = !there_ns || are_longer(around_ns, usual_ns);
    seen.is_in_pairs_only = is_found;
    for (int look = 0; there_ns && is_found && look < kLooksAtPairs; ++look) {
      const std::optional<double> again_ns = ask(looks.in_more_pairs);
      if (!again_ns) break;
      report["around_ns"]["in_more_pairs"] = *again_ns;
      is_found = are_longer(*again_ns, usual_ns);
    }
    if (is_found) {
      return {{found("the host's steps around the plugin's timed calls", before_ns, around_ns)}};
    }
  }
  const double longer_ns = longer_copy_ns(before.copy_ns, copies_ns[measure::kEager]);
  if (before.copy_ns > 0 &&
      is_untimed_work(before.copy_ns, copy_ns - longer_ns, call_ns, kCopySlack)) {
    return {{found("copying the outputs of its checked calls", before.copy_ns, copy_ns)}};
  }
  return seen;
}

double plugin_steps_ns(const measure::PairedResult& result) {
  return measure::larger_median(
      result.pairs, [](const measure::Pair& pair) { return pair.around_ns[measure::kBackend]; });
}

std::optional<double> steps_without_plugin(EagerStandby* standby, bool settle) {
  if (standby == nullptr) return std::nullopt;
  std::vector<double> around_ns;
  const std::int64_t begin_ns = measure::monotonic_raw_ns();
  for (int i = 0; i < kCallsWithoutPlugin; ++i) {
    const bool is_long = measure::monotonic_raw_ns() - begin_ns > kTimeWithoutPluginNs;
    if (is_long && i >= kFewestCallsWithoutPlugin) break;
    const base::Result<measure::SteppedCall> call = standby->time_call(settle);
    if (!call.is_ok()) return std::nullopt;
    around_ns.push_back(call->around_ns);
  }
  return measure::median(std::move(around_ns));
}

}  // namespace graphnet::worker
