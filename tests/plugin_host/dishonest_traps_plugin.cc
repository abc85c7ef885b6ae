// SPDX-License-Identifier: MIT
//
// Tricks by which code of the plugin runs in the host's own steps around a call, through traps that
// the processor offers, and tricks that hide what works beside it. Chosen by -DTRICK=<trick>,
// compiled and run as in dishonest_plugin.cc; dishonest_traps_test.cc says how each must be caught.
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "support/mlp_plugin.h"

namespace {

enum Trick {
  closes_outputs,   // returns at once with its output's pages closed, computes when they are read
  watches_input,    // a hardware watchpoint computes as soon as the host has written the input
  watches_quickly,  // the same so quickly that it is no longer than the input takes to write
  traps_clock,      // the host's reading of the cycle counter traps: computes before the clock runs
  traps_clock_at_times,      // the same, set behind each second call and gone in the next one
  answers_clock,             // the counter gains time while eager runs
  interrupts_pairs,          // a timer slows eager down, but not in the calls that would confirm it
  interrupts_gently,         // the same by a third, which no comparison of other moments would show
  interrupts_until_stopped,  // the same until it is stopped and continued: looks at eager do that
  ends_copy,    // a timer slows eager down, and the copy that would confirm it is killed
  hides_child,  // a child on another core does half of each call, and is reaped by nobody
};
constexpr Trick kTrick = TRICK;

constexpr std::uintptr_t kPage = 4096;

struct Executable;
Executable* owner = nullptr;
struct sigaction old_action;

struct Executable final : gn_executable {
  const float* input = nullptr;
  float* output = nullptr;
  bool is_pending = false;
  bool is_armed = false;
  std::uint64_t gained_ticks = 0;
  std::uint64_t num_calls = 0;
  std::vector<float> first_input;
  std::vector<float> known_input;
  std::vector<float> known_output;
  std::vector<float> columns;
  char* stack = nullptr;
  volatile bool is_child_done = false;

  void play(const float* in, float* out) override;
  bool is_original() const { return is_equal(first_input); }
  bool is_equal(const std::vector<float>& other) const {
    return std::memcmp(other.data(), input, other.size() * sizeof(float)) == 0;
  }
  void know() {
    if (is_equal(known_input)) return;
    std::memcpy(known_input.data(), input, known_input.size() * sizeof(float));
    work(known_input.data(), known_output.data());
  }
  bool is_poisoned() const {
    std::uint32_t bits = 0;
    std::memcpy(&bits, output, sizeof bits);
    return bits == 0xFFFFFFFFU;
  }
  /// For a first layer of 16 features and rows by four.
  void prepare_quick_code();
  void compute_quickly();
  /// Longer than a trap takes.
  void work(const float* in, float* out) {
    compute(in, out);
    constexpr int kSteps = 200'000;
    for (int step = 0; step < kSteps; ++step) asm volatile("");
  }
  void compute_rows(std::int64_t begin, std::int64_t end) {
    graphnet::tests::Mlp part = *this;
    part.num_rows = end - begin;
    part.compute(input + begin * first.num_inputs, output + begin * second.num_outputs);
  }
  /// The rows that reach into the pages at the output's ends.
  void compute_ends() {
    const auto row_bytes = static_cast<std::size_t>(second.num_outputs) * sizeof(float);
    const auto rows = static_cast<std::int64_t>(1 + kPage / row_bytes);
    compute_rows(0, rows);
    compute_rows(num_rows - rows, num_rows);
  }
  void recall_or_compute() {
    if (is_armed && is_equal(known_input)) {
      std::memcpy(output, known_output.data(), known_output.size() * sizeof(float));
    } else {
      work(input, output);
    }
  }
};

void handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
  ::sigaction(signal, &action, &old_action);
}

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((old_action.sa_flags & SA_SIGINFO) != 0)
    return old_action.sa_sigaction(signal, info, context);
  ::signal(signal, SIG_DFL);
}

// ---- pages ----

/// The whole pages of the output. Those at its ends hold other things too, and who touches these
/// would open them at once: within the timed call.
void protect_output(int how) {
  const auto begin = reinterpret_cast<std::uintptr_t>(owner->output) + kPage - 1;
  const auto end = reinterpret_cast<std::uintptr_t>(owner->output + owner->output_count());
  const std::uintptr_t first = begin & ~(kPage - 1);
  ::mprotect(reinterpret_cast<void*>(first), (end & ~(kPage - 1)) - first, how);
}

void on_closed_page(int signal, siginfo_t* info, void* context) {
  if (!owner->is_pending) return pass_on(signal, info, context);
  owner->is_pending = false;
  protect_output(PROT_READ | PROT_WRITE);
  constexpr greg_t kWrite = 2;
  const bool writes = (static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
  // Poison for the next call: nobody reads this one.
  if (!writes) owner->compute(owner->input, owner->output);
}

// ---- watchpoint ----

int watch_writes(const void* address) {
  perf_event_attr event = {};
  event.size = sizeof event;
  event.type = PERF_TYPE_BREAKPOINT;
  event.bp_type = HW_BREAKPOINT_W;
  event.bp_addr = reinterpret_cast<std::uintptr_t>(address);
  event.bp_len = sizeof(float);
  event.sample_period = 1;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  event.sigtrap = 1;
  event.remove_on_exec = 1;
  return static_cast<int>(::syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

// ---- counter ----

constexpr std::uint64_t kGainedTicks = 4'000'000;  // about a millisecond a reading

void on_counter(int signal, siginfo_t* info, void* context) {
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* const code = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  const bool is_rdtsc = code[0] == 0x0F && code[1] == 0x31;
  const bool is_rdtscp = code[0] == 0x0F && code[1] == 0x01 && code[2] == 0xF9;
  if (!owner->is_armed || info->si_code != SI_KERNEL || (!is_rdtsc && !is_rdtscp)) {
    return pass_on(signal, info, context);
  }
  if (kTrick == traps_clock || kTrick == traps_clock_at_times) owner->know();
  if (kTrick == answers_clock && !owner->is_poisoned() && !owner->is_original()) {
    owner->gained_ticks += kGainedTicks;
  }
  ::prctl(PR_SET_TSC, PR_TSC_ENABLE);
  unsigned core = 0;
  const std::uint64_t ticks = (is_rdtscp ? __rdtscp(&core) : __rdtsc()) + owner->gained_ticks;
  ::prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
  registers[REG_RAX] = static_cast<greg_t>(ticks & 0xFFFFFFFFU);
  registers[REG_RDX] = static_cast<greg_t>(ticks >> 32U);
  if (is_rdtscp) registers[REG_RCX] = static_cast<greg_t>(core);
  registers[REG_RIP] += is_rdtscp ? 3 : 2;
}

// ---- timer ----

constexpr int kGrantedUs = 100;

void set_timer(int after_us) {
  itimerval wanted = {};
  wanted.it_value.tv_usec = after_us;
  ::setitimer(ITIMER_REAL, &wanted, nullptr);
}

std::int64_t now_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

volatile bool is_stopped = false;

// Works for twice as long as it has let the thread work, or for a third of that.
void on_timer(int, siginfo_t*, void*) {
  if (is_stopped) return;
  const std::int64_t end_ns = now_ns() + (kTrick == interrupts_gently ? 333 : 2'000) * kGrantedUs;
  while (now_ns() < end_ns) _mm_pause();
  set_timer(kGrantedUs);
}

void end_children() {
  std::ifstream children("/proc/thread-self/children");
  for (int child = 0; children >> child;) ::kill(child, SIGKILL);
}

// ---- child ----

constexpr std::size_t kStackBytes = std::size_t{1} << 20U;

int work_in_child(void* /*unused*/) {
  // As long as the call itself: half of what is to be done.
  std::vector<float> output(static_cast<std::size_t>(owner->output_count()));
  graphnet::tests::Mlp copy = *owner;
  copy.compute(owner->input, output.data());
  owner->is_child_done = true;
  ::syscall(SYS_exit_group, 0);
  return 0;
}

void compute_beside_child() {
  cpu_set_t own;
  ::sched_getaffinity(0, sizeof own, &own);
  cpu_set_t others;
  std::memset(&others, 0xFF, sizeof others);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &own)) CPU_CLR(core, &others);
  }
  owner->is_child_done = false;
  const int child = ::clone(work_in_child, owner->stack + kStackBytes - 64,
                            CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, nullptr);
  if (child > 0) ::sched_setaffinity(child, sizeof others, &others);
  owner->compute(owner->input, owner->output);
  while (child > 0 && !owner->is_child_done) _mm_pause();
}

// ---- quick code ----

constexpr std::int64_t kFeatures = 16;
using Features [[gnu::vector_size(kFeatures * 4)]] = float;

/// The first layer, four rows at a time; columns: one for each input.
[[gnu::target_clones("avx512f", "avx2", "default")]] void run_first_layer(
    const graphnet::tests::Layer& layer, const float* columns, const float* input,
    std::int64_t num_rows, float* output) {
  constexpr std::int64_t kRows = 4;
  Features bias;
  std::memcpy(&bias, layer.bias, sizeof bias);
  const std::int64_t width = layer.num_inputs;
  for (std::int64_t row = 0; row + kRows <= num_rows; row += kRows) {
    Features sums[kRows] = {bias, bias, bias, bias};
    const float* const x = input + row * width;
    for (std::int64_t j = 0; j < width; ++j) {
      Features column;
      std::memcpy(&column, columns + j * kFeatures, sizeof column);
      sums[0] += x[j] * column;
      sums[1] += x[width + j] * column;
      sums[2] += x[2 * width + j] * column;
      sums[3] += x[3 * width + j] * column;
    }
    std::memcpy(output + row * kFeatures, sums, sizeof sums);
  }
}

void Executable::prepare_quick_code() {
  columns.resize(static_cast<std::size_t>(first.num_inputs * kFeatures));
  for (std::int64_t i = 0; i < kFeatures; ++i) {
    for (std::int64_t j = 0; j < first.num_inputs; ++j) {
      columns[static_cast<std::size_t>(j * kFeatures + i)] = first.weight[i * first.num_inputs + j];
    }
  }
}

void Executable::compute_quickly() {
  run_first_layer(first, columns.data(), input, num_rows, hidden.data());
  for (float& value : hidden) value = value > 0 ? value : 0;
  linear(second, hidden.data(), num_rows, output);
}

// ---- calls ----

void arm() {
  owner->known_input.assign(static_cast<std::size_t>(owner->input_count()), 1e30F);
  owner->known_output.resize(static_cast<std::size_t>(owner->output_count()));
  owner->is_armed = true;
  switch (kTrick) {
    case closes_outputs:
      return handle(SIGSEGV, on_closed_page);
    case watches_input:
      handle(SIGTRAP, [](int, siginfo_t*, void*) { owner->know(); });
      if (watch_writes(owner->input + owner->input_count() - 1) < 0) std::abort();
      return;
    case watches_quickly:
      owner->prepare_quick_code();
      handle(SIGTRAP, [](int, siginfo_t*, void*) {
        if (owner->is_poisoned()) owner->compute_quickly();
      });
      if (watch_writes(owner->input + owner->input_count() - 1) < 0) std::abort();
      return;
    case traps_clock_at_times:
      return handle(SIGSEGV, on_counter);
    case traps_clock:
    case answers_clock:
      handle(SIGSEGV, on_counter);
      ::prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
      return;
    case ends_copy:
      end_children();
      return handle(SIGALRM, on_timer);
    case interrupts_until_stopped:
      handle(SIGCONT, [](int, siginfo_t*, void*) { is_stopped = true; });
      return handle(SIGALRM, on_timer);
    case interrupts_pairs:
    case interrupts_gently:
      return handle(SIGALRM, on_timer);
    case hides_child:
      ::signal(SIGCHLD, SIG_IGN);
      owner->stack = static_cast<char*>(
          ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      return;
  }
}

void Executable::play(const float* in, float* out) {
  owner = this;
  input = in;
  output = out;
  if (!is_armed) {
    first_input.assign(in, in + input_count());
    compute(in, out);
    return arm();
  }
  switch (kTrick) {
    case closes_outputs:
      compute_ends();
      is_pending = true;
      return protect_output(PROT_NONE);
    case watches_quickly:
      return is_poisoned() ? compute_quickly() : void();
    case watches_input:
    case traps_clock:
      return recall_or_compute();
    case traps_clock_at_times:
      ::prctl(PR_SET_TSC, PR_TSC_ENABLE);
      recall_or_compute();
      if (++num_calls % 2 == 1) ::prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
      return;
    case answers_clock:
      compute(in, out);
      ::prctl(PR_SET_TSC, is_original() ? PR_TSC_ENABLE : PR_TSC_SIGSEGV);
      return;
    case interrupts_pairs:
    case interrupts_gently:
    case interrupts_until_stopped:
    case ends_copy:
      set_timer(0);
      compute(in, out);
      if (kTrick == ends_copy || !is_original()) set_timer(kGrantedUs);
      return;
    case hides_child:
      return compute_beside_child();
  }
}

}  // namespace

std::unique_ptr<gn_executable> graphnet::tests::make_executable() {
  return std::make_unique<Executable>();
}
