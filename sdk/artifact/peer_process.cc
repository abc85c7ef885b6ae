// SPDX-License-Identifier: MIT
#include "artifact/peer_process.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "graphnet/failure.h"

namespace graphnet::artifact {

namespace {

using Clock = std::chrono::steady_clock;

// How long a program that has closed its output may take to end, so that it can be said how.
constexpr std::chrono::milliseconds kToEnd(500);
constexpr std::chrono::milliseconds kPeerPollInterval(5);
// Whether it is cancelled.
constexpr std::chrono::milliseconds kBetweenQuestions(100);

// One socket for both directions: a write to a program that has ended must raise no signal here.
std::array<int, 2> make_sockets() {
  std::array<int, 2> both = {};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both.data()) == 0) return both;
  throw Failure(GN_STATUS_UNAVAILABLE,
                std::string("cannot make a socket: ") + std::strerror(errno));
}

}  // namespace

PeerProcess::PeerProcess(const std::vector<std::string>& argv,
                         const std::vector<std::string>& environment, const std::string& messages)
    : name_(argv[0]) {
  const std::array<int, 2> both = make_sockets();
  ours_ = both[0];
  const Descriptor theirs(both[1]);
  const Descriptor log = open_messages(messages);
  pid_ = spawn(argv, environment, theirs.get(), theirs.get(), log.get());
}

PeerProcess::~PeerProcess() {
  if (pid_ == 0) return;
  ::kill(-pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void PeerProcess::explain(const char* verb) {
  std::string end = "closed its output";
  const auto last = Clock::now() + kToEnd;
  int state = 0;
  pid_t ended = 0;
  while (pid_ != 0 && (ended = ::waitpid(pid_, &state, WNOHANG)) == 0 && Clock::now() < last) {
    std::this_thread::sleep_for(kPeerPollInterval);
  }
  if (ended == pid_ && pid_ != 0) {
    ::kill(-pid_, SIGKILL);  // what it had started would go on
    pid_ = 0;
    end = WIFSIGNALED(state) ? "was killed by signal " + std::to_string(WTERMSIG(state))
                             : "ended with exit code " + std::to_string(WEXITSTATUS(state));
  } else if (pid_ == 0) {
    end = "has ended";
  }
  throw Failure(GN_STATUS_RUNTIME_FAILED, "'" + name_ + "' " + end + " before it " + verb);
}

void PeerProcess::wait_until_ready(short events, const Patience& patience, const char* verb) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(patience.deadline - Clock::now());
    const auto slice = std::clamp(left, std::chrono::milliseconds(0), kBetweenQuestions);
    pollfd waited = {ours_.get(), events, 0};
    const int ready = ::poll(&waited, 1, static_cast<int>(slice.count()));
    if (ready > 0) return;
    if (patience.cancelled && patience.cancelled()) {
      throw Failure(GN_STATUS_RUNTIME_FAILED, "'" + name_ + "' was cancelled; it had not " + verb);
    }
    if (Clock::now() < patience.deadline) continue;
    throw Failure(GN_STATUS_RUNTIME_FAILED,
                  "'" + name_ + "' did not answer in time; it had not " + verb);
  }
}

void PeerProcess::write(const void* data, std::size_t size, const Patience& patience) {
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    wait_until_ready(POLLOUT, patience, "taken the request");
    const ssize_t done = ::send(ours_.get(), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (done <= 0) explain("took the request");
    bytes += done;
    size -= static_cast<std::size_t>(done);
  }
}

void PeerProcess::read(void* data, std::size_t size, const Patience& patience) {
  auto* bytes = static_cast<char*>(data);
  while (size > 0) {
    wait_until_ready(POLLIN, patience, "answered");
    const ssize_t done = ::recv(ours_.get(), bytes, size, MSG_DONTWAIT);
    if (done < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (done <= 0) explain("answered");
    bytes += done;
    size -= static_cast<std::size_t>(done);
  }
}

}  // namespace graphnet::artifact
