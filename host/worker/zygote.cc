// SPDX-License-Identifier: MIT
#include "worker/zygote.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>

#include "base/file.h"
#include "journal/fork_message.h"
#include "journal/worker_message.h"

namespace graphnet::worker {

namespace {

using journal::ForkDescriptors;
using journal::ForkReply;

constexpr int kOwnDescriptor = 200;  // away from what a worker uses

constexpr long kAdoptionPollNs = 20000;  // the process between ends at once

std::int32_t num_threads() {
  DIR* tasks = ::opendir("/proc/self/task");
  if (tasks == nullptr) return 0;
  std::int32_t count = 0;
  while (const dirent* entry = ::readdir(tasks)) count += entry->d_name[0] != '.' ? 1 : 0;
  ::closedir(tasks);
  return count;
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

/// In a new worker: from now on it ends with the supervisor, also while it is stopped. False if the
/// supervisor is gone already.
bool join(pid_t supervisor, pid_t between) {
  const timespec pause = {0, kAdoptionPollNs};
  while (::getppid() == between) ::nanosleep(&pause, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return ::getppid() == supervisor;
}

/// Forks twice and waits for the process between, so that the worker has been adopted by the
/// supervisor when this returns. True in the worker.
bool fork_orphan(pid_t supervisor, volatile std::int32_t* shared_pid, ForkReply& reply) {
  *shared_pid = 0;
  const pid_t between = ::fork();
  if (between == 0) {
    const pid_t own = ::getpid();
    const pid_t worker = ::fork();
    if (worker == 0 && !join(supervisor, own)) ::_exit(journal::kExitChannelLost);
    if (worker == 0) return true;
    if (worker > 0) ::setpgid(worker, worker);
    *shared_pid = worker > 0 ? worker : -errno;
    ::_exit(0);
  }
  if (between < 0) {
    reply.error = errno;
    return false;
  }
  while (::waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
  }
  const std::int32_t pid = *shared_pid;
  reply.pid = pid > 0 ? pid : 0;
  reply.error = pid < 0 ? -pid : 0;
  return false;
}

}  // namespace

bool serve_forks(pid_t supervisor) {
  const base::UniqueFd channel(::fcntl(journal::kWorkerControlFd, F_DUPFD_CLOEXEC, kOwnDescriptor));
  ::close(journal::kWorkerControlFd);
  void* shared = ::mmap(nullptr, sizeof(std::int32_t), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!channel.is_open() || shared == MAP_FAILED) return false;
  while (true) {
    ForkDescriptors given;
    if (!receive(channel.get(), given)) return false;
    ForkReply reply;
    reply.num_threads = num_threads();
    std::fflush(nullptr);
    if (reply.num_threads == 1 &&
        fork_orphan(supervisor, static_cast<std::int32_t*>(shared), reply)) {
      take_descriptors(given);
      return true;
    }
    if (::send(channel.get(), &reply, sizeof(reply), MSG_NOSIGNAL) < 0) return false;
  }
}

}  // namespace graphnet::worker
