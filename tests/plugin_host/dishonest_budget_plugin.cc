// SPDX-License-Identifier: MIT
//
// Tricks that leave the plugin's own calls honest and work on what surrounds them: cores,
// processes, clocks and libtorch's settings. Chosen by -DTRICK=<trick>, compiled and run as in
// dishonest_plugin.cc; dishonest_budget_test.cc says how each must be caught.
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "support/mlp_plugin.h"

namespace {

enum Trick {
  helper_process,     // a child on the same core does the work; the plugin only waits
  orphan_helper,      // the same by a child's child, whose parent is gone
  starts_programs,    // starts a program in each call, which ends before it does
  all_cores,          // a thread on every core computes beside it, whatever `threads` says
  stops_count,        // the same, with the kernel's count of processor time switched off
  onednn_off,         // switches libtorch's oneDNN off while eager runs
  flushes_denormals,  // sets the calling thread's registers after its call
  one_thread,         // takes libtorch's threads away after its call
  fast_clock,         // lets the process's clock run at double speed while eager runs
  half_clock,         // lets it run at half speed while it computes
  nearly_clock,       // the same, but 4 % too slow
  burns_core,         // threads keep the core busy while eager runs
  interrupts_eager,   // a timer's signals take two thirds of the thread's time while eager runs
};
constexpr Trick kTrick = TRICK;

// ---- helpers ----

/// A process that computes on inputs in shared memory.
class Helper {
 public:
  void start(graphnet::tests::Mlp& mlp, bool as_orphan) {
    const auto num_bytes =
        static_cast<std::size_t>(mlp.input_count() + mlp.output_count()) * sizeof(float);
    shared_ = static_cast<float*>(
        ::mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::abort();
    const pid_t child = ::fork();
    if (child == 0) {
      if (as_orphan && ::fork() != 0) ::_exit(0);
      ::close(ends[0]);
      serve(mlp, ends[1]);
    }
    if (as_orphan) ::waitpid(child, nullptr, 0);
    ::close(ends[1]);
    link_ = ends[0];
  }
  void compute(const graphnet::tests::Mlp& mlp, const float* input, float* output) const {
    std::memcpy(shared_, input, static_cast<std::size_t>(mlp.input_count()) * sizeof(float));
    char byte = 0;
    if (::write(link_, &byte, 1) != 1 || ::read(link_, &byte, 1) != 1) std::abort();
    std::memcpy(output, shared_ + mlp.input_count(),
                static_cast<std::size_t>(mlp.output_count()) * sizeof(float));
  }

 private:
  [[noreturn]] void serve(graphnet::tests::Mlp& mlp, int link) const {
    ::prctl(PR_SET_NAME, "zoo_helper");
    char byte = 0;
    // Ends when the plugin's end is closed.
    while (::read(link, &byte, 1) == 1) {
      mlp.compute(shared_, shared_ + mlp.input_count());
      if (::write(link, &byte, 1) != 1) break;
    }
    ::_exit(0);
  }

  float* shared_ = nullptr;
  int link_ = -1;
};

// ---- clocks ----

std::int64_t true_ns() {
  timespec now = {};
  ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

/// What the process's clock shows: changes of rate leave it where it is.
std::atomic<std::int64_t> since_ns{0};
std::atomic<std::int64_t> shown_ns{0};
std::atomic<double> rate{1};

std::int64_t wrong_ns() {
  return shown_ns + static_cast<std::int64_t>(rate * static_cast<double>(true_ns() - since_ns));
}

void set_rate(double wanted) {
  const std::int64_t shown = wrong_ns();
  since_ns = true_ns();
  shown_ns = shown;
  rate = wanted;
}

int wrong_clock_gettime(clockid_t, timespec* now) {
  const std::int64_t shown = wrong_ns();
  now->tv_sec = shown / 1'000'000'000;
  now->tv_nsec = shown % 1'000'000'000;
  return 0;
}

// Writes a jump to the wrong one over the first instructions of libc's function.
void replace_clock() {
  since_ns = true_ns();
  shown_ns = since_ns.load();
  auto* const code = static_cast<unsigned char*>(::dlsym(RTLD_DEFAULT, "clock_gettime"));
  const auto page = reinterpret_cast<std::uintptr_t>(code) & ~std::uintptr_t{4095};
  ::mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  const auto target = reinterpret_cast<std::uintptr_t>(&wrong_clock_gettime);
  unsigned char jump[12] = {0x48, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xE0};  // mov rax; jmp rax
  std::memcpy(jump + 2, &target, sizeof(target));
  std::memcpy(code, jump, sizeof(jump));
}

// ---- libtorch ----

void switch_onednn(bool on) {
  using GetContext = void* (*)();
  using Switch = void (*)(void*, bool);
  const auto get = reinterpret_cast<GetContext>(::dlsym(RTLD_DEFAULT, "_ZN2at13globalContextEv"));
  const auto change =
      reinterpret_cast<Switch>(::dlsym(RTLD_DEFAULT, "_ZN2at7Context20setUserEnabledMkldnnEb"));
  if (get == nullptr || change == nullptr) std::abort();
  change(get(), on);
}

void set_threads(int count) {
  using Set = void (*)(int);
  const auto set = reinterpret_cast<Set>(::dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set == nullptr) std::abort();
  set(count);
}

// ---- threads ----

std::atomic<bool> burns{false};

// Enough to be felt on a core that others want, too.
constexpr int kBurners = 12;

/// Keeps a core busy while it may; never ends.
void burn() {
  for (;;) {
    while (burns) _mm_pause();
    ::usleep(20);
  }
}

void burn_everywhere() {
  cpu_set_t all;
  std::memset(&all, 0xFF, sizeof all);
  ::sched_setaffinity(0, sizeof all, &all);
  burn();
}

// ---- signals ----

void set_timer(int after_us) {
  itimerval wanted = {};
  wanted.it_value.tv_usec = after_us;
  ::setitimer(ITIMER_REAL, &wanted, nullptr);
}

constexpr int kGrantedUs = 100;

// Works for twice as long as it has let the thread work.
void interrupt(int) {
  const std::int64_t end_ns = true_ns() + 2'000 * kGrantedUs;
  while (true_ns() < end_ns) _mm_pause();
  set_timer(kGrantedUs);
}

void take_signals() {
  struct sigaction action = {};
  action.sa_handler = interrupt;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGALRM, &action, nullptr);
}

/// One that the kernel's count of this process forgets as soon as it runs: its user is another, so
/// that it is not this process's to look into. Nobody is told that it has ended.
void start_program() {
  const auto old_handler = ::signal(SIGCHLD, SIG_IGN);
  const pid_t child = ::fork();
  if (child == 0) {
    static_cast<void>(::setuid(65534));
    ::execl("/bin/true", "true", nullptr);
    ::_exit(1);
  }
  while (child > 0 && ::kill(child, 0) == 0) ::sched_yield();
  ::signal(SIGCHLD, old_handler);
}

struct Executable final : gn_executable {
  Helper helper;
  bool has_helper = false;

  void play(const float* input, float* output) override;
};

void Executable::play(const float* input, float* output) {
  switch (kTrick) {
    case helper_process:
    case orphan_helper:
      if (!has_helper) helper.start(*this, kTrick == orphan_helper);
      has_helper = true;
      return helper.compute(*this, input, output);
    case starts_programs:
      start_program();
      return compute(input, output);
    case stops_count:
      ::prctl(PR_TASK_PERF_EVENTS_DISABLE);
      [[fallthrough]];
    case all_cores:
      burns = true;
      compute(input, output);
      burns = false;
      return;
    case onednn_off:
      switch_onednn(true);
      compute(input, output);
      return switch_onednn(false);
    case flushes_denormals:
      compute(input, output);
      return _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
    case one_thread:
      compute(input, output);
      return set_threads(1);
    case fast_clock:
      set_rate(1);
      compute(input, output);
      return set_rate(2);
    case half_clock:
    case nearly_clock:
      set_rate(kTrick == half_clock ? 0.5 : 0.96);
      compute(input, output);
      return set_rate(1);
    case interrupts_eager:
      set_timer(0);
      compute(input, output);
      return set_timer(kGrantedUs);
    case burns_core:
      burns = false;
      compute(input, output);
      burns = true;
      return;
  }
}

}  // namespace

std::unique_ptr<gn_executable> graphnet::tests::make_executable() {
  if (kTrick == fast_clock || kTrick == half_clock || kTrick == nearly_clock) replace_clock();
  if (kTrick == interrupts_eager) take_signals();
  if (kTrick == burns_core) {
    for (int i = 0; i < kBurners; ++i) std::thread(burn).detach();
  }
  if (kTrick == all_cores || kTrick == stops_count) {
    for (unsigned i = 0; i < 3 * std::thread::hardware_concurrency(); ++i) {
      std::thread(burn_everywhere).detach();
    }
  }
  return std::make_unique<Executable>();
}
