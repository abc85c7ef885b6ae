// SPDX-License-Identifier: MIT
#include "proof/thread_sampler.h"

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
#include <tuple>
#include <utility>

#include "proof/thread_signals.h"

namespace graphnet::proof {

namespace {

constexpr std::int64_t kPeriodNs = 1'000'000;

// Sixteen threads for two seconds.
constexpr std::size_t kMaxSamples = std::size_t{1} << 15U;

// Some kernels' headers lack the name.
constexpr int kThreadTimer = 4;  // SIGEV_THREAD_ID

/// A real-time signal that nobody handles; 0: none.
int free_signal() {
  for (int signal = SIGRTMAX; signal > SIGRTMIN; --signal) {
    struct sigaction now = {};
    if (::sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
        now.sa_handler == SIG_DFL) {
      return signal;
    }
  }
  return 0;
}

// A system call that a signal interrupts goes on behind its instruction, or at it to be made again.
// Only bytes of the instruction's own page are sure to be there.
bool is_in_system_call(std::uintptr_t instruction) {
  constexpr unsigned char kSystemCall[] = {0x0F, 0x05};
  constexpr std::uintptr_t kSize = sizeof(kSystemCall);
  constexpr std::uintptr_t kPage = 4096;
  const std::uintptr_t place = instruction % kPage;
  const auto is_at = [&](std::uintptr_t address) {
    return std::memcmp(reinterpret_cast<const void*>(address), kSystemCall, kSize) == 0;
  };
  return (place >= kSize && is_at(instruction - kSize)) ||
         (place + kSize <= kPage && is_at(instruction));
}

}  // namespace

struct ThreadSampler::State {
  int signal = 0;
  std::vector<timer_t> timers;
  std::vector<Sample> samples;  // kMaxSamples of them
  std::atomic<std::size_t> num_samples{0};

  // A signal handler gets no argument of ours.
  static std::atomic<State*> current;
  static void on_timer(int signal, siginfo_t* info, void* context);

  bool add_timer(int thread);
};

std::atomic<ThreadSampler::State*> ThreadSampler::State::current{nullptr};

void ThreadSampler::State::on_timer(int, siginfo_t*, void* context) {
  State* state = current.load();
  if (state == nullptr) return;
  const int saved_errno = errno;
  const std::size_t slot = state->num_samples.fetch_add(1);
  if (slot < state->samples.size()) {
    const greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    Sample& sample = state->samples[slot];
    sample.instruction = static_cast<std::uintptr_t>(registers[REG_RIP]);
    sample.thread = static_cast<int>(::syscall(SYS_gettid));
    sample.is_waiting = is_in_system_call(sample.instruction);
    timespec now = {};
    ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &now);
    sample.time_ns = static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
  }
  errno = saved_errno;
}

bool ThreadSampler::State::add_timer(int thread) {
  sigevent event = {};
  event.sigev_notify = kThreadTimer;
  event.sigev_signo = signal;
  event._sigev_un._tid = thread;
  timer_t timer = nullptr;
  if (::timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return errno == EINVAL;  // it ended
  timers.push_back(timer);
  const itimerspec period = {{0, kPeriodNs}, {0, kPeriodNs}};
  return ::timer_settime(timer, 0, &period, nullptr) == 0;
}

ThreadSampler::ThreadSampler(std::unique_ptr<State> state) : state_(std::move(state)) {}

base::Result<std::unique_ptr<ThreadSampler>> ThreadSampler::start() {
  auto state = std::make_unique<State>();
  state->signal = free_signal();
  if (state->signal == 0) {
    return base::Status(base::Code::kUnsupported, "every real-time signal is in use");
  }
  state->samples.resize(kMaxSamples);
  State::current = state.get();
  struct sigaction action = {};
  action.sa_sigaction = &State::on_timer;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(state->signal, &action, nullptr);
  std::unique_ptr<ThreadSampler> sampler(new ThreadSampler(std::move(state)));
  for (const ThreadState& thread : read_threads()) {
    if (sampler->state_->add_timer(thread.id)) continue;
    return base::Status(base::Code::kUnsupported, std::string("no timer: ") + std::strerror(errno));
  }
  return sampler;
}

ThreadSampler::~ThreadSampler() {
  static_cast<void>(stop());
}

std::vector<Sample> ThreadSampler::stop() {
  for (timer_t timer : state_->timers) ::timer_delete(timer);
  state_->timers.clear();
  // A signal may still be on its way, and would end the process: ignoring it drops it.
  struct sigaction action = {};
  for (auto* const handler : {SIG_IGN, SIG_DFL}) {
    action.sa_handler = handler;
    ::sigaction(state_->signal, &action, nullptr);
  }
  State::current = nullptr;
  const std::size_t count = std::min(state_->num_samples.load(), kMaxSamples);
  return {state_->samples.begin(), state_->samples.begin() + static_cast<std::ptrdiff_t>(count)};
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
