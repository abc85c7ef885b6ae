// SPDX-License-Identifier: MIT
#include "plugin/cancellation.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace graphnet::plugin {

namespace {

// A signal handler gets no argument of ours.
std::atomic<bool> is_asked{false};
std::atomic<bool> is_cancelled{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_terminate(int) {
  is_cancelled = true;
  if (!is_asked) Cancellation::end_process();
}

}  // namespace

Cancellation::Cancellation() {
  is_asked = false;
  is_cancelled = false;
  struct sigaction action = {};
  action.sa_handler = on_terminate;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGTERM, &action, &previous_);
}

Cancellation::~Cancellation() {
  ::sigaction(SIGTERM, &previous_, nullptr);
}

bool Cancellation::ask() {
  is_asked = true;
  return is_cancelled;
}

bool Cancellation::is_requested() const {
  return is_cancelled;
}

void Cancellation::end_process() {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  ::sigaction(SIGTERM, &action, nullptr);
  sigset_t terminate;
  ::sigemptyset(&terminate);
  ::sigaddset(&terminate, SIGTERM);
  ::pthread_sigmask(SIG_UNBLOCK, &terminate, nullptr);
  ::raise(SIGTERM);
  ::_exit(128 + SIGTERM);
}

}  // namespace graphnet::plugin
