// SPDX-License-Identifier: MIT
#include "worker/zygote.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <ctime>

#include "base/file.h"
#include "base/processes.h"
#include "journal/fork_message.h"
#include "journal/worker_message.h"

namespace graphnet::worker {

namespace {

using journal::ForkDescriptors;
using journal::ForkReply;

constexpr int kOwnDescriptor = 200;  // away from what a worker uses

constexpr int kMaxJoinLooks = 50000;  // some seconds

/// Poll interval while waiting for what another process does in microseconds.
void pause_shortly() {
  constexpr timespec kPause = {0, 20000};
  ::nanosleep(&kPause, nullptr);
}

/// Waits for the next request and moves its descriptors away from the numbers that they are given
/// in the worker; false at the end of the channel.
bool receive(int channel, ForkDescriptors& given) {
  auto received = journal::receive_fork_request(channel);
  if (!received.is_ok()) return false;
  given.control.reset(::fcntl(received->control.get(), F_DUPFD_CLOEXEC, kOwnDescriptor));
  given.output.reset(::fcntl(received->output.get(), F_DUPFD_CLOEXEC, kOwnDescriptor));
  return given.control.is_open() && given.output.is_open();
}

/// In a new worker: descriptors as a fresh process would have them.
void take_descriptors(ForkDescriptors& given) {
  ::dup2(given.output.get(), STDOUT_FILENO);
  ::dup2(given.output.get(), STDERR_FILENO);
  ::dup2(given.control.get(), journal::kWorkerControlFd);
  given.control.reset();
  given.output.reset();
}

/// What a worker that is being made tells its zygote.
struct Birth {
  std::atomic<std::int32_t> pid;  ///< or -errno
  std::atomic<bool> has_joined;
};

/// In a new worker: from now on it ends with the supervisor, also while it is stopped. False if the
/// supervisor is gone already.
bool join(pid_t supervisor, pid_t between) {
  while (::getppid() == between) pause_shortly();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return ::getppid() == supervisor;
}

/// The process between zygote and worker: its end gives the worker to the supervisor. True in the
/// worker.
bool fork_between(pid_t supervisor, Birth& birth) {
  const pid_t own = ::getpid();
  const pid_t worker = ::fork();
  if (worker == 0) {
    if (!join(supervisor, own)) ::_exit(journal::kExitChannelLost);
    birth.has_joined = true;
    return true;
  }
  if (worker > 0) ::setpgid(worker, worker);
  birth.pid = worker > 0 ? worker : -errno;
  ::_exit(0);
}

/// Waits until the new worker ends with the supervisor by itself. A worker that was stopped before
/// it got there would stay for ever, so this process stays until then and kills it.
bool await_join(pid_t supervisor, pid_t worker, const Birth& birth) {
  for (int look = 0; look < kMaxJoinLooks && !birth.has_joined; ++look) {
    if (::getppid() != supervisor) break;
    pause_shortly();
  }
  if (!birth.has_joined) ::kill(worker, SIGKILL);
  return birth.has_joined;
}

/// Ends this process when the supervisor ends, or at once if it has ended.
void end_with(pid_t supervisor) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != supervisor) ::_exit(journal::kExitChannelLost);
}

/// Forks twice; when this returns, the supervisor has adopted the worker, which ends with it. True
/// in the worker.
bool fork_orphan(pid_t supervisor, Birth& birth, ForkReply& reply) {
  birth.pid = 0;
  birth.has_joined = false;
  ::prctl(PR_SET_PDEATHSIG, 0);  // await_join() has to outlive the supervisor
  const pid_t between = ::fork();
  if (between == 0) return fork_between(supervisor, birth);
  if (between < 0) {
    reply.error = errno;
    end_with(supervisor);
    return false;
  }
  while (::waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
  }
  const std::int32_t pid = birth.pid;
  reply.error = pid < 0 ? -pid : 0;
  if (pid > 0) {
    const bool has_joined = await_join(supervisor, pid, birth);
    reply.pid = has_joined ? pid : 0;
    reply.error = has_joined ? 0 : ETIMEDOUT;
  }
  end_with(supervisor);
  return false;
}

}  // namespace

bool serve_forks(pid_t supervisor) {
  const base::UniqueFd channel(::fcntl(journal::kWorkerControlFd, F_DUPFD_CLOEXEC, kOwnDescriptor));
  ::close(journal::kWorkerControlFd);
  void* shared =
      ::mmap(nullptr, sizeof(Birth), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!channel.is_open() || shared == MAP_FAILED) return false;
  while (true) {
    ForkDescriptors given;
    if (!receive(channel.get(), given)) return false;
    ForkReply reply;
    reply.num_threads = base::num_threads();
    std::fflush(nullptr);
    if (reply.num_threads == 1 && fork_orphan(supervisor, *static_cast<Birth*>(shared), reply)) {
      take_descriptors(given);
      return true;
    }
    if (::send(channel.get(), &reply, sizeof(reply), MSG_NOSIGNAL) < 0) return false;
  }
}

}  // namespace graphnet::worker
