// SPDX-License-Identifier: MIT
#include "supervise/interrupt.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace graphnet::supervise {

namespace {

/// A person may wait for what is running; who sends the others (a batch system, a terminal that is
/// closed) soon kills.
Wish after(Wish wish, int signal) {
  if (wish >= Wish::kStop) return Wish::kKill;
  return signal == SIGINT && wish == Wish::kNone ? Wish::kFinish : Wish::kStop;
}

}  // namespace

using base::Code;
using base::Result;
using base::Status;

Result<Interrupt> Interrupt::create() {
  sigset_t watched;
  ::sigemptyset(&watched);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    ::sigaction(number, nullptr, &action);
    // A blocked signal is delivered to a signalfd even if it is ignored, so it is left out here.
    if (action.sa_handler != SIG_IGN) ::sigaddset(&watched, number);
  }
  sigset_t previous;
  ::pthread_sigmask(SIG_BLOCK, &watched, &previous);
  base::UniqueFd fd(::signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd.is_open()) {
    const int error = errno;
    ::pthread_sigmask(SIG_SETMASK, &previous, nullptr);
    return Status(Code::kEnvironment,
                  std::string("cannot watch for signals: ") + std::strerror(error));
  }
  return Interrupt(std::move(fd), previous);
}

Interrupt::Interrupt(Interrupt&& other) noexcept
    : fd_(std::move(other.fd_)),
      previous_(other.previous_),
      signal_(other.signal_),
      wish_(other.wish_) {}

Interrupt::~Interrupt() {
  if (!fd_.is_open()) return;
  read();  // what is still pending must not end the program when the mask is lifted
  ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

void Interrupt::read() {
  signalfd_siginfo arrived = {};
  while (::read(fd_.get(), &arrived, sizeof(arrived)) == static_cast<ssize_t>(sizeof(arrived))) {
    const int signal = static_cast<int>(arrived.ssi_signo);
    if (signal_ == 0) signal_ = signal;
    wish_ = after(wish_, signal);
  }
}

}  // namespace graphnet::supervise
