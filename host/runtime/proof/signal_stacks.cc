// SPDX-License-Identifier: MIT
#include "proof/signal_stacks.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "proof/answer_count.h"
#include "proof/thread_signals.h"

namespace graphnet::proof {

namespace {

// A frame with AVX-512 and AMX registers takes 11 KiB, and handlers nest.
constexpr std::size_t kStackBytes = std::size_t{64} << 10U;
constexpr int kMostWaits = 1000;
constexpr timespec kWait = {0, 1'000'000};

AnswerCount num_taken;

void on_give(int, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  stack_t& stack = static_cast<ucontext_t*>(context)->uc_stack;
  // Some runtimes give their threads 8 KiB. Size 0: the kernel saves no SS_DISABLE where there
  // never was one.
  if (stack.ss_size < kStackBytes && (stack.ss_flags & SS_ONSTACK) == 0) {
    void* const memory =
        ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) stack = {memory, 0, kStackBytes};
  }
  num_taken.answer(info->si_value.sival_int);
  errno = saved_errno;
}

/// Sends a signal with a number to a thread of this process.
bool send(int signal, int thread, int number) {
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_int = number;
  return ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), thread, signal, &info) == 0;
}

}  // namespace

void give_signal_stacks(int signal) {
  struct sigaction action = {};
  action.sa_sigaction = &on_give;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
  const int round = num_taken.begin();
  int num_sent = 0;
  threads_that_block(signal);  // waits for those that begin
  for (const ThreadState& thread : read_threads()) {
    if (blocks(thread, signal)) continue;
    num_sent += send(signal, thread.id, round) ? 1 : 0;
  }
  for (int i = 0; i < kMostWaits && num_taken.count() < num_sent; ++i) ::nanosleep(&kWait, nullptr);
  drop_signal(signal);
}

}  // namespace graphnet::proof
