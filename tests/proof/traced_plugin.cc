// SPDX-License-Identifier: MIT
//
// A small compiler for one graph (linear, relu, linear) that does the work itself or lets libtorch
// do a part of it in secret, chosen by -DWAY=<way>. Built once for each way (CMakeLists.txt); the
// verdict that each must get is in verdict_test.cc. None of them uses the eager service.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/mlp_plugin.h"

#ifdef WAY_USES_TORCH
#include <ATen/Version.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/relu_cpu_dispatch.h>
#endif

namespace {

enum Way {
  honest,          // computes
  jit,             // computes with code that it writes into memory
  strings,         // computes, and uses a template of which libtorch has a copy too
  hidden_op,       // lets libtorch compute the relu
  hidden_cpu_op,   // the same past the dispatcher
  hidden_thread,   // the same in a thread of its own
  looked_up_op,    // hidden_cpu_op, found by name at run time
  cached_output,   // computes once and hands out the same results ever after
  blocks_signal,   // has a thread that blocks all signals
  own_handler,     // has a handler for SIGSEGV
  takes_handler,   // puts it there in each call
  noisy,           // has a thread that calls libtorch all the time, no operator
  covers_handler,  // puts it there for the length of each call only
  opens_windows,   // the same, to let libtorch in where nobody notes it
  blocks_samples,  // blocks all real-time signals while it computes
  waits_for_pool,  // lets a thread of its own compute, for long, and waits
  works_ahead,     // has a thread that computes with libtorch as soon as inputs change
  copied_code,     // calls pages of libtorch's code that it has copied
  late_helper,     // starts a process once it is traced
  killed,          // blocks SIGSEGV while it computes
  crashes,         // crashes once it is traced
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

/// The code of libtorch.
struct TorchCode {
  unsigned char* start = nullptr;
  unsigned char* end = nullptr;
};

TorchCode torch_code() {
  TorchCode code;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("libtorch_cpu.so") == std::string::npos) continue;
    if (line.find(" r-xp ") == std::string::npos) continue;
    const std::size_t dash = line.find('-');
    code.start = reinterpret_cast<unsigned char*>(std::stoull(line, nullptr, 16));
    code.end = reinterpret_cast<unsigned char*>(std::stoull(line.substr(dash + 1), nullptr, 16));
    break;
  }
  return code;
}

TorchCode code_of_torch;

constexpr std::uintptr_t kWindow = std::uintptr_t{64} << 10U;
constexpr std::size_t kMostOpened = 4096;
std::uintptr_t opened[kMostOpened];
std::size_t num_opened = 0;

void protect_window(std::uintptr_t window, int protection) {
  const auto start = std::max(window, reinterpret_cast<std::uintptr_t>(code_of_torch.start));
  const auto end = std::min(window + kWindow, reinterpret_cast<std::uintptr_t>(code_of_torch.end));
  ::mprotect(reinterpret_cast<void*>(start), end - start, protection);
}

struct sigaction covered_action = {};

void open_in_silence(int signal, siginfo_t* info, void* context) {
  const auto* const address = static_cast<unsigned char*>(info->si_addr);
  if (address < code_of_torch.start || address >= code_of_torch.end) {
    return covered_action.sa_sigaction(signal, info, context);  // another library
  }
  const std::uintptr_t window = reinterpret_cast<std::uintptr_t>(address) & ~(kWindow - 1);
  protect_window(window, PROT_READ | PROT_EXEC);
  if (num_opened < kMostOpened) opened[num_opened++] = window;
}

/// While one of these lives, faults are handled by the plugin, and what that opens is closed again
/// in the end.
class CoveredHandler {
 public:
  CoveredHandler() {
    struct sigaction action = {};
    action.sa_sigaction = &open_in_silence;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    ::sigaction(SIGSEGV, &action, &covered_action);
  }
  ~CoveredHandler() {
    for (std::size_t i = 0; i < num_opened; ++i) protect_window(opened[i], PROT_READ);
    num_opened = 0;
    ::sigaction(SIGSEGV, &covered_action, nullptr);
  }
};

/// While one of these lives, nobody gets a real-time signal.
class SignalsForNobody {
 public:
  SignalsForNobody() { block(SIG_BLOCK); }
  ~SignalsForNobody() { block(SIG_UNBLOCK); }

 private:
  static void block(int how) {
    sigset_t signals;
    ::sigemptyset(&signals);
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) ::sigaddset(&signals, signal);
    ::pthread_sigmask(how, &signals, nullptr);
  }
};

/// A thread that does one piece of work after the other, for somebody who waits.
class Pool {
 public:
  ~Pool() {
    if (!thread_.joinable()) return;
    hand_over(nullptr);
    thread_.join();
  }
  void start() {
    thread_ = std::thread([this] { serve(); });
  }
  void do_and_wait(std::function<void()> work) {
    hand_over(std::move(work));
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !has_work_; });
  }

 private:
  void hand_over(std::function<void()> work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    work_ = std::move(work);
    has_work_ = true;
    changed_.notify_all();
  }
  void serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return has_work_; });
      if (!work_) return;
      work_();
      has_work_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;
  bool has_work_ = false;
  std::thread thread_;
};

using Nothing = void (*)();

/// Functions of libtorch's that do nothing, each in a copy of the pages that it lies in and in a
/// window of its own.
std::vector<Nothing> copy_nothings() {
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kAlignment = 16;
  constexpr std::size_t kMost = 32;
  constexpr unsigned char kZero[] = {0x31, 0xC0, 0xC3};  // xor eax, eax; ret
  const TorchCode code = torch_code();
  auto* const memory = static_cast<unsigned char*>(
      ::mmap(nullptr, kMost * kWindow, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::vector<Nothing> found;
  constexpr std::ptrdiff_t kApart = std::ptrdiff_t{2} << 20U;  // all over libtorch
  const unsigned char* last_page = code.start;
  for (unsigned char* at = code.start + kPage; at + 2 * kPage < code.end; at += kAlignment) {
    if (found.size() == kMost) break;
    unsigned char* const page = at - reinterpret_cast<std::uintptr_t>(at) % kPage;
    Dl_info facts = {};
    if (page - last_page < kApart || std::memcmp(at, kZero, sizeof(kZero)) != 0) continue;
    if (::dladdr(at, &facts) == 0 || facts.dli_saddr != at) continue;
    if (std::string(facts.dli_sname).find("St") != std::string::npos) continue;  // allowed
    last_page = page;
    unsigned char* const copy = memory + found.size() * kWindow;
    std::memcpy(copy, page, 2 * kPage);
    found.push_back(reinterpret_cast<Nothing>(copy + (at - page)));
  }
  ::mprotect(memory, kMost * kWindow, PROT_READ | PROT_EXEC);
  return found;
}

/// A process of its own that nobody waits for.
void start_helper() {
  const pid_t between = ::fork();
  if (between == 0) {
    if (::fork() != 0) ::_exit(0);
    ::setsid();
    while (true) ::pause();
  }
  ::waitpid(between, nullptr, 0);
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
  std::vector<Nothing> nothings;
  bool has_helper = false;
  Pool pool;
  const std::string names[2] = {"one", "a text that needs memory of its own"};
#ifdef WAY_USES_TORCH
  at::Tensor tensor;  // of the hidden values
  at::Tensor& (*looked_up)(at::Tensor&) = nullptr;

  // works_ahead: what the thread has seen and what came of it.
  std::thread ahead;
  std::atomic<const float*> seen_input{nullptr};
  std::atomic<bool> is_over{false};
  std::mutex results;
  std::vector<float> known_input;
  std::vector<float> known_output;
  std::vector<float> hidden_ahead;

  ~Executable() override {
    is_over = true;
    if (ahead.joinable()) ahead.join();
  }
  void work_ahead();
  bool answer_from_store(const float* input, float* output);
#endif

  void prepare() override;
  void play(const float* input, float* output) override;

  void compute_in_its_way(const float* input, float* output) {
    if (kWay == strings) text.assign("any text").assign(names[hidden.size() % 2]);
    linear(first, input, num_rows, hidden.data());
    cut_hidden();
    linear(second, hidden.data(), num_rows, output);
  }

  /// Again and again, for as long as a call of a large graph takes: so long that looks at the
  /// caller, a tenth of a millisecond apart, alone make it look busy.
  void compute_for_long(const float* input, float* output) {
    constexpr std::chrono::milliseconds kLong{150};
    const auto end = std::chrono::steady_clock::now() + kLong;
    do {
      compute_in_its_way(input, output);
    } while (std::chrono::steady_clock::now() < end);
  }

  void cut_hidden() {
    if (relu != nullptr) return relu(hidden.data(), hidden.size());
#ifdef WAY_USES_TORCH
    if (kWay == hidden_op) return void(at::relu_(tensor));
    if (kWay == hidden_cpu_op) return void(at::cpu::relu_(tensor));
    if (kWay == looked_up_op) return void(looked_up(tensor));
    if (kWay == works_ahead) return void(at::relu_(tensor));
    if (kWay == opens_windows) {
      // Long enough to be found there.
      for (int i = 0; i < 1000; ++i) at::cpu::relu_(tensor);
      return;
    }
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

#ifdef WAY_USES_TORCH
/// Looks at the input again and again, and computes when it has changed.
void Executable::work_ahead() {
  std::vector<float> now(static_cast<std::size_t>(input_count()));
  std::vector<float> output(static_cast<std::size_t>(output_count()));
  at::Tensor values =
      at::from_blob(hidden_ahead.data(), {static_cast<std::int64_t>(hidden_ahead.size())});
  while (!is_over) {
    const float* input = seen_input;
    if (input == nullptr) continue;
    std::memcpy(now.data(), input, now.size() * sizeof(float));
    {
      const std::lock_guard<std::mutex> lock(results);
      if (now == known_input) continue;
    }
    graphnet::tests::linear(first, now.data(), num_rows, hidden_ahead.data());
    at::relu_(values);
    graphnet::tests::linear(second, hidden_ahead.data(), num_rows, output.data());
    const std::lock_guard<std::mutex> lock(results);
    known_input = now;
    known_output = output;
  }
}

bool Executable::answer_from_store(const float* input, float* output) {
  if (seen_input == nullptr) {
    hidden_ahead.resize(hidden.size());
    seen_input = input;
    ahead = std::thread([this] { work_ahead(); });
    return false;
  }
  const std::lock_guard<std::mutex> lock(results);
  const std::size_t size = known_input.size();
  if (size == 0 || std::memcmp(input, known_input.data(), size * sizeof(float)) != 0) return false;
  std::memcpy(output, known_output.data(), known_output.size() * sizeof(float));
  return true;
}
#endif

/// The tracer puts a handler of its own in front of the one that was there in the first call.
bool is_traced() {
  static struct sigaction first = {};
  struct sigaction now = {};
  ::sigaction(SIGSEGV, nullptr, &now);
  if (first.sa_sigaction == nullptr) first = now;
  return first.sa_sigaction != now.sa_sigaction;
}

void crash() {
  void* nowhere = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *static_cast<volatile int*>(nowhere) = 1;
}

void Executable::prepare() {
  if (kWay == jit || kWay == killed) relu = write_relu();
  if (kWay == blocks_signal) start_thread_that_blocks();
  if (kWay == waits_for_pool) pool.start();
  if (kWay == copied_code) nothings = copy_nothings();
  code_of_torch = torch_code();
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
  if (kWay == crashes && is_traced()) crash();
  if (kWay == late_helper && !has_helper && is_traced()) {
    has_helper = true;
    start_helper();
  }
  sigset_t fault;
  ::sigemptyset(&fault);
  ::sigaddset(&fault, SIGSEGV);
  if (kWay == killed) ::pthread_sigmask(SIG_BLOCK, &fault, nullptr);
  for (const Nothing nothing : nothings) nothing();
  std::optional<CoveredHandler> covered;
  if (kWay == covers_handler || kWay == opens_windows) covered.emplace();
  std::optional<SignalsForNobody> silence;
  if (kWay == blocks_samples) silence.emplace();
#ifdef WAY_USES_TORCH
  if (kWay == works_ahead && answer_from_store(input, output)) return;
#endif
  if (kWay == waits_for_pool) {
    return pool.do_and_wait([this, input, output] { compute_for_long(input, output); });
  }
  compute_in_its_way(input, output);
  if (kWay == killed) ::pthread_sigmask(SIG_UNBLOCK, &fault, nullptr);
  if (kWay == cached_output) kept_output.assign(output, output + count);
}

}  // namespace

std::unique_ptr<gn_executable> graphnet::tests::make_executable() {
  return std::make_unique<Executable>();
}
