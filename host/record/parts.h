// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "record/fields.h"
#include "record/outcome.h"
#include "record/reference.h"
#include "record/verdict.h"

namespace graphnet::record {

/// Estimates made before anything was allocated, of one call; those after the first only if they
/// are known.
struct Plan {
  std::optional<std::int64_t> argument_bytes;
  std::optional<std::int64_t> output_bytes;
  std::optional<std::int64_t> peak_live_bytes;
  std::optional<double> flop;
  std::optional<double> live_flop;  ///< as in eager/live_cost.h, multiplications only
  std::optional<std::int64_t> must_move_bytes;
  Remainder rest;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("argument_bytes", self.argument_bytes);
    field("output_bytes", self.output_bytes);
    field("peak_live_bytes", self.peak_live_bytes);
    field("flop", self.flop);
    field("live_flop", self.live_flop);
    field("must_move_bytes", self.must_move_bytes);
  }
};

/// A number of each side.
struct SideCounts {
  std::optional<std::int64_t> eager;
  std::optional<std::int64_t> plugin;
  Remainder rest;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("eager", self.eager);
    field("plugin", self.plugin);
  }
};

/// The same of numbers that are no counts.
struct SideNumbers {
  std::optional<double> eager;
  std::optional<double> plugin;
  Remainder rest;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("eager", self.eager);
    field("plugin", self.plugin);
  }
};

/// Protocol `paired`: interval, verdict and what else is known of the pairs, whose durations are
/// the `trials_ns` of the two sides. worker/record_writer.h says what each member means.
struct Timing {
  std::optional<double> speedup_low;  ///< neither: there is no interval
  std::optional<double> speedup_high;
  std::optional<double> confidence;
  std::optional<double> hodges_lehmann;
  std::optional<double> ratio_of_minima;
  std::optional<double> ratio_of_medians;
  std::optional<double> first_mover_bias;
  std::optional<std::int64_t> block_length;
  std::optional<std::int64_t> pairs_kept;
  std::optional<std::int64_t> pairs_dropped;
  std::optional<bool> drops_exceeded;
  std::optional<bool> waits_exceeded;
  Word<TimingVerdict> verdict;
  std::optional<double> same_within;
  std::string unstable_because;
  std::string stop;
  std::optional<std::int64_t> analyses;
  std::optional<std::int64_t> planned_analyses;
  std::optional<bool> remeasured;
  std::optional<double> steal_share;
  std::optional<double> others_share;
  std::optional<std::int64_t> idle_timeouts;
  std::optional<double> clock_ns;
  std::optional<double> abi_ns;
  std::optional<std::int64_t> controls;
  std::optional<double> noise_floor;
  std::optional<double> elapsed_ns;
  SideCounts calls_per_side_sample;
  std::string backend_first;
  std::string disturbed;
  base::Json waited_ns;  ///< {"eager": [...], "plugin": [...]}
  SideNumbers removed_share;
  SideNumbers cpu_ns;
  SideNumbers cpu_wall_ns;
  base::Json cores;  ///< list of their numbers
  std::optional<std::int64_t> break_even_calls;
  base::Json replay;           ///< see write_replay()
  base::Json event_median_ns;  ///< {"eager", "plugin"}; of a device, as the next
  base::Json event_ns;         ///< {"eager": [...], "plugin": [...]}, one of each timed call
  base::Json cold;             ///< the same table with cold caches
  base::Json experiments;      ///< of a control only, see supervise/control.h
  Remainder rest;

  /// Method `upstream` has no pairs, and leaves all of it empty but the times by a device's clock.
  bool has_pairs() const;

  static constexpr const char* kEventNs = "event_ns";
  static constexpr const char* kEventMedianNs = "event_median_ns";

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("speedup_low", self.speedup_low);
    field("speedup_high", self.speedup_high);
    field("confidence", self.confidence);
    field("hodges_lehmann", self.hodges_lehmann);
    field("ratio_of_minima", self.ratio_of_minima);
    field("ratio_of_medians", self.ratio_of_medians);
    field("first_mover_bias", self.first_mover_bias);
    field("block_length", self.block_length);
    field("pairs_kept", self.pairs_kept);
    field("pairs_dropped", self.pairs_dropped);
    field("drops_exceeded", self.drops_exceeded);
    field("waits_exceeded", self.waits_exceeded);
    field("verdict", self.verdict);
    field("same_within", self.same_within);
    field("unstable_because", self.unstable_because);
    field("stop", self.stop);
    field("looks", self.analyses);
    field("planned_looks", self.planned_analyses);
    field("remeasured", self.remeasured);
    field("steal_share", self.steal_share);
    field("others_share", self.others_share);
    field("idle_timeouts", self.idle_timeouts);
    field("clock_ns", self.clock_ns);
    field("abi_ns", self.abi_ns);
    field("controls", self.controls);
    field("noise_floor", self.noise_floor);
    field("elapsed_ns", self.elapsed_ns);
    field("calls_per_half", self.calls_per_side_sample);
    field("backend_first", self.backend_first);
    field("disturbed", self.disturbed);
    field("waited_ns", self.waited_ns);
    field("removed_share", self.removed_share);
    field("cpu_ns", self.cpu_ns);
    field("cpu_wall_ns", self.cpu_wall_ns);
    field("cores", self.cores);
    field("break_even_calls", self.break_even_calls);
    field("replay", self.replay);
    field(kEventMedianNs, self.event_median_ns);
    field(kEventNs, self.event_ns);
    field("cold", self.cold);
    field("experiments", self.experiments);
  }
};

/// Both sides on other inputs than the sample's own.
struct OtherInput {
  std::string content;    ///< "seed 124", "zeros", ...
  Word<Outcome> outcome;  ///< or one of not_tried() and ill_conditioned(), which are kOther
  std::string message;
  std::optional<double> relative_rms;  ///< the largest of an output
  Remainder rest;

  /// The word of one that was not tried, and why: "not tried: out of time".
  static Word<Outcome> not_tried(const std::string& why);
  bool was_tried() const;
  /// The word where eager itself computes otherwise in float64: nobody's fault.
  static Word<Outcome> ill_conditioned();
  /// Tried, and neither accepted nor ill-conditioned.
  bool has_failed() const;
  /// Of another seed, which decides as the sample's own inputs do.
  bool is_other_seed() const;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("content", self.content);
    field("outcome", self.outcome);
    field("message", self.message);
    field("relative_rms", self.relative_rms);
  }
};

/// Both sides on other weights than the generated ones; worker/second_weights.h.
struct SecondWeights {
  Word<Outcome> outcome;  ///< or not_tried() or OtherInput::ill_conditioned(), which are kOther
  std::string message;
  std::string evidence;  ///< what eager makes of them: "sensitive", "insensitive", "non_finite"
  base::Json sensitivity;
  std::optional<double> bind_ns;
  std::optional<double> compile_ns;  ///< mode frozen
  std::optional<std::int64_t> seed;
  std::optional<std::int64_t> changed;    ///< weights
  std::optional<std::int64_t> unchanged;  ///< weights that have no known role
  /// Eager by plugin, in pairs like those of Timing but few, or in the compared calls if they are
  /// long; absent: see `untimed`.
  std::optional<double> speedup;
  std::optional<double> speedup_low;  ///< interval; else quartiles, or the range of the calls
  std::optional<double> speedup_high;
  std::optional<std::int64_t> pairs;
  std::optional<std::int64_t> attempts;  ///< more than one: a speedup seemed to be lost
  /// There is no interval of pairs, because other programs had the cores: no plugin is accused.
  std::optional<bool> unclear;
  std::optional<double> eager_ns;  ///< medians of a call
  std::optional<double> plugin_ns;
  std::string untimed;  ///< why there is no speedup, if the weights were tried
  Remainder rest;

  static Word<Outcome> not_tried();

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("outcome", self.outcome);
    field("message", self.message);
    field("evidence", self.evidence);
    field("sensitivity", self.sensitivity);
    field("bind_ns", self.bind_ns);
    field("compile_ns", self.compile_ns);
    field("seed", self.seed);
    field("changed", self.changed);
    field("unchanged", self.unchanged);
    field("speedup", self.speedup);
    field("speedup_low", self.speedup_low);
    field("speedup_high", self.speedup_high);
    field("pairs", self.pairs);
    field("attempts", self.attempts);
    field("unclear", self.unclear);
    field("eager_ns", self.eager_ns);
    field("plugin_ns", self.plugin_ns);
    field("untimed", self.untimed);
  }
};

/// An output of a random program, judged by its distribution.
struct RandomOutput {
  std::optional<std::int64_t> output;  ///< position, from 0
  std::optional<bool> same_distribution;
  std::string message;
  Remainder rest;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("output", self.output);
    field("same_distribution", self.same_distribution);
    field("message", self.message);
  }
};

/// Shares of elements that are subnormal.
struct Subnormals {
  std::optional<double> argument_share;
  std::optional<double> output_share;
  Remainder rest;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("argument_share", self.argument_share);
    field("output_share", self.output_share);
  }
};

/// What else was looked at, and what it showed.
struct Checks {
  base::Json indices;  ///< by output, what indices select (worker/correctness.h), or why not
  base::Json float64;  ///< by output, errors against float64, or why not
  std::vector<RandomOutput> random;
  std::string random_unknown;  ///< why they could not be judged; stored instead of the list
  std::optional<bool> eager_reproducible;
  Subnormals subnormals;
  std::optional<double> evidence_share;        ///< of the outputs; see verify/compare.h
  std::optional<std::int64_t> checked_calls;   ///< calls whose outputs were compared
  std::optional<std::int64_t> shuffled_calls;  ///< timed calls on inputs that no call had seen
  std::optional<double> content_bits;          ///< see worker/input_shuffle.h
  std::optional<std::int64_t> ill_conditioned_calls;
  base::Json host_steps;   ///< see worker/untimed_work.h
  base::Json eager_watch;  ///< see worker/eager_watch.h
  std::optional<double> least_time_ns;
  std::optional<double> eager_flushed_ns;
  std::vector<OtherInput> other_inputs;
  std::string other_inputs_end;  ///< how the worker ended on them; stored instead of the list
  base::Json sensitivity;        ///< see worker/input_evidence.h
  SecondWeights second_weights;
  std::string outputs_not_kept;  ///< why, if they were to be; empty: they were, or were not to be
  Reference reference;           ///< with --reference only
  Remainder rest;

  /// Whether an output of indices was accepted by the values that they select.
  bool accepts_indices(std::size_t output) const;
  /// Whether an output was accepted by its distribution.
  bool accepts_distribution(std::size_t output) const;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("indices", self.indices);
    field("float64", self.float64);
    field("random", self.random);
    field("random", self.random_unknown);
    field("eager_reproducible", self.eager_reproducible);
    field("subnormals", self.subnormals);
    field("evidence_share", self.evidence_share);
    field("checked_calls", self.checked_calls);
    field("shuffled_calls", self.shuffled_calls);
    field("content_bits", self.content_bits);
    field("ill_conditioned_calls", self.ill_conditioned_calls);
    field("host_steps", self.host_steps);
    field("eager_watch", self.eager_watch);
    field("least_time_ns", self.least_time_ns);
    field("eager_flushed_ns", self.eager_flushed_ns);
    field("other_inputs", self.other_inputs);
    field("other_inputs", self.other_inputs_end);
    field("sensitivity", self.sensitivity);
    field("second_weights", self.second_weights);
    field("outputs_not_kept", self.outputs_not_kept);
    field("reference", self.reference);
  }
};

/// The time that a call takes if nothing but the machine limits it, measured after the calls were
/// timed: its arithmetic (Plan::live_flop) at the machine's peak, or moving what must be moved
/// (Plan::must_move_bytes) at the rate at which so many bytes are read. No bound: a convolution has
/// forms with fewer multiplications (see Checks::least_time_ns for what is one). Absent where the
/// peak is not known: on a device, and where floating arguments are not float32 for the most part.
struct Roofline {
  std::optional<double> flop_per_s;   ///< float32, of all threads
  std::optional<double> bytes_per_s;  ///< of all threads
  std::optional<double> limit_ns;
  std::string limited_by;  ///< kArithmetic or kMemory, whichever takes longer
  Remainder rest;

  static constexpr const char* kArithmetic = "arithmetic";
  static constexpr const char* kMemory = "memory";

  /// How much of the limit a call reached: `limit_ns` by the time that it took.
  std::optional<double> share(const std::optional<double>& call_ns) const;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("flop_per_s", self.flop_per_s);
    field("bytes_per_s", self.bytes_per_s);
    field("limit_ns", self.limit_ns);
    field("limited_by", self.limited_by);
  }
};

/// What a result depends on and another machine or day may have otherwise.
struct Environment {
  std::string cpu_model;
  std::string kernel;
  std::optional<std::int64_t> memory_bytes;
  std::string hardware_class;  ///< classes are not to be mixed
  std::string libtorch;        ///< version
  std::string cpu_capability;  ///< instructions that libtorch uses
  std::optional<std::int64_t> libtorch_threads;
  std::string worker;           ///< "forked" or "fresh"
  std::string memory_limit_by;  ///< see supervise/worker_run.h
  std::optional<std::int64_t> memory_limit_bytes;
  std::optional<std::int64_t> jobs;  ///< samples at a time; with several slots only
  base::Json held_ns;  ///< pauses by phase, while another took times; with several slots only
  std::optional<std::int64_t> output_bytes;  ///< to standard output and error, if they were many
  /// The rest of measure/environment.h: cores, load, clock, allocator, "gpu" of a device, ...
  Remainder rest;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("cpu_model", self.cpu_model);
    field("kernel", self.kernel);
    field("memory_bytes", self.memory_bytes);
    field("hardware_class", self.hardware_class);
    field("libtorch", self.libtorch);
    field("cpu_capability", self.cpu_capability);
    field("libtorch_threads", self.libtorch_threads);
    field("worker", self.worker);
    field("memory_limit_by", self.memory_limit_by);
    field("memory_limit_bytes", self.memory_limit_bytes);
    field("jobs", self.jobs);
    field("held_ns", self.held_ns);
    field("output_bytes", self.output_bytes);
  }
};

/// Where the worker crashed. Empty: it did not, or could not tell.
struct Crash {
  std::string signal;   ///< "SIGSEGV"
  std::string address;  ///< of the fault; empty: it was none
  /// "libgn_x.so+0x1139 gn_backend_run", outwards; the location is one in the file, without a file
  /// the address.
  std::vector<std::string> frames;
  Remainder rest;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("signal", self.signal);
    field("address", self.address);
    field("frames", self.frames);
  }
};

}  // namespace graphnet::record
