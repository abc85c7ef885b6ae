// SPDX-License-Identifier: MIT
#include "worker/zygote.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/file.h"
#include "journal/fork_message.h"
#include "journal/worker_message.h"

namespace graphnet::worker {

namespace {

using journal::ForkReply;
using journal::ForkRequest;

constexpr int kOwnDescriptor = 200;  // away from what a worker uses

std::int32_t num_threads() {
  DIR* tasks = ::opendir("/proc/self/task");
  if (tasks == nullptr) return 0;
  std::int32_t count = 0;
  while (const dirent* entry = ::readdir(tasks)) count += entry->d_name[0] != '.' ? 1 : 0;
  ::closedir(tasks);
  return count;
}

struct Request {
  base::UniqueFd control;
  base::UniqueFd output;
};

/// Waits for the next request; false at the end of the channel.
bool receive(int channel, Request& request) {
  ForkRequest packet;
  iovec bytes = {&packet, sizeof(packet)};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> space = {};
  msghdr message = {};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  ssize_t got = 0;
  do {
    got = ::recvmsg(channel, &message, 0);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (got != sizeof(packet) || header == nullptr || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(2 * sizeof(int))) {
    return false;
  }
  std::array<int, 2> descriptors = {};
  std::memcpy(descriptors.data(), CMSG_DATA(header), sizeof(descriptors));
  // Away from the numbers that they are given in the worker.
  for (int i = 0; i < 2; ++i) {
    const base::UniqueFd low(descriptors[static_cast<std::size_t>(i)]);
    auto& high = i == 0 ? request.control : request.output;
    high.reset(::fcntl(low.get(), F_DUPFD_CLOEXEC, kOwnDescriptor));
  }
  return request.control.is_open() && request.output.is_open();
}

/// In a new worker: descriptors as a fresh process would have them.
void take_descriptors(Request& request) {
  ::dup2(request.output.get(), STDOUT_FILENO);
  ::dup2(request.output.get(), STDERR_FILENO);
  ::dup2(request.control.get(), journal::kWorkerControlFd);
  request.control.reset();
  request.output.reset();
}

/// Forks twice and waits for the process between, so that the worker has been adopted by the
/// supervisor when this returns. True in the worker.
bool fork_orphan(volatile std::int32_t* shared_pid, ForkReply& reply) {
  *shared_pid = 0;
  const pid_t between = ::fork();
  if (between == 0) {
    const pid_t worker = ::fork();
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

bool serve_forks() {
  const base::UniqueFd channel(::fcntl(journal::kWorkerControlFd, F_DUPFD_CLOEXEC, kOwnDescriptor));
  ::close(journal::kWorkerControlFd);
  void* shared = ::mmap(nullptr, sizeof(std::int32_t), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!channel.is_open() || shared == MAP_FAILED) return false;
  while (true) {
    Request request;
    if (!receive(channel.get(), request)) return false;
    ForkReply reply;
    reply.num_threads = num_threads();
    std::fflush(nullptr);
    if (reply.num_threads == 1 && fork_orphan(static_cast<std::int32_t*>(shared), reply)) {
      take_descriptors(request);
      return true;
    }
    if (::send(channel.get(), &reply, sizeof(reply), MSG_NOSIGNAL) < 0) return false;
  }
}

}  // namespace graphnet::worker
