// SPDX-License-Identifier: MIT
#include "proof/thread_sampler.h"

#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "base/threads.h"
#include "proof/signal_stacks.h"
#include "proof/thread_signals.h"

namespace graphnet::proof {

namespace {

// Sixteen threads for two seconds, a thousand times a second.
constexpr std::size_t kMaxSamples = std::size_t{1} << 15U;

// Some kernels' headers lack the name.
constexpr int kThreadTimer = 4;  // SIGEV_THREAD_ID

// A system call that a signal interrupts goes on behind its instruction, or at it to be made again.
// Only bytes of the instruction's own page are sure to be there.
bool is_in_system_call(std::uintptr_t instruction) {
  constexpr unsigned char kSystemCall[] = {0x0F, 0x05};
  constexpr std::uintptr_t kSize = sizeof(kSystemCall);
  constexpr std::uintptr_t kPage = 4096;
  const std::uintptr_t offset = instruction % kPage;
  const auto is_at = [&](std::uintptr_t address) {
    return std::memcmp(reinterpret_cast<const void*>(address), kSystemCall, kSize) == 0;
  };
  return (offset >= kSize && is_at(instruction - kSize)) ||
         (offset + kSize <= kPage && is_at(instruction));
}

std::int64_t now_ns() {
  timespec now = {};
  ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// From half to one and a half periods; `seed`: anything that is another each time.
itimerspec drawn(std::int64_t period_ns, std::int64_t seed) {
  constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;
  const std::uint64_t bits = static_cast<std::uint64_t>(seed) * kSpread >> 32U;
  const std::int64_t next_ns =
      period_ns / 2 + static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(period_ns));
  return {{0, 0}, {next_ns / 1'000'000'000, next_ns % 1'000'000'000}};
}

/// A thread that does nothing but wait. Its processor time is that of the samples taken of it, so
/// signals that are not the sampler's are left to the other threads.
class WaitingThread {
 public:
  WaitingThread() {
    ::sem_init(&has_begun_, 0, 0);
    ::sem_init(&may_end_, 0, 0);
  }
  ~WaitingThread() {
    if (thread_) {
      ::sem_post(&may_end_);
      thread_->join();
    }
    ::sem_destroy(&has_begun_);
    ::sem_destroy(&may_end_);
  }
  WaitingThread(const WaitingThread&) = delete;
  WaitingThread& operator=(const WaitingThread&) = delete;

  void start(int signal) {
    thread_ = base::start_thread([this, signal] { wait(signal); });
    if (thread_) await(has_begun_);
  }
  int id() const { return id_; }  ///< 0: the system has no thread to give

 private:
  static void await(sem_t& event) {
    while (::sem_wait(&event) != 0) {
    }
  }
  void wait(int signal) {
    sigset_t others;
    ::sigfillset(&others);
    ::sigdelset(&others, signal);
    ::sigdelset(&others, SIGSEGV);  // the kernel would kill the process at a trap of execute-deny
    ::pthread_sigmask(SIG_SETMASK, &others, nullptr);
    // One that give_signal_stacks() gave would stay when the thread has ended.
    alignas(64) std::byte memory[kSignalStackBytes];
    const stack_t stack = {memory, 0, sizeof memory};
    stack_t previous = {};
    ::sigaltstack(&stack, &previous);
    id_ = static_cast<int>(::syscall(SYS_gettid));
    ::sem_post(&has_begun_);
    await(may_end_);
    ::sigaltstack(&previous, nullptr);
  }

  sem_t has_begun_;
  sem_t may_end_;
  int id_ = 0;
  std::optional<std::thread> thread_;
};

/// Leaves in the log what a sample of the sampler's own thread cost.
void take_waiting_out(int waiting, SampleLog& log) {
  const auto samples =
      std::remove_if(log.samples.begin(), log.samples.end(),
                     [&](const Sample& sample) { return sample.thread == waiting; });
  const std::int64_t count = log.samples.end() - samples;
  log.samples.erase(samples, log.samples.end());
  const auto own =
      std::find_if(log.threads.begin(), log.threads.end(),
                   [&](const SampledThread& thread) { return thread.thread == waiting; });
  if (own == log.threads.end()) return;
  if (count > 0) log.look_ns = own->ran_ns / count;
  log.threads.erase(own);
}

}  // namespace

struct ThreadSampler::State {
  int signal = 0;
  bool is_running = false;
  std::int64_t period_ns = 0;
  Clock clock = nullptr;
  std::vector<timer_t> timers;             // as many as threads, before the first one runs
  std::atomic<std::size_t> num_timers{0};  // that are made: handlers run while the next is
  std::vector<SampledThread> threads;
  WaitingThread waiting;
  std::vector<Sample> samples;  // kMaxSamples of them
  std::atomic<std::size_t> num_samples{0};

  // A signal handler gets no argument of ours.
  static std::atomic<State*> current;
  static std::atomic<int> num_handlers;  // that run now
  static void on_timer(int signal, siginfo_t* info, void* context);
  void take_sample(const siginfo_t& info, const ucontext_t& context);

  void note(int thread) { threads.push_back({thread, base::thread_ran_ns(thread)}); }
  /// Threads that began meanwhile: they are not sampled, and their time shows that.
  void note_others(const SignalStacks& stacks);
  bool add_timer(int thread);
};

std::atomic<ThreadSampler::State*> ThreadSampler::State::current{nullptr};
std::atomic<int> ThreadSampler::State::num_handlers{0};

void ThreadSampler::State::on_timer(int, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  ++num_handlers;
  State* state = current.load();
  if (state != nullptr) state->take_sample(*info, *static_cast<ucontext_t*>(context));
  --num_handlers;
  errno = saved_errno;
}

void ThreadSampler::State::take_sample(const siginfo_t& info, const ucontext_t& context) {
  const std::int64_t time_ns = clock();
  const auto timer = static_cast<std::size_t>(info.si_value.sival_int);
  if (info.si_code == SI_TIMER && timer < num_timers.load()) {
    const itimerspec next = drawn(period_ns, time_ns);
    ::timer_settime(timers[timer], 0, &next, nullptr);
  }
  const std::size_t slot = num_samples.fetch_add(1);
  if (slot >= samples.size()) return;
  Sample& sample = samples[slot];
  sample.instruction = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  sample.thread = static_cast<int>(::syscall(SYS_gettid));
  sample.is_waiting = is_in_system_call(sample.instruction);
  sample.time_ns = time_ns;
  sample.fault_handler = handler_of(SIGSEGV);
}

void ThreadSampler::State::note_others(const SignalStacks& stacks) {
  const auto has = [](const std::vector<int>& ids, int id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  for (const ThreadState& thread : read_threads()) {
    if (!has(stacks.ready, thread.id) && !has(stacks.left_out, thread.id)) note(thread.id);
  }
}

bool ThreadSampler::State::add_timer(int thread) {
  const std::size_t number = num_timers;
  sigevent event = {};
  event.sigev_notify = kThreadTimer;
  event.sigev_signo = signal;
  event.sigev_value.sival_int = static_cast<int>(number);
  event._sigev_un._tid = thread;
  timer_t timer = nullptr;
  if (::timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return errno == EINVAL;  // it ended
  timers[number] = timer;
  ++num_timers;
  note(thread);
  const itimerspec first = drawn(period_ns, thread);
  return ::timer_settime(timer, 0, &first, nullptr) == 0;
}

ThreadSampler::ThreadSampler(std::unique_ptr<State> state) : state_(std::move(state)) {}

base::Result<std::unique_ptr<ThreadSampler>> ThreadSampler::start(std::int64_t period_ns,
                                                                  Clock clock) {
  auto state = std::make_unique<State>();
  state->period_ns = period_ns;
  state->clock = clock != nullptr ? clock : &now_ns;
  state->signal = free_signal();
  if (state->signal == 0) {
    return base::Status(base::Code::kUnsupported, "every real-time signal is in use");
  }
  state->waiting.start(state->signal);
  const SignalStacks stacks = give_signal_stacks(state->signal);
  if (stacks.error != 0) {
    return base::Status(base::Code::kUnsupported,
                        std::string("no signal for a thread: ") + std::strerror(stacks.error));
  }
  state->samples.resize(kMaxSamples);
  state->is_running = true;
  State::current = state.get();
  struct sigaction action = {};
  action.sa_sigaction = &State::on_timer;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(state->signal, &action, nullptr);
  std::unique_ptr<ThreadSampler> sampler(new ThreadSampler(std::move(state)));
  for (const int thread : stacks.left_out) sampler->state_->note(thread);
  sampler->state_->timers.resize(stacks.ready.size());
  for (const int thread : stacks.ready) {
    if (sampler->state_->add_timer(thread)) continue;
    return base::Status(base::Code::kUnsupported, std::string("no timer: ") + std::strerror(errno));
  }
  sampler->state_->note_others(stacks);
  return sampler;
}

ThreadSampler::~ThreadSampler() {
  static_cast<void>(stop());
}

SampleLog ThreadSampler::stop() {
  State& state = *state_;
  SampleLog log;
  if (!std::exchange(state.is_running, false)) return log;
  for (std::size_t i = 0; i < state.num_timers; ++i) ::timer_delete(state.timers[i]);
  log.lost_signal = handler_of(state.signal) != reinterpret_cast<std::uintptr_t>(&State::on_timer);
  drop_signal(state.signal);
  State::current = nullptr;
  while (State::num_handlers != 0) ::sched_yield();
  for (const SampledThread& thread : std::exchange(state.threads, {})) {
    const std::int64_t now = base::thread_ran_ns(thread.thread);
    log.threads.push_back({thread.thread, std::max<std::int64_t>(0, now - thread.ran_ns)});
  }
  const std::size_t count = std::min(state.num_samples.load(), kMaxSamples);
  log.samples.assign(state.samples.begin(),
                     state.samples.begin() + static_cast<std::ptrdiff_t>(count));
  log.period_ns = state.period_ns;
  log.is_full = state.num_samples > kMaxSamples;
  take_waiting_out(state.waiting.id(), log);
  return log;
}

std::vector<ModuleShare> shares_of(const std::vector<Sample>& samples,
                                   const std::vector<Region>& regions) {
  std::map<std::tuple<std::string, int, std::string>, std::size_t> counts;
  std::size_t num_running = 0;
  for (const Sample& sample : samples) {
    if (sample.is_waiting) continue;
    ++num_running;
    const Region* region = find_region(regions, sample.instruction);
    if (region == nullptr) {
      ++counts[{"unknown", static_cast<int>(RegionKind::kHost), ""}];
    } else {
      ++counts[{base::module_name(region->mapping.path), static_cast<int>(region->kind),
                region->epoch}];
    }
  }
  std::vector<ModuleShare> shares;
  for (const auto& [key, count] : counts) {
    const auto& [module, kind, epoch] = key;
    shares.push_back({module, static_cast<RegionKind>(kind), epoch,
                      static_cast<double>(count) / static_cast<double>(num_running)});
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const ModuleShare& a, const ModuleShare& b) { return a.share > b.share; });
  return shares;
}

}  // namespace graphnet::proof
