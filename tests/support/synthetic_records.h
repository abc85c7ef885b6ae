// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "record/record.h"

namespace graphnet::tests {

/// Records that look like a sweep's: all outcomes, intervals, flags, verdicts, pairs. Equal
/// arguments give equal records.
class SyntheticSweep {
 public:
  SyntheticSweep(int num_samples, int num_backends, int num_pairs = 48)
      : num_samples_(num_samples), num_backends_(num_backends), num_pairs_(num_pairs) {}

  int size() const { return num_samples_ * num_backends_; }

  record::Record record(int index) {
    const int sample = index / num_backends_;
    const int backend = index % num_backends_;
    record::Record record = identity(sample, backend);
    state_ = static_cast<std::uint64_t>(index) << 20;
    const double draw = uniform();
    if (backend > 0 && draw < 0.04 * backend) {
      fail(record);
    } else if (draw > 0.995) {
      record.outcome = record::Outcome::kSkipped;
      record.message = "memory: needs 19.3 GiB, 12.1 GiB are free";
    } else {
      succeed(record, sample, backend);
    }
    return record;
  }

 private:
  // source   SplitMix64, Steele, Lea & Flood 2014
  double uniform() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
  }
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

  static record::Record identity(int sample, int backend) {
    static const char* const kFamilies[] = {
        "timm",       "transformers-auto-model", "torchvision", "mmpose", "nemo", "torchaudio",
        "ultralytics"};
    static const char* const kBackends[] = {"nope", "xla", "xla+rewrites", "tvm+rules-r3", "acme"};
    record::Record record;
    record.family = kFamilies[sample * sample % 7];
    record.model_name = "model_" + std::to_string(sample) + ".in1k";
    record.sample = record.family + "/" + record.model_name;
    record.sample_path = "/data/samples/" + record.sample;
    record.sample_sha256 = std::string(64, 'a');
    record.plugin = record.plugin_variant =
        backend < 5 ? kBackends[backend] : "backend" + std::to_string(backend);
    record.plugin_version = "0.1.0";
    record.plugin_sha256 = std::string(64, 'b');
    record.run_id = "2026-11-21T0540Z-7f3a";
    record.time_utc = "2026-11-21T05:40:00Z";
    record.threads = 2;
    record.seed = 123;
    record.protocol = "standard";
    fill_in(record);
    record.command = "graphnet run " + record.sample_path + " --config " + record.plugin + ".yaml";
    return record;
  }

  // What reports do not show but readers must pass; as much as a real record has.
  static void fill_in(record::Record& record) {
    record.environment =
        record::part_from_json<record::Environment>({{"cpu_model", "AMD EPYC"},
                                                     {"logical_cores", 2},
                                                     {"kernel", "6.1.0-13-amd64"},
                                                     {"load_average_1m", 0.25},
                                                     {"memory_bytes", 25276502016},
                                                     {"clock_source", "tsc"},
                                                     {"hardware_class", "AMD EPYC/2 threads"},
                                                     {"libtorch", "2.11.0"},
                                                     {"cpu_capability", "AVX512"}});
    for (const char* key : {"half_width", "margin", "confidence", "max_width", "warmup_change",
                            "disturbed_share", "max_steal", "max_dropped"}) {
      record.protocol_settings[key] = 0.05;
    }
    for (const char* key : {"first_look", "max_pairs", "time_ns", "long_call_pairs",
                            "long_call_time_ns", "fewest_pairs", "warmup_calls", "warmup_time_ns",
                            "settle_below_ns", "idle_wait_ns", "quiet_wait_ns"}) {
      record.protocol_settings[key] = 2000000000;
    }
    record.plan = {22367560, 4000, 6422528, 2199874816.0, 2194518016.0, 22371552, {}};
    record.checks.eager_reproducible = true;
    record.checks.subnormals = {0.0, 0.0, {}};
    record.checks.checked_calls = 27;
    record.checks.shuffled_calls = 35;
    record.checks.least_time_ns = 1548854.4308888891;
    for (const char* content : {"seed 124", "seed 125", "zeros", "large", "tiny", "negated"}) {
      record.checks.other_inputs.push_back({content, record::Outcome::kOk, "", 1.25e-7, {}});
    }
    for (const char* phase : {"load", "plan", "inputs", "eager", "compile", "bind", "run",
                              "compare", "time", "robustness"}) {
      record.phases_ns[phase] = 135885508;
    }
  }

  void fail(record::Record& record) {
    using record::Outcome;
    static const Outcome kOutcomes[] = {Outcome::kUnsupported, Outcome::kAccuracyMismatch,
                                        Outcome::kCrashed, Outcome::kTimedOut,
                                        Outcome::kCompileFailed};
    record.outcome = kOutcomes[static_cast<int>(uniform() * 5)];
    record.phase = record::Phase::kCompile;
    record.message = record.outcome == record::Outcome::kUnsupported
                         ? "aten.op_" + std::to_string(static_cast<int>(uniform() * 40)) +
                               " (1 node): no lowering"
                         : "failed in " + record.phase.text();
    record.eager.output_dtypes = {"float32"};
    if (record.outcome == record::Outcome::kAccuracyMismatch) compare(record, 0.5, 40);
  }

  void compare(record::Record& record, double rms, int num_close) {
    const std::string levels = std::string(static_cast<std::size_t>(64 - num_close), '0') +
                               std::string(static_cast<std::size_t>(num_close), '1');
    record.correctness = {{"equal", {0}},          {"all_close", {levels}},
                          {"max_diff", {rms}},     {"mean_diff", {rms}},
                          {"relative_rms", {rms}}, {"degenerate", base::Json::array({false})}};
    const base::Json counts = {{"nan", 0},
                               {"positive_infinity", 0},
                               {"negative_infinity", 0},
                               {"zero", 0},
                               {"subnormal", 0}};
    record.correctness["statistics"] = {{{"all_close_nan_equal", levels},
                                         {"eager", counts},
                                         {"plugin", counts},
                                         {"max_error", rms},
                                         {"mean_error", rms},
                                         {"rms_error", rms},
                                         {"cosine", 0.99999999},
                                         {"ulp_histogram", {900, 80, 15, 4, 1}},
                                         {"worst", base::Json::array()}}};
  }

  void succeed(record::Record& record, int sample, int backend) {
    record.outcome = record::Outcome::kOk;
    record.phase = record::Phase::kRun;
    record.verdict = record::Verdict(backend == 0      ? "eager"
                                     : uniform() < 0.9 ? "proven"
                                                       : "mixed(aten.sort)");
    const double eager_ns = 1e5 * std::exp(1.5 * normal());
    const double gain = 0.15 * backend + 0.3 * std::sin(sample);
    const double speedup =
        backend == 0 ? std::exp(0.004 * normal()) : std::exp(gain + 0.25 * normal());
    record.eager.output_dtypes = record.plugin_side.output_dtypes = {"float32"};
    record.eager.median_ns = eager_ns;
    record.plugin_side.median_ns = eager_ns / speedup;
    record.plugin_side.compile_ns = 1e9 * std::exp(normal());
    record.plugin_side.bind_ns = 1e5;
    record.plugin_side.first_call_ns = 2 * eager_ns;
    for (int i = 0; i < num_pairs_; ++i) {
      record.eager.trials_ns.push_back(std::round(eager_ns * std::exp(0.02 * normal())));
      record.plugin_side.trials_ns.push_back(
          std::round(eager_ns / speedup * std::exp(0.02 * normal())));
    }
    record.speedup = speedup;
    const double half = 0.003 + 0.004 * uniform();
    const bool is_same = std::fabs(speedup - 1) < 0.01;
    record::Timing& timing = record.timing;
    timing.speedup_low = speedup * (1 - half);
    timing.speedup_high = speedup * (1 + half);
    timing.confidence = 0.95;
    timing.verdict = is_same       ? record::TimingVerdict::kSame
                     : speedup > 1 ? record::TimingVerdict::kFaster
                                   : record::TimingVerdict::kSlower;
    timing.pairs_kept = num_pairs_;
    timing.hodges_lehmann = timing.ratio_of_minima = timing.ratio_of_medians = speedup;
    timing.first_mover_bias = -0.0026134835032892335;
    timing.stop = "width";
    timing.backend_first = timing.disturbed =
        std::string(static_cast<std::size_t>(num_pairs_), '0');
    const std::vector<double> waits(static_cast<std::size_t>(num_pairs_), 0.0);
    timing.waited_ns = {{"eager", waits}, {"plugin", waits}};
    if (speedup > 1) timing.break_even_calls = static_cast<std::int64_t>(1e4 * uniform());
    compare(record, 1e-7 * std::exp(normal()), 44 + static_cast<int>(uniform() * 20));
    if (uniform() < 0.004) record.flags = {record::Flag::kImplausible};
    if (uniform() < 0.01) record.degenerate = true;
    prove(record, backend);
  }

  // As the ledger of a compiler whose code is partly generated; of libtorch itself for the first.
  void prove(record::Record& record, int backend) {
    const bool is_eager = backend == 0;
    const double main = 0.5 + 0.45 * uniform();
    const char* library = is_eager ? "libtorch_cpu.so" : "anonymous";
    const auto module = [](const char* name, const char* kind, int windows) {
      return record::ProofModule{
          name, kind, "compile", 90112, windows, {std::string(name) + "+0x28dee20"}, {}, {}};
    };
    record::Proof& proof = record.proof;
    proof.tracer = "full";
    proof.calls = 3;
    proof.outputs = "equal";
    proof.modules = {module(library, is_eager ? "deny" : "expect", 7),
                     module("libgn_acme.so", "expect", 2), module("libc10.so", "watch", 9)};
    proof.dispatcher.nested = 0;
    proof.dispatcher.threads = 1;
    for (int i = 0; is_eager && i < 6; ++i) {
      const std::string name = "aten::op_" + std::to_string(static_cast<int>(uniform() * 40));
      proof.dispatcher.called.emplace_back(name, 1 + i);
    }
    proof.samples.count = 900;
    proof.samples.waiting = 20;
    for (const auto& [name, share] : {std::pair<const char*, double>{library, main},
                                      {"libgomp.so.1", (1 - main) * 0.7},
                                      {"libc.so.6", (1 - main) * 0.3}}) {
      proof.samples.shares.push_back({name, "expect", "", {}, {}, {}, share, {}});
    }
  }

  int num_samples_;
  int num_backends_;
  int num_pairs_;
  std::uint64_t state_ = 1;
};

}  // namespace graphnet::tests
