// SPDX-License-Identifier: MIT
#include "base/subprocess.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/threads.h"

namespace graphnet::base {

namespace {

constexpr int kControlFd = 3;

class SpawnSettings {
 public:
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

void describe(const Subprocess::Options& options, SpawnSettings& settings) {
  auto* actions = &settings.actions;
  ::posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (options.output_fd >= 0) {
    ::posix_spawn_file_actions_adddup2(actions, options.output_fd, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(actions, options.output_fd, STDERR_FILENO);
  }
  if (options.error_fd >= 0) {
    ::posix_spawn_file_actions_adddup2(actions, options.error_fd, STDERR_FILENO);
  }
  if (options.control_fd >= 0) {
    ::posix_spawn_file_actions_adddup2(actions, options.control_fd, kControlFd);
  }
  sigset_t none;
  ::sigemptyset(&none);
  sigset_t defaults;
  ::sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGXFSZ}) {
    ::sigaddset(&defaults, signal);
  }
  ::posix_spawnattr_setpgroup(&settings.attributes, 0);
  ::posix_spawnattr_setsigmask(&settings.attributes, &none);
  ::posix_spawnattr_setsigdefault(&settings.attributes, &defaults);
  ::posix_spawnattr_setflags(
      &settings.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/// Waits for the end of a child and leaves it as a zombie, so that its number and its group's
/// cannot be taken by another process.
void await_end(pid_t pid) {
  siginfo_t info = {};
  while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
}

std::vector<char*> merged_environment(const std::vector<std::string>& extra) {
  std::vector<char*> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::strcspn(*entry, "=") + 1);
    bool replaced = false;
    for (const auto& variable : extra) replaced = replaced || variable.rfind(name, 0) == 0;
    if (!replaced) merged.push_back(*entry);
  }
  for (const auto& variable : extra) merged.push_back(const_cast<char*>(variable.c_str()));
  merged.push_back(nullptr);
  return merged;
}

}  // namespace

std::string ExitState::to_string() const {
  if (signal) {
    const char* name = ::sigabbrev_np(*signal);
    const char* meaning = ::sigdescr_np(*signal);
    return std::string("SIG") + (name ? name : "?") + " (" + (meaning ? meaning : "?") + ")";
  }
  return "exit code " + std::to_string(exit_code.value_or(-1));
}

Result<Subprocess> Subprocess::start(const Options& options) {
  SpawnSettings settings;
  describe(options, settings);
  std::vector<char*> argv;
  for (const auto& argument : options.arguments)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> environment = merged_environment(options.environment);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, argv[0], &settings.actions, &settings.attributes,
                                  argv.data(), environment.data());
  if (error != 0) {
    return Status(Code::kEnvironment,
                  "cannot start '" + options.arguments[0] + "': " + std::strerror(error));
  }
  return adopt(pid);
}

Result<Subprocess> Subprocess::adopt(pid_t pid) {
  Subprocess child(pid);
  Status watched = child.watch();
  if (watched.is_ok()) return child;
  return watched;
}

Status Subprocess::watch() {
  end_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (end_.is_open()) return Status::ok();
  // A sandbox may refuse what it does not know instead of saying that it is not there.
  if (errno == ENOSYS || errno == EPERM) return watch_by_thread();
  return Status(Code::kEnvironment,
                std::string("cannot watch a child process: ") + std::strerror(errno));
}

Status Subprocess::watch_by_thread() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Status(Code::kEnvironment, std::string("cannot make a pipe to watch a child process: ") +
                                          std::strerror(errno));
  }
  end_.reset(ends[0]);
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  // Signals are for the thread that handles them.
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  auto waiter =
      start_thread([pid = pid_, closed_at_the_end = UniqueFd(ends[1])] { await_end(pid); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!waiter) return Status(Code::kEnvironment, "there is no thread to watch a child process");
  waiter_ = *std::move(waiter);
  return Status::ok();
}

Subprocess::Subprocess(Subprocess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      end_(std::move(other.end_)),
      waiter_(std::move(other.waiter_)),
      ended_(std::exchange(other.ended_, std::nullopt)) {}

Subprocess::~Subprocess() {
  if (pid_ < 0 || ended_) return;
  signal_group(SIGKILL);
  wait();
}

void Subprocess::signal_group(int signal) const {
  if (pid_ > 0 && !ended_) ::kill(-pid_, signal);
}

ExitState Subprocess::wait() {
  if (ended_) return *ended_;
  await_end(pid_);
  // While the number is taken: the thread waits for it.
  if (waiter_.joinable()) waiter_.join();
  ::kill(-pid_, SIGKILL);
  int status = 0;
  struct rusage usage = {};
  while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  ExitState state;
  state.peak_rss_bytes = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
  if (WIFSIGNALED(status)) {
    state.signal = WTERMSIG(status);
  } else {
    state.exit_code = WEXITSTATUS(status);
  }
  ended_ = state;
  return state;
}

}  // namespace graphnet::base
