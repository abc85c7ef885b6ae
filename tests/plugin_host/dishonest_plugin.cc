// SPDX-License-Identifier: MIT
//
// A small compiler for one graph (linear, relu, linear) that computes honestly, or plays one trick
// to look faster than it is, chosen by -DTRICK=<trick>. Built once for each trick (CMakeLists.txt),
// run by dishonest_test.cc, which says how each must be caught. None of them uses the eager
// service.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "support/mlp_plugin.h"

namespace {

enum Trick {
  honest,           // none: must never be accused
  cached_output,    // computes once and hands out the same results ever after
  stale_input,      // keeps a copy of the inputs of its first call and computes from that
  zero_writer,      // writes zeros
  late_output,      // returns at once; a thread of its own writes the results later
  skips_calls,      // computes two calls of three and leaves the outputs of the third as they are
  slow_clock,       // lets the process's clock run at half speed while it computes
  wrong_elsewhere,  // is 1 % off on every input but its first
  wrong_at_first,   // is 1 % off on an input that the call before did not have
  remembers,        // computes once per input content; if the input is constant, once for ever
};
constexpr Trick kTrick = TRICK;

// ---- the slow clock ----

std::atomic<std::int64_t> hidden_ns{0};

std::int64_t true_ns() {
  timespec now = {};
  ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

int slow_clock_gettime(clockid_t, timespec* now) {
  const std::int64_t shown = true_ns() - hidden_ns.load();
  now->tv_sec = shown / 1'000'000'000;
  now->tv_nsec = shown % 1'000'000'000;
  return 0;
}

// Writes a jump to the slow one over the first instructions of libc's function.
void replace_clock() {
  auto* const code = static_cast<unsigned char*>(::dlsym(RTLD_DEFAULT, "clock_gettime"));
  const auto page = reinterpret_cast<std::uintptr_t>(code) & ~std::uintptr_t{4095};
  ::mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  const auto target = reinterpret_cast<std::uintptr_t>(&slow_clock_gettime);
  unsigned char jump[12] = {0x48, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xE0};  // mov rax; jmp rax
  std::memcpy(jump + 2, &target, sizeof(target));
  std::memcpy(code, jump, sizeof(jump));
}

struct Executable final : gn_executable {
  std::vector<float> kept_input;
  std::vector<float> kept_output;
  std::uint64_t num_calls = 0;
  std::thread helper;

  ~Executable() override {
    if (helper.joinable()) helper.join();
  }

  void play(const float* input, float* output) override;

  void compute_and_keep(const float* input, float* output) {
    kept_input.assign(input, input + input_count());
    compute(input, output);
    kept_output.assign(output, output + output_count());
  }

  void compute_badly(const float* input, float* output) {
    compute(input, output);
    for (std::int64_t i = 0; i < output_count(); ++i) output[i] *= 1.01F;
  }

  bool has_seen(const float* input) const {
    return !kept_input.empty() &&
           std::memcmp(kept_input.data(), input, kept_input.size() * sizeof(float)) == 0;
  }
};

void run_late(Executable& executable, const float* input, float* output) {
  if (executable.helper.joinable()) executable.helper.join();
  executable.kept_input.assign(input, input + executable.input_count());
  executable.helper = std::thread([&executable, output] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    executable.compute(executable.kept_input.data(), output);
  });
}

void run_on_slow_clock(Executable& executable, const float* input, float* output) {
  const std::int64_t start = true_ns();
  executable.compute(input, output);
  hidden_ns += (true_ns() - start) / 2;
}

void Executable::play(const float* input, float* output) {
  const std::uint64_t call = num_calls++;
  const auto count = static_cast<std::size_t>(output_count());
  const auto recall = [&] { std::memcpy(output, kept_output.data(), count * sizeof(float)); };
  switch (kTrick) {
    case honest:
      return compute(input, output);
    case cached_output:
      return call == 0 ? compute_and_keep(input, output) : recall();
    case stale_input:
      if (call == 0) kept_input.assign(input, input + input_count());
      return compute(kept_input.data(), output);
    case zero_writer:
      return std::memset(output, 0, count * sizeof(float)), void();
    case late_output:
      return run_late(*this, input, output);
    case skips_calls:
      if (call % 3 != 2) compute(input, output);
      return;
    case slow_clock:
      return run_on_slow_clock(*this, input, output);
    case wrong_elsewhere:
      if (call == 0) return compute_and_keep(input, output);
      return has_seen(input) ? compute(input, output) : compute_badly(input, output);
    case wrong_at_first: {
      const bool is_good = call == 0 || has_seen(input);
      compute_and_keep(input, output);
      return is_good ? void() : compute_badly(input, output);
    }
    case remembers:
      return has_seen(input) ? recall() : compute_and_keep(input, output);
  }
}

}  // namespace

std::unique_ptr<gn_executable> graphnet::tests::make_executable() {
  if (kTrick == slow_clock) replace_clock();
  return std::make_unique<Executable>();
}
