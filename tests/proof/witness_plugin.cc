// SPDX-License-Identifier: MIT
//
// A small compiler for one graph (linear, relu, linear) that does the work itself or lets libtorch
// do a part of it in secret, chosen by -DWAY=<way>. Built once for each way (CMakeLists.txt); the
// verdict that each must get is in verdict_test.cc. None of them uses the eager service.
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "support/mlp.h"

#ifdef WAY_USES_TORCH
#include <ATen/Version.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/relu_cpu_dispatch.h>
#endif

#define WAY_TEXT_OF(word) #word
#define WAY_TEXT(word) WAY_TEXT_OF(word)

namespace {

enum Way {
  honest,         // computes
  jit,            // computes with code that it writes into memory
  strings,        // computes, and uses a template of which libtorch has a copy too
  hidden_op,      // lets libtorch compute the relu
  hidden_cpu_op,  // the same past the dispatcher
  hidden_thread,  // the same in a thread of its own
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

}  // namespace

struct gn_backend {
  const gn_host_api* host = nullptr;
};

struct gn_executable : graphnet::tests::Mlp {
  Relu relu = nullptr;
  std::vector<float> kept_output;
  std::string text;
  const std::string names[2] = {"one", "a text that needs memory of its own"};
#ifdef WAY_USES_TORCH
  at::Tensor tensor;  // of the hidden values
#endif

  void compute(const float* input, float* output) {
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
    if (kWay == hidden_thread) return std::thread([this] { at::relu_(tensor); }).join();
#endif
    for (float& value : hidden) value = std::max(value, 0.0F);
  }
};

namespace {

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

void prepare(gn_executable& executable) {
  if (kWay == jit || kWay == killed) executable.relu = write_relu();
  if (kWay == blocks_signal) start_thread_that_blocks();
  if (kWay == own_handler) ::signal(SIGSEGV, end_of_own_fault);
#ifdef WAY_USES_TORCH
  const auto count = static_cast<std::int64_t>(executable.hidden.size());
  executable.tensor = at::from_blob(executable.hidden.data(), {count});
  if (kWay == noisy) start_noise();
#endif
}

void play(gn_executable& executable, const float* input, float* output) {
  const auto count = static_cast<std::size_t>(executable.output_count());
  if (kWay == cached_output && !executable.kept_output.empty()) {
    std::memcpy(output, executable.kept_output.data(), count * sizeof(float));
    return;
  }
  if (kWay == takes_handler) take_handler();
  if (kWay == crashes) crash_if_watched();
  sigset_t fault;
  ::sigemptyset(&fault);
  ::sigaddset(&fault, SIGSEGV);
  if (kWay == killed) ::pthread_sigmask(SIG_BLOCK, &fault, nullptr);
  executable.compute(input, output);
  if (kWay == killed) ::pthread_sigmask(SIG_UNBLOCK, &fault, nullptr);
  if (kWay == cached_output) executable.kept_output.assign(output, output + count);
}

gn_status* create(const gn_create_args* args, gn_backend** out) {
  *out = new gn_backend{args->host};
  return nullptr;
}

void destroy(gn_backend* backend) {
  delete backend;
}

gn_status* bind(gn_executable* executable, gn_bind_args* args) {
  executable->bind(*args);
  return nullptr;
}

void executable_destroy(gn_executable* executable) {
  delete executable;
}

constexpr gn_backend_api kApi = {
    sizeof(gn_backend_api),
    create,
    destroy,
    gn_backend_compile,
    gn_backend_run,
    bind,
    executable_destroy,
    nullptr,
    nullptr,
    nullptr,
};

}  // namespace

std::int32_t gn_plugin_query(const gn_query_in* in, gn_query_out* out) {
  return graphnet::answer_query(in, out, WAY_TEXT(WAY), "0.1.0", &kApi);
}

gn_status* gn_backend_compile(gn_backend* backend, const gn_compile_args* args,
                              gn_executable** out) {
  auto executable = std::make_unique<gn_executable>();
  if (gn_status* status = executable->read(backend->host, args->graph)) return status;
  prepare(*executable);
  *out = executable.release();
  return nullptr;
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  using graphnet::tests::data_of;
  play(*executable, data_of(*args->inputs[0]), const_cast<float*>(data_of(*args->outputs[0])));
  return nullptr;
}
