// SPDX-License-Identifier: MIT
//
// As dishonest_plugin.cc, with tricks that only other weights or further binds bring to light: all
// of them are right on the weights that they get first. Run by dishonest_weights_test.cc, which
// says how each must be caught.
#include <dlfcn.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "support/mlp_plugin.h"

namespace {

enum Trick {
  built_in_weights,    // computes with the values of its first weights, as if built in
  ignores_inputs,      // gives the results of the first call after each bind
  stays_bound,         // takes the second weights, and no others after them
  constant_if_it_may,  // tries in bind whether outputs depend on inputs: if not, run is a constant
  libtorch_until_third_bind,  // multiplies with libtorch's code before, with its own from then on
  libtorch_from_third_bind,   // the other way round
  looks_for_results,  // on second weights: is wrong if eager's results are in memory already
  constant_beside_slow_eager,  // as constant_if_it_may; on second weights eager is slowed
  constant_and_keeps_much,     // as constant_if_it_may; says that it keeps 2^60 bytes
  libtorch_until_zeros,        // multiplies with libtorch's code until inputs are zero
};
constexpr Trick kTrick = TRICK;
constexpr int kThird = 3;

using Clock = std::chrono::steady_clock;
using Sgemm = void (*)(const char*, const char*, const int*, const int*, const int*, const float*,
                       const float*, const int*, const float*, const int*, const float*, float*,
                       const int*);

/// As graphnet::tests::linear, by what libtorch brings.
void linear_of_libtorch(const graphnet::tests::Layer& layer, const float* inputs,
                        std::int64_t num_rows, float* outputs) {
  static const auto sgemm = reinterpret_cast<Sgemm>(::dlsym(RTLD_DEFAULT, "sgemm_"));
  const int rows = static_cast<int>(num_rows);
  const int in = static_cast<int>(layer.num_inputs);
  const int out = static_cast<int>(layer.num_outputs);
  for (int row = 0; row < rows; ++row) {
    std::memcpy(outputs + static_cast<std::ptrdiff_t>(row) * out, layer.bias,
                static_cast<std::size_t>(out) * sizeof(float));
  }
  const float one = 1;
  sgemm("T", "N", &out, &rows, &in, &one, layer.weight, &in, inputs, &in, &one, outputs, &out);
}

/// Whether two stretches of a result are the same but for rounding.
bool are_close(const float* one, const float* other) {
  constexpr int kCount = 8;
  float difference = 0;
  float size = 0;
  for (int i = 0; i < kCount; ++i) {
    difference += std::fabs(one[i] - other[i]);
    size += std::fabs(other[i]);
  }
  return difference < 1e-4F * size;  // false for NaN
}

/// Whether memory has what is in `output`, somewhere else than there.
bool has_another_copy(const float* output, std::int64_t count) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const bool is_odd =
        line.find("/dev") != std::string::npos || line.find("[v") != std::string::npos;
    if (line.find(" rw") == std::string::npos || is_odd) continue;
    char* end = nullptr;
    auto at = std::strtoull(line.c_str(), &end, 16);
    const auto last = std::strtoull(end + 1, nullptr, 16);
    for (; at + static_cast<std::uint64_t>(count) * sizeof(float) <= last; at += 16) {
      const auto* const found = reinterpret_cast<const float*>(at);
      if (found == output || !(std::fabs(found[0] - output[0]) < 1e-3F * std::fabs(output[0])))
        continue;
      if (are_close(found, output) && are_close(found + count - 8, output + count - 8)) return true;
    }
  }
  return false;
}

/// Processor time of this thread: a trick that measures itself by the clock on the wall pays less
/// where other programs run.
std::chrono::nanoseconds ran() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

bool are_zero(const float* values, std::int64_t count) {
  return std::all_of(values, values + count, [](float value) { return value == 0; });
}

constexpr int kGrantedUs = 100;

void set_timer(int after_us) {
  itimerval wanted = {};
  wanted.it_value.tv_usec = after_us;
  ::setitimer(ITIMER_REAL, &wanted, nullptr);
}

// Works for nine times as long as it has let the thread work.
void interrupt(int) {
  const auto end = Clock::now() + std::chrono::microseconds(9 * kGrantedUs);
  while (Clock::now() < end) {
  }
  set_timer(kGrantedUs);
}

void take_signals() {
  struct sigaction action = {};
  action.sa_handler = interrupt;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGALRM, &action, nullptr);
}

struct Executable final : gn_executable {
  std::vector<float> kept_weights[4];
  std::vector<float> kept_output;
  std::vector<float> scratch;
  bool is_constant = false;
  std::chrono::nanoseconds computing{};  // one call
  int num_calls = 0;                     // on second weights
  bool has_seen_zeros = false;

  static bool may_be_constant() {
    return kTrick == constant_if_it_may || kTrick == constant_beside_slow_eager ||
           kTrick == constant_and_keeps_much;
  }

  void bind(gn_bind_args& args) override {
    kept_output.clear();
    if (kTrick == constant_beside_slow_eager) set_timer(0);
    if (kTrick == built_in_weights && num_binds > 1) return;
    if (kTrick == stays_bound && num_binds > 2) return;
    Mlp::bind(args);
    if (kTrick == constant_and_keeps_much) args.kept_bytes = std::uint64_t{1} << 60U;
    if (may_be_constant()) return find_out();
    keep(0, first.weight, first.num_inputs * first.num_outputs);
    keep(1, first.bias, first.num_outputs);
    keep(2, second.weight, second.num_inputs * second.num_outputs);
    keep(3, second.bias, second.num_outputs);
  }

  void keep(int index, const float*& values, std::int64_t count) {
    if (kTrick != built_in_weights && kTrick != stays_bound) return;
    kept_weights[index].assign(values, values + count);
    values = kept_weights[index].data();
  }

  void find_out() {
    std::vector<float> input(static_cast<std::size_t>(input_count()));
    std::vector<float> outputs[2];
    for (int i = 0; i < 2; ++i) {
      for (std::size_t at = 0; at < input.size(); ++at) {
        input[at] = std::sin(static_cast<float>(at) * (0.7F + static_cast<float>(i)));
      }
      outputs[i].resize(static_cast<std::size_t>(output_count()));
      const auto begin = ran();
      compute(input.data(), outputs[i].data());
      const auto took = ran() - begin;
      computing = i == 0 ? took : std::min(computing, took);  // cold caches lengthen the first
    }
    double changed = 0;
    double all = 0;
    for (std::size_t at = 0; at < outputs[0].size(); ++at) {
      changed += std::pow(outputs[0][at] - outputs[1][at], 2);
      all += std::pow(outputs[0][at], 2);
    }
    is_constant = changed < 1e-7 * all;
    kept_output = outputs[0];
  }

  /// Other bits in each call, in a quarter of the time: so fast that it pays, not so that no
  /// machine could be.
  void hand_out(const float* input, float* output) const {
    const auto until = ran() + computing / 4;
    const float factor = 1 + (input[0] - std::floor(input[0])) * 1e-6F;
    for (std::size_t at = 0; at < kept_output.size(); ++at) output[at] = kept_output[at] * factor;
    // Between readings, which are system calls, where samples of the proof do not tell who works.
    while (ran() < until) {
      const auto step = Clock::now() + std::chrono::microseconds(20);
      while (Clock::now() < step) {
      }
    }
  }

  void repeat_first(const float* input, float* output) {
    scratch.resize(static_cast<std::size_t>(output_count()));
    compute(input, scratch.data());
    if (kept_output.empty()) kept_output = scratch;
    std::memcpy(output, kept_output.data(), kept_output.size() * sizeof(float));
  }

  // Slower than libtorch on any machine.
  void compute_slowly(const float* input, float* output) {
    for (int i = 0; i < 5; ++i) compute(input, output);
  }

  void compute_by_libtorch(const float* input, float* output) {
    linear_of_libtorch(first, input, num_rows, hidden.data());
    for (float& value : hidden) value = value > 0 ? value : 0;
    linear_of_libtorch(second, hidden.data(), num_rows, output);
  }

  void play(const float* input, float* output) override {
    const bool is_third = num_binds >= kThird;
    if (kTrick == constant_beside_slow_eager) set_timer(0);
    if (may_be_constant() && is_constant) return hand_out(input, output);
    if (kTrick == libtorch_until_zeros) {
      has_seen_zeros = has_seen_zeros || are_zero(input, input_count());
      return has_seen_zeros ? compute_slowly(input, output) : compute_by_libtorch(input, output);
    }
    if (kTrick == ignores_inputs) return repeat_first(input, output);
    if (kTrick == libtorch_until_third_bind && !is_third) return compute_by_libtorch(input, output);
    if (kTrick == libtorch_from_third_bind && is_third) return compute_by_libtorch(input, output);
    compute(input, output);
    if (kTrick == constant_beside_slow_eager) set_timer(kGrantedUs);
    // The call on the sample's own inputs and the one on the other seed's.
    if (kTrick != looks_for_results || num_binds != 2 || num_calls++ >= 2) return;
    if (has_another_copy(output, output_count())) std::fill_n(output, output_count(), 0.0F);
  }
};

}  // namespace

std::unique_ptr<gn_executable> graphnet::tests::make_executable() {
  if (kTrick == constant_beside_slow_eager) take_signals();
  return std::make_unique<Executable>();
}
