// SPDX-License-Identifier: MIT
#include "worker/eager_standby.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <new>
#include <thread>
#include <utility>

#include "base/processes.h"
#include "measure/clock.h"
#include "worker/eager_side.h"
#include "worker/fresh_inputs.h"
#include "worker/math_mode.h"

namespace graphnet::worker {

using base::Code;
using base::Result;
using base::Status;
using base::UniqueFd;
using measure::SteppedCall;

namespace {

constexpr int kWarmupCalls = 5;
constexpr int kFewestWarmupCalls = 2;
constexpr std::int64_t kWarmupNs = 500'000'000;  // then as many are enough
constexpr SteppedCall kNoTime = {-1, 0, 0, 0};

/// What is asked for.
enum class Request : char { kCall = 'c', kSettledCall = 's' };

struct Link {
  UniqueFd here;
  UniqueFd there;

  bool open() {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
    here.reset(ends[0]);
    there.reset(ends[1]);
    return true;
  }
};

template <typename T>
bool receive(const UniqueFd& fd, T& value) {
  ssize_t got = 0;
  do {
    got = ::recv(fd.get(), &value, sizeof value, 0);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof value);
}

template <typename T>
bool send(const UniqueFd& fd, const T& value) {
  return ::send(fd.get(), &value, sizeof value, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof value);
}

/// What a copy must not do in its parent's name: tell its supervisor of a crash, answer its
/// signals, hold its channels open.
void become_silent(const UniqueFd& kept) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::set_new_handler(nullptr);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGINT, SIGHUP}) {
    ::signal(signal, SIG_DFL);
  }
  std::vector<int> open;
  if (DIR* folder = ::opendir("/proc/self/fd")) {
    while (const dirent* entry = ::readdir(folder)) open.push_back(std::atoi(entry->d_name));
    ::closedir(folder);
  }
  for (const int fd : open) {
    if (fd > STDERR_FILENO && fd != kept.get()) ::close(fd);
  }
}

/// What the copies were forked with.
struct Reference {
  const sample::Sample& sample;
  std::vector<sample::Argument>& arguments;
  const base::MathPolicy& math;
  int threads;
};

Result<std::unique_ptr<EagerSide>> make_engine(const Reference& reference) {
  GN_ASSIGN_OR_RETURN(auto eager, EagerSide::create(reference.sample, reference.arguments));
  GN_RETURN_IF_ERROR(enter_math_mode(reference.math));
  const measure::SideCalls calls = eager->calls();
  const std::int64_t begin_ns = measure::monotonic_raw_ns();
  for (int i = 0; i < kWarmupCalls; ++i) {
    const bool is_long = measure::monotonic_raw_ns() - begin_ns > kWarmupNs;
    if (is_long && i >= kFewestWarmupCalls) break;
    GN_RETURN_IF_ERROR(calls.prepare());
    GN_RETURN_IF_ERROR(calls.call());
    if (i == 0) GN_RETURN_IF_ERROR(calls.after_first());
  }
  return eager;
}

/// By the same steps as in the process that is compared with this one.
class Stepper {
 public:
  Stepper(const Reference& reference, EagerSide& eager)
      : calls_(eager.calls()),
        inputs_(reference.sample, eager),
        renew_(inputs_.renew()),
        instruments_(measure::machine_instruments(settings_, reference.threads)) {}

  SteppedCall time_once(Request request) {
    SteppedCall times = kNoTime;
    for (int i = request == Request::kSettledCall ? 0 : 1; i < 2; ++i) {
      const auto call = measure::step_call(calls_, renew_, instruments_, settings_.disturbed_share);
      if (!call.is_ok()) return kNoTime;
      times = *call;
    }
    return times;
  }

 private:
  const measure::PairedSettings settings_;
  measure::SideCalls calls_;
  WarmupInputs inputs_;
  std::function<Status()> renew_;
  measure::Instruments instruments_;
};

/// The plugin's process has threads, so that libc and libstdc++ lock and count there by atomic
/// instructions: eager must not be faster here because there are none.
void start_idle_thread() {
  std::thread([] {
    while (true) ::pause();
  }).detach();
}

[[noreturn]] void be_runner(const Reference& reference, pid_t parent, const UniqueFd& guard) {
  become_silent(guard);
  if (::getppid() != parent) ::_exit(0);
  start_idle_thread();
  auto eager = make_engine(reference);
  if (!eager.is_ok()) ::_exit(0);
  Stepper stepper(reference, **eager);
  Request request = Request::kCall;
  while (receive(guard, request)) {
    if (!send(guard, stepper.time_once(request))) break;
  }
  ::_exit(0);
}

/// Waits until no thread of a stopped process is on a core.
void await_stop(pid_t pid) {
  constexpr int kTries = 2000;
  const timespec pause = {0, 50'000};
  for (int i = 0; i < kTries; ++i) {
    const char state = base::process_state(pid);
    if (state == 'T' || state == 't' || state == '\0') return;
    ::nanosleep(&pause, nullptr);
  }
}

class Guard {
 public:
  Guard(const Reference& reference, pid_t worker) : reference_(reference), worker_(worker) {}

  [[noreturn]] void serve(const UniqueFd& worker) {
    Request request = Request::kCall;
    while (receive(worker, request)) {
      if (!send(worker, answer(request))) break;
    }
    ::_exit(0);
  }

 private:
  SteppedCall answer(Request request) {
    if (runner_ == 0) start_runner();
    if (runner_ < 0) return kNoTime;
    SteppedCall times = kNoTime;
    ::kill(worker_, SIGSTOP);
    await_stop(worker_);
    if (!send(link_.here, request) || !receive(link_.here, times)) times = kNoTime;
    ::kill(worker_, SIGCONT);
    return times;
  }

  void start_runner() {
    runner_ = -1;
    if (!link_.open()) return;
    const pid_t guard = ::getpid();
    runner_ = ::fork();
    if (runner_ == 0) be_runner(reference_, guard, link_.there);
    link_.there.reset();
  }

  const Reference& reference_;
  pid_t worker_;
  pid_t runner_ = 0;  ///< 0: not yet; negative: it cannot be made
  Link link_;
};

}  // namespace

std::unique_ptr<EagerStandby> EagerStandby::start(const sample::Sample& sample,
                                                  std::vector<sample::Argument>& arguments,
                                                  const base::MathPolicy& math, int threads) {
  Link link;
  if (!base::is_single_threaded() || !link.open()) return nullptr;
  const pid_t worker = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return nullptr;
  if (pid == 0) {
    become_silent(link.there);
    if (::getppid() != worker) ::_exit(0);
    const Reference reference = {sample, arguments, math, threads};
    Guard(reference, worker).serve(link.there);
  }
  return std::unique_ptr<EagerStandby>(new EagerStandby(pid, std::move(link.here)));
}

// What the guard has forked becomes the worker's child, and would look like the plugin's.
EagerStandby::~EagerStandby() {
  std::vector<pid_t> ending = base::children_of(pid_);
  ending.insert(ending.begin(), pid_);
  for (const pid_t pid : ending) {
    ::kill(pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

Result<SteppedCall> EagerStandby::time_call(bool settle) {
  SteppedCall times = kNoTime;
  const Request request = settle ? Request::kSettledCall : Request::kCall;
  if (!send(link_, request) || !receive(link_, times) || times.call_ns < 0) {
    return Status(Code::kEnvironment, "the copy of the worker cannot run the reference");
  }
  return times;
}

}  // namespace graphnet::worker
