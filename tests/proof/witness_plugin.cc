// SPDX-License-Identifier: MIT
//
// A small compiler for one graph (linear, relu, linear) that does the work itself or lets libtorch
// do a part of it in secret, chosen by -DWAY=<way>. Built once for each way (CMakeLists.txt); the
// verdict that each must get is in verdict_test.cc. None of them uses the eager service.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "support/mlp_plugin.h"

#ifdef WAY_USES_TORCH
#include <ATen/Version.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/relu_cpu_dispatch.h>
#endif

namespace {

enum Way {
  honest,         // computes
  jit,            // computes with code that it writes into memory
  strings,        // computes, and uses a template of which libtorch has a copy too
  hidden_op,      // lets libtorch compute the relu
  hidden_cpu_op,  // the same past the dispatcher
  hidden_thread,  // the same in a thread of its own
  looked_up_op,   // hidden_cpu_op, found by name at run time
  cached_output,  // computes once and hands out the same results ever after
  blocks_signal,  // has a thread that blocks all signals
  own_handler,    // has a handler for SIGSEGV
  takes_handler,  // puts it there in each call
  noisy,          // has a thread that calls libtorch all the time, no operator
  killed,         // blocks SIGSEGV while it computes
  crashes,        // crashes once the witness looks on
};
constexpr Way kWay = WAY;

[[noreturn]] void end_of_own_fault(int) {
  ::_exit(9);
}

struct sigaction previous_action = {};

// As runtimes do that use faults themselves.
void pass_on(int signal, siginfo_t* info, void* context) {
  previous_action.sa_sigaction(signal, info, context);
}

void take_handler() {
  struct sigaction action = {};
  ::sigaction(SIGSEGV, nullptr, &action);
  if (action.sa_sigaction != &pass_on) previous_action = action;
  action.sa_sigaction = &pass_on;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigaction(SIGSEGV, &action, nullptr);
}

void start_thread_that_blocks() {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread thread([] {
    while (true) ::pause();
  });
  ::pthread_setname_np(thread.native_handle(), "blocker");
  thread.detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

using Relu = void (*)(float* values, std::uint64_t count);

// values[i] = max(values[i], 0), in memory of its own.
Relu write_relu() {
  constexpr unsigned char kCode[] = {
      0x0F, 0x57, 0xC9,        // xorps xmm1, xmm1
      0x48, 0x85, 0xF6,        // again: test rsi, rsi
      0x74, 0x15,              // je end
      0xF3, 0x0F, 0x10, 0x07,  // movss xmm0, [rdi]
      0xF3, 0x0F, 0x5F, 0xC1,  // maxss xmm0, xmm1
      0xF3, 0x0F, 0x11, 0x07,  // movss [rdi], xmm0
      0x48, 0x83, 0xC7, 0x04,  // add rdi, 4
      0x48, 0xFF, 0xCE,        // dec rsi
      0xEB, 0xE6,              // jmp again
      0xC3,                    // end: ret
  };
  void* const code =
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memcpy(code, kCode, sizeof(kCode));
  ::mprotect(code, 4096, PROT_READ | PROT_EXEC);
  return reinterpret_cast<Relu>(code);
}

struct Executable final : gn_executable {
  Relu relu = nullptr;
  std::vector<float> kept_output;
  std::string text;
  const std::string names[2] = {"one", "a text that needs memory of its own"};
#ifdef WAY_USES_TORCH
  at::Tensor tensor;  // of the hidden values
  at::Tensor& (*looked_up)(at::Tensor&) = nullptr;
#endif

  void prepare() override;
  void play(const float* input, float* output) override;

  void compute_in_its_way(const float* input, float* output) {
    if (kWay == strings) text.assign("any text").assign(names[hidden.size() % 2]);
    linear(first, input, num_rows, hidden.data());
    cut_hidden();
    linear(second, hidden.data(), num_rows, output);
  }

  void cut_hidden() {
    if (relu != nullptr) return relu(hidden.data(), hidden.size());
#ifdef WAY_USES_TORCH
    if (kWay == hidden_op) return void(at::relu_(tensor));
    if (kWay == hidden_cpu_op) return void(at::cpu::relu_(tensor));
    if (kWay == looked_up_op) return void(looked_up(tensor));
    if (kWay == hidden_thread) return std::thread([this] { at::relu_(tensor); }).join();
#endif
    for (float& value : hidden) value = std::max(value, 0.0F);
  }
};

#ifdef WAY_USES_TORCH
void start_noise() {
  std::thread thread([] {
    while (true) at::get_cpu_capability();
  });
  ::pthread_setname_np(thread.native_handle(), "noise");
  thread.detach();
}
#endif

/// The witness puts a handler of its own in front of the one that was there in the first call.
void crash_if_watched() {
  static struct sigaction first = {};
  struct sigaction now = {};
  ::sigaction(SIGSEGV, nullptr, &now);
  if (first.sa_sigaction == nullptr) first = now;
  if (first.sa_sigaction == now.sa_sigaction) return;
  void* nowhere = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *static_cast<volatile int*>(nowhere) = 1;
}

void Executable::prepare() {
  if (kWay == jit || kWay == killed) relu = write_relu();
  if (kWay == blocks_signal) start_thread_that_blocks();
  if (kWay == own_handler) ::signal(SIGSEGV, end_of_own_fault);
#ifdef WAY_USES_TORCH
  const auto count = static_cast<std::int64_t>(hidden.size());
  tensor = at::from_blob(hidden.data(), {count});
  if (kWay == noisy) start_noise();
  if (kWay == looked_up_op) {
    constexpr const char* kRelu = "_ZN2at3cpu5relu_ERNS_6TensorE";
    looked_up = reinterpret_cast<decltype(looked_up)>(::dlsym(RTLD_DEFAULT, kRelu));
  }
#endif
}

void Executable::play(const float* input, float* output) {
  const auto count = static_cast<std::size_t>(output_count());
  if (kWay == cached_output && !kept_output.empty()) {
    std::memcpy(output, kept_output.data(), count * sizeof(float));
    return;
  }
  if (kWay == takes_handler) take_handler();
  if (kWay == crashes) crash_if_watched();
  sigset_t fault;
  ::sigemptyset(&fault);
  ::sigaddset(&fault, SIGSEGV);
  if (kWay == killed) ::pthread_sigmask(SIG_BLOCK, &fault, nullptr);
  compute_in_its_way(input, output);
  if (kWay == killed) ::pthread_sigmask(SIG_UNBLOCK, &fault, nullptr);
  if (kWay == cached_output) kept_output.assign(output, output + count);
}

}  // namespace

std::unique_ptr<gn_executable> graphnet::tests::make_executable() {
  return std::make_unique<Executable>();
}
