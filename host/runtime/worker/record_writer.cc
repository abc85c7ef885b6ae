// SPDX-License-Identifier: MIT
#include "worker/record_writer.h"

#include <optional>
#include <utility>

#include "base/statistics.h"
#include "eager/engine.h"
#include "measure/break_even.h"
#include "measure/pair_summary.h"
#include "sample/arguments.h"
#include "sample/sample.h"

namespace graphnet::worker {

namespace {

void write_statistics(record::Record::Side& side, const std::vector<double>& times_ns) {
  const base::Statistics statistics = base::summarise(times_ns);
  side.median_ns = statistics.median;
  side.iqr_ns = statistics.iqr;
  side.mean_ns = statistics.mean;
  side.std_ns = statistics.std;
  side.min_ns = statistics.min;
  side.max_ns = statistics.max;
}

template <typename Part, typename T>
Part both(const measure::PerSide<T>& values) {
  return {values[measure::kEager], values[measure::kBackend], {}};
}

void add_count(std::optional<std::int64_t>& count, int more) {
  count = count.value_or(0) + more;
}

}  // namespace

record::Record start_record(const journal::Task& task) {
  record::Record record;
  record.run_id = task.run_id;
  record.sample_path = task.sample_path;
  record.sample =
      task.sample_name.empty() ? sample::sample_name(task.sample_path) : task.sample_name;
  record.plugin = task.plugin_name;
  record.plugin_version = task.plugin_version;
  record.plugin_variant = task.plugin_variant;
  record.plugin_options = task.plugin_options;
  record.device = task.device;
  record.threads = task.threads;
  record.seed = sample::kUpstreamSeed;
  record.weights = task.weights;
  record.math = task.math;
  record.protocol = task.protocol;
  record.protocol_settings = task.protocol_settings;
  record.warmup = task.warmup;
  record.trials = task.trials;
  record.command = task.command;
  return record;
}

void write_engine(record::Record& record) {
  const eager::EngineVersion version = eager::engine_version();
  record.environment.libtorch = version.torch_version;
  record.environment.cpu_capability = version.cpu_capability;
  record.environment.libtorch_threads = version.threads;
}

void write_plan(record::Record& record, const eager::Plan& plan) {
  record.plan.argument_bytes = plan.argument_bytes;
  if (!plan.unknown.empty()) {
    record.notes.push_back("memory and cost are not known beforehand: " + plan.unknown);
    return;
  }
  record.plan.output_bytes = plan.output_bytes;
  record.plan.peak_live_bytes = plan.peak_live_bytes;
  record.plan.flop = plan.flop;
  record.plan.live_flop = plan.live_product_flop;
  record.plan.must_move_bytes = plan.must_move_bytes;
  for (const std::string& note : plan.notes) record.notes.push_back("plan: " + note);
}

void write_side(record::Record& record, measure::Side side,
                const measure::SideDurations& durations) {
  record::Record::Side& times = side == measure::kEager ? record.eager : record.plugin_side;
  times.first_call_ns = durations.first_call_ns;
  times.warmup_ns = durations.warmup_ns;
  times.trials_ns = durations.trials_ns;
  write_statistics(times, times.trials_ns);
  if (durations.event_ns.empty()) return;
  const char* name = side == measure::kEager ? "eager" : "plugin";
  record.timing.event_ns[name] = durations.event_ns;
  record.timing.event_median_ns[name] = base::summarise(durations.event_ns).median;
}

void write_warmup(record::Record::Side& side, const measure::Warmup& warmup) {
  side.first_call_ns = warmup.first_call_ns;
  side.warmup_ns = warmup.warmup_ns;
}

void write_output_types(record::Record::Side& side, const std::vector<KeptOutput>& outputs) {
  for (const KeptOutput& output : outputs) {
    side.output_dtypes.emplace_back(base::dtype_name(output.dtype));
  }
}

namespace {

void fill_summary(record::Timing& timing, const measure::PairedSummary& summary) {
  if (summary.has_interval()) {
    timing.speedup_low = summary.low;
    timing.speedup_high = summary.high;
  }
  timing.confidence = summary.confidence;
  timing.hodges_lehmann = summary.hodges_lehmann;
  timing.ratio_of_minima = summary.ratio_of_minima;
  timing.ratio_of_medians = summary.ratio_of_medians;
  timing.first_mover_bias = summary.first_mover_bias;
  timing.block_length = summary.block_length;
  timing.pairs_kept = summary.kept;
  timing.pairs_dropped = summary.dropped;
  timing.drops_exceeded = summary.drops_exceeded;
  timing.waits_exceeded = summary.waits_exceeded;
}

void fill_pairs(record::Timing& timing, const std::vector<measure::Pair>& pairs) {
  measure::PerSide<std::vector<double>> waited;
  for (const measure::Pair& pair : pairs) {
    timing.backend_first += pair.backend_first ? '1' : '0';
    const char kept = pair.may_be_own_wait ? '2' : '0';
    timing.disturbed += pair.is_disturbed() ? '1' : kept;
    for (const measure::Side side : {measure::kEager, measure::kBackend}) {
      waited[side].push_back(pair.call_ns[side] - pair.own_ns(side));
    }
  }
  timing.waited_ns = {{"eager", waited[measure::kEager]}, {"plugin", waited[measure::kBackend]}};
}

/// Processor time and wall clock of all side samples of each side.
void fill_budget(record::Timing& timing, const std::vector<measure::Pair>& pairs) {
  measure::PerSide<double> ran_ns = {};
  measure::PerSide<double> span_ns = {};
  for (const measure::Pair& pair : pairs) {
    for (const measure::Side side : {measure::kEager, measure::kBackend}) {
      ran_ns[side] += pair.ran_ns[side];
      span_ns[side] += pair.span_ns[side];
    }
  }
  timing.cpu_ns = both<record::SideNumbers>(ran_ns);
  timing.cpu_wall_ns = both<record::SideNumbers>(span_ns);
}

record::Timing timing_of(const measure::PairedResult& result) {
  record::Timing timing;
  fill_summary(timing, result.summary);
  timing.verdict = result.verdict;
  if (result.verdict == measure::Verdict::kSame) timing.same_within = result.same_within;
  timing.unstable_because = measure::unstable_name(result.reason);
  timing.stop = measure::stop_name(result.stop);
  timing.analyses = result.analyses;
  timing.planned_analyses = result.planned_analyses;
  timing.remeasured = result.remeasured;
  timing.steal_share = result.steal_share;
  timing.others_share = result.others_share;
  timing.idle_timeouts = result.idle_timeouts;
  timing.clock_ns = result.clock_ns;
  timing.controls = static_cast<std::int64_t>(result.controls.size());
  timing.noise_floor = result.noise_floor;
  timing.elapsed_ns = result.elapsed_ns;
  timing.calls_per_side_sample = both<record::SideCounts>(result.calls_per_side_sample);
  fill_pairs(timing, result.pairs);
  timing.removed_share = both<record::SideNumbers>(result.summary.removed_share);
  fill_budget(timing, result.pairs);
  return timing;
}

}  // namespace

void write_timing(record::Record& record, const measure::PairedResult& result) {
  for (const measure::Pair& pair : result.pairs) {
    record.eager.trials_ns.push_back(pair.call_ns[measure::kEager]);
    record.plugin_side.trials_ns.push_back(pair.call_ns[measure::kBackend]);
  }
  write_statistics(record.eager, measure::counted_ns(result, measure::kEager));
  write_statistics(record.plugin_side, measure::counted_ns(result, measure::kBackend));
  record.speedup = result.summary.ratio;
  record.timing = timing_of(result);
  const auto calls = measure::break_even_calls(
      record.plugin_side.compile_ns.value_or(0),
      record.plugin_side.bind_ns.value_or(0) + record.plugin_side.capture_ns.value_or(0),
      *record.eager.median_ns, *record.plugin_side.median_ns);
  record.timing.break_even_calls = calls;
}

void write_cold_timing(record::Record& record, const measure::PairedResult& result) {
  base::Json timing = part_to_json(timing_of(result));
  timing["speedup"] = result.summary.ratio;
  for (const measure::Pair& pair : result.pairs) {
    timing["eager_ns"].push_back(pair.call_ns[measure::kEager]);
    timing["plugin_ns"].push_back(pair.call_ns[measure::kBackend]);
  }
  record.timing.cold = std::move(timing);
}

void write_replay(record::Timing& timing, std::size_t num_nodes, const measure::Warmup& launches,
                  const measure::Warmup& plugin_calls) {
  timing.replay = {{"nodes", num_nodes},
                   {"first_launch_ns", launches.first_call_ns},
                   {"warmup_ns", launches.warmup_ns},
                   {"plugin_call_ns", plugin_calls.typical_ns()}};
}

void write_spans(base::Json& timing, const std::vector<measure::PerSide<double>>& span_ns) {
  if (span_ns.empty()) return;
  for (const auto& [side, name] : {std::pair<measure::Side, const char*>{measure::kEager, "eager"},
                                   {measure::kBackend, "plugin"}}) {
    std::vector<double> spans;
    for (const auto& pair : span_ns) spans.push_back(pair[side]);
    timing["event_median_ns"][name] = base::summarise(spans).median;
    timing["event_ns"][name] = std::move(spans);
  }
}

void write_spans(record::Timing& timing, const std::vector<measure::PerSide<double>>& span_ns) {
  base::Json spans = base::Json::object();
  write_spans(spans, span_ns);
  timing.event_median_ns = spans["event_median_ns"];
  timing.event_ns = spans["event_ns"];
}

void write_findings(record::Record& record, const TimedFindings& findings) {
  add_count(record.checks.checked_calls, findings.checked_calls);
  add_count(record.checks.shuffled_calls, findings.shuffled_calls);
  record.checks.content_bits = findings.content_bits;
  if (findings.ill_conditioned_calls > 0) {
    add_count(record.checks.ill_conditioned_calls, findings.ill_conditioned_calls);
  }
  if (findings.flag == record::Flag::kNone) return;
  record.flags.emplace_back(findings.flag);
  record.outcome = findings.outcome;
  record.message = findings.message;
  record.speedup.reset();
}

std::string one_line(const base::Status& status) {
  std::string text = status.message();
  for (const std::string& line : status.context()) text += " (" + line + ")";
  return text;
}

}  // namespace graphnet::worker
