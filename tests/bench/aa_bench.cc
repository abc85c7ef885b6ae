// SPDX-License-Identifier: MIT
// A/A: the same call on both sides, through protocols `paired` and `upstream` in turn. Every ratio
// other than 1 is an error of the protocol. README.md says how to run it.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/json.h"
#include "measure/bootstrap.h"
#include "measure/clock.h"
#include "measure/core_binding.h"
#include "measure/pair_summary.h"
#include "measure/paired.h"
#include "measure/sequential.h"
#include "measure/statistics.h"

namespace graphnet::measure {
namespace {

using base::Status;

struct Options {
  int experiments = 100;
  std::vector<double> call_ms = {0.1, 1, 10, 50};
  std::vector<int> threads = {1};
  std::vector<bool> affinity = {true};
  bool neighbour = false;
  bool json = false;
  bool pairs = false;
  PairedSettings settings;
};

/// Work of a chosen length, half of it reading and writing memory, half multiplying in registers.
class Work {
 public:
  explicit Work(double call_ms) : data_(kFloats, 1.0F) {
    constexpr int kProbe = 20;
    std::vector<double> probes;
    for (int i = 0; i < kProbe; ++i) {
      const std::int64_t begin_ns = monotonic_raw_ns();
      step();
      probes.push_back(static_cast<double>(monotonic_raw_ns() - begin_ns));
    }
    const double step_ns = *std::min_element(probes.begin(), probes.end());
    steps_ = std::max(1, static_cast<int>(std::lround(call_ms * 1e6 / step_ns)));
  }
  void run() {
    for (int i = 0; i < steps_; ++i) step();
  }

 private:
  static constexpr std::size_t kFloats = std::size_t{16} << 10U;

  void step() {
    for (float& value : data_) value = value * 0.999F + 0.001F;
    float product = data_[0];
    for (int i = 0; i < 4000; ++i) product = product * 0.999F + 0.001F;
    data_[0] = product;
  }

  std::vector<float> data_;
  int steps_ = 1;
};

/// The same work in each of some threads that sleep between the calls, as those of a pool.
class Kernel {
 public:
  Kernel(double call_ms, int threads) : works_(static_cast<std::size_t>(threads), Work(call_ms)) {
    for (std::size_t i = 1; i < works_.size(); ++i) pool_.emplace_back([this, i] { serve(i); });
  }
  ~Kernel() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : pool_) thread.join();
  }
  Status run() {
    {
      const std::lock_guard lock(mutex_);
      ++call_;
      working_ = static_cast<int>(pool_.size());
    }
    if (!pool_.empty()) wake_.notify_all();
    works_[0].run();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return working_ == 0; });
    return Status::ok();
  }

 private:
  void serve(std::size_t index) {
    int seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return ends_ || call_ != seen; });
        if (ends_) return;
        seen = call_;
      }
      works_[index].run();
      const std::lock_guard lock(mutex_);
      if (--working_ == 0) done_.notify_one();
    }
  }

  std::vector<Work> works_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  int call_ = 0;
  int working_ = 0;
  bool ends_ = false;
  std::vector<std::thread> pool_;  // last: uses the others
};

Status nothing() {
  return Status::ok();
}

/// What one experiment found.
struct Outcome {
  double log_ratio = 0;
  double seconds = 0;
  bool covered = false;
  double half_width = 0;
  bool unstable = false;
  bool is_word = false;  ///< said faster or slower, which is false
  double bias = 0;
  int pairs = 0;
};

/// Busy for 2 to 40 ms, then asleep for as long, until its parent dies.
[[noreturn]] void be_busy() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::uint64_t state = 1;
  volatile double sink = 1;
  for (;;) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto burst_us = static_cast<std::int64_t>(2000 + (state >> 33U) % 38000);
    const std::int64_t end_ns = monotonic_raw_ns() + 1000 * burst_us;
    while (monotonic_raw_ns() < end_ns) sink = sink * 1.0000001;
    ::usleep(static_cast<useconds_t>(burst_us));
  }
}

Outcome run_paired(Kernel& kernel, const Options& options, int threads, int experiment,
                   base::Json& line) {
  PairedSettings settings = options.settings;
  settings.seed = static_cast<std::uint64_t>(experiment) + 1;
  const Instruments instruments = machine_instruments(settings, threads);
  const SideCalls side = {nullptr, [&kernel] { return kernel.run(); }, nullptr};
  const std::int64_t begin_ns = monotonic_raw_ns();
  const auto warm = warm_up(side, settings, instruments);
  const auto result = time_paired({side, side}, {*warm, *warm}, {}, settings, instruments);
  Outcome outcome;
  outcome.seconds = static_cast<double>(monotonic_raw_ns() - begin_ns) / 1e9;
  outcome.log_ratio = std::log(result->summary.ratio);
  outcome.covered = result->summary.low <= 1 && result->summary.high >= 1;
  outcome.half_width = half_width(result->summary);
  outcome.unstable = result->verdict == Verdict::kUnstable;
  outcome.is_word = result->verdict == Verdict::kFaster || result->verdict == Verdict::kSlower;
  outcome.bias = result->summary.first_mover_bias;
  outcome.pairs = static_cast<int>(result->pairs.size());
  line["verdict"] = name_of(result->verdict);
  line["stop"] = stop_name(result->stop);
  line["dropped"] = result->summary.dropped;
  line["kept"] = result->summary.kept;
  line["steal_share"] = result->steal_share;
  line["waited_share"] = result->summary.waited_share;
  line["looks"] = result->analyses;
  line["drops_exceeded"] = result->summary.drops_exceeded;
  line["block_length"] = result->summary.block_length;
  line["remeasured"] = result->remeasured;
  line["low"] = result->summary.low;
  line["high"] = result->summary.high;
  line["hodges_lehmann"] = result->summary.hodges_lehmann;
  line["ratio_of_minima"] = result->summary.ratio_of_minima;
  if (options.pairs) {
    for (const Pair& pair : result->pairs) {
      line["pairs"].push_back({pair.call_ns[0], pair.call_ns[1], pair.waited_ns[0],
                               pair.waited_ns[1], pair.backend_first ? 1 : 0, pair.marks[0],
                               pair.marks[1]});
    }
  }
  return outcome;
}

Outcome run_upstream(Kernel& kernel) {
  const SideCalls side = {nullptr, [&kernel] { return kernel.run(); }, nullptr};
  const std::int64_t begin_ns = monotonic_raw_ns();
  const auto eager = time_sequential(side, {});
  const auto backend = time_sequential(side, {});
  Outcome outcome;
  outcome.seconds = static_cast<double>(monotonic_raw_ns() - begin_ns) / 1e9;
  outcome.log_ratio =
      std::log(summarise(eager->trials_ns).median / summarise(backend->trials_ns).median);
  return outcome;
}

double quantile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(fraction * double(values.size() - 1)))];
}

/// How a row was measured.
struct Way {
  int threads = 1;
  bool affinity = true;
};

/// One line of the table: errors and widths in per cent.
void print_row(const char* protocol, Way way, double call_ms,
               const std::vector<Outcome>& outcomes) {
  std::vector<double> errors;
  std::vector<double> widths;
  std::vector<double> biases;
  std::vector<double> seconds;
  double covered = 0;
  double unstable = 0;
  int words = 0;
  for (const Outcome& outcome : outcomes) {
    errors.push_back(100 * std::abs(std::expm1(outcome.log_ratio)));
    widths.push_back(100 * outcome.half_width);
    biases.push_back(100 * outcome.bias);
    seconds.push_back(outcome.seconds);
    covered += outcome.covered;
    unstable += outcome.unstable;
    words += outcome.is_word ? 1 : 0;
  }
  const auto count = static_cast<double>(outcomes.size());
  std::printf("%-9s %7d %-4s %6.1f %9.3f %8.3f %8.3f %8.2f", protocol, way.threads,
              way.affinity ? "on" : "off", call_ms, quantile(errors, 0.5), quantile(errors, 0.9),
              quantile(errors, 1), quantile(seconds, 0.5));
  if (std::string_view(protocol) == "paired") {
    std::printf(" %9.1f %10.2f %9.3f %9.1f %4d of %zu", 100 * covered / count,
                quantile(widths, 0.5), median(biases), 100 * unstable / count, words,
                outcomes.size());
  }
  std::printf("\n");
  std::fflush(stdout);
}

/// What each method adds to a call: the duration it gives to a function that does nothing.
void print_overhead() {
  const SideCalls side = {nothing, nothing, nullptr};
  PairedSettings settings;
  settings.half_width = settings.margin = -1;
  settings.first_analysis = settings.max_pairs;
  const auto result = time_paired({side, side}, {Warmup(), Warmup()}, {}, settings,
                                  machine_instruments(settings, 1));
  std::vector<double> paired;
  for (const Pair& pair : result->pairs) {
    paired.insert(paired.end(), pair.call_ns.begin(), pair.call_ns.end());
  }
  const std::vector<double> upstream = time_sequential(side, {0, 4000})->trials_ns;
  std::printf("a timed call of an empty function, median (99 %%): paired %.0f (%.0f) ns, ",
              quantile(paired, 0.5), quantile(paired, 0.99));
  std::printf("upstream %.0f (%.0f) ns\n", quantile(upstream, 0.5), quantile(upstream, 0.99));
}

/// Busy for a fixed number of multiplications, about 1.3 ns each, which depend on each other and on
/// those of the call before: the processor cannot do two calls of a block at the same time.
Status spin(int steps) {
  static volatile double product = 1;
  double value = product;
  for (int i = 0; i < steps; ++i) value = value * 1.0000001;
  product = value > 2 ? 1 : value;
  return Status::ok();
}

/// The same calls of a few microseconds by themselves, as method `paired` times them, and in blocks
/// between two readings.
void print_agreement() {
  constexpr int kRounds = 300;
  std::printf("calls each clocked by themselves against blocks of as many, medians of %d\n",
              kRounds);
  std::printf("%9s %9s %9s %9s %9s\n", "steps", "calls", "by call", "block", "ratio");
  for (const int steps : {100, 300, 1000, 3000, 10'000}) {
    const SideCalls side = {nullptr, [steps] { return spin(steps); }, nullptr};
    PairedSettings settings;
    settings.half_width = settings.margin = -1;
    settings.max_pairs = settings.first_analysis = kRounds;
    settings.remeasure = false;
    const Instruments instruments = machine_instruments(settings, 1);
    const auto warm = warm_up(side, settings, instruments);
    std::vector<double> blocks;
    int calls = 1;
    PairedHooks hooks;
    hooks.before_pair = [&](const PairPlan& plan) {
      calls = plan.calls;
      const std::int64_t begin_ns = instruments.now();
      for (int i = 0; i < calls; ++i) static_cast<void>(side.call().is_ok());
      blocks.push_back(static_cast<double>(instruments.now() - begin_ns) / calls);
      return Status::ok();
    };
    const auto result = time_paired({side, side}, {*warm, *warm}, hooks, settings, instruments);
    const double block_ns = median(blocks) - result->clock_ns / calls;
    const double call_ns = result->summary.median_ns[kEager];
    std::printf("%9d %9d %6.0f ns %6.0f ns %9.4f\n", steps, calls, call_ns, block_ns,
                call_ns / block_ns);
  }
}

void print_line(const char* protocol, Way way, double call_ms, const Outcome& outcome,
                base::Json line) {
  line["protocol"] = protocol;
  line["threads"] = way.threads;
  line["affinity"] = way.affinity;
  line["call_ms"] = call_ms;
  line["ratio"] = std::exp(outcome.log_ratio);
  line["seconds"] = outcome.seconds;
  std::printf("%s\n", base::dump_json(line).c_str());
  std::fflush(stdout);
}

void run_size(double call_ms, Way way, const Options& options) {
  CoreBinding cores;
  if (way.affinity) cores.bind(way.threads);
  Kernel kernel(call_ms, way.threads);  // its threads inherit
  std::vector<Outcome> paired;
  std::vector<Outcome> upstream;
  for (int i = 0; i < options.experiments; ++i) {
    base::Json line = base::Json::object();
    paired.push_back(run_paired(kernel, options, way.threads, i, line));
    upstream.push_back(run_upstream(kernel));
    if (!options.json) continue;
    print_line("paired", way, call_ms, paired.back(), std::move(line));
    print_line("upstream", way, call_ms, upstream.back(), base::Json::object());
  }
  cores.release();
  if (options.json) return;
  print_row("paired", way, call_ms, paired);
  print_row("upstream", way, call_ms, upstream);
}

/// 0 if it is none: "1,10" is not 1.
double number(std::string_view text) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  return end.ptr == text.data() + text.size() ? value : 0;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    if (flag == "--neighbour") {
      options.neighbour = true;
    } else if (flag == "--json") {
      options.json = true;
    } else if (flag == "--pairs") {
      options.pairs = true;
    } else if (flag == "--experiments" && number(value) >= 1) {
      options.experiments = static_cast<int>(number(value));
      ++i;
    } else if (flag == "--threads" && number(value) >= 1) {
      options.threads = {static_cast<int>(number(value))};
      ++i;
    } else if (flag == "--affinity" && (value == "on" || value == "off" || value == "both")) {
      options.affinity =
          value == "both" ? std::vector<bool>{true, false} : std::vector<bool>{value == "on"};
      ++i;
    } else if (flag == "--call-ms" && number(value) > 0) {
      options.call_ms = {number(value)};
      ++i;
    } else {
      std::fprintf(stderr,
                   "usage: aa_bench [--experiments N] [--call-ms MS] [--threads N] [--affinity "
                   "on|off|both] [--neighbour] [--json [--pairs]]\n");
      return false;
    }
  }
  return true;
}

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) return 2;
  calibrate_clock();
  const pid_t neighbour = options.neighbour ? ::fork() : -1;
  if (neighbour == 0) be_busy();
  if (!options.json) {
    print_overhead();
    print_agreement();
    std::printf("A/A, %d experiments%s; errors, widths and bias in per cent\n", options.experiments,
                options.neighbour ? ", beside a bursty neighbour" : "");
    std::printf("%-9s %7s %-4s %6s %9s %8s %8s %8s %9s %10s %9s %9s %s\n", "protocol", "threads",
                "bind", "ms", "error p50", "p90", "max", "seconds", "coverage", "half-width",
                "bias", "unstable", "false words");
  }
  for (const int threads : options.threads) {
    for (const bool affinity : options.affinity) {
      for (const double call_ms : options.call_ms) run_size(call_ms, {threads, affinity}, options);
    }
  }
  if (neighbour > 0) {
    ::kill(neighbour, SIGKILL);
    ::waitpid(neighbour, nullptr, 0);
  }
  return 0;
}

}  // namespace
}  // namespace graphnet::measure

int main(int argc, char** argv) {
  return graphnet::measure::main(argc, argv);
}
