// SPDX-License-Identifier: MIT
#include "proof/signal_stacks.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "proof/answer_count.h"
#include "proof/thread_signals.h"

namespace graphnet::proof {

namespace {

constexpr std::size_t kMostThreads = 4096;
constexpr int kMostWaits = 1000;
constexpr timespec kWait = {0, 1'000'000};
constexpr unsigned kPlaceBits = 32;

AnswerCount num_taken;
/// By a thread's place among those that are asked: the last round in which it was ready. What a
/// handler of an earlier round writes late is no answer to this one.
std::atomic<int> ready_in[kMostThreads];

void note_ready(std::size_t place, int round) {
  if (place >= kMostThreads) return;
  int before = ready_in[place];
  while (before < round && !ready_in[place].compare_exchange_weak(before, round)) {
  }
}

void on_give(int, siginfo_t* info, void* context) {
  if (info->si_code != SI_QUEUE) return;  // somebody else's
  const int saved_errno = errno;
  stack_t& stack = static_cast<ucontext_t*>(context)->uc_stack;
  const bool is_on_it = (stack.ss_flags & SS_ONSTACK) != 0;
  // Some runtimes give their threads 8 KiB. Size 0: the kernel saves no SS_DISABLE where there
  // never was one.
  if (stack.ss_size < kSignalStackBytes && !is_on_it) {
    void* const memory = ::mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) stack = {memory, 0, kSignalStackBytes};
  }
  const auto question = reinterpret_cast<std::uintptr_t>(info->si_value.sival_ptr);
  const auto round = static_cast<int>(static_cast<std::uint32_t>(question));
  if (stack.ss_size >= kSignalStackBytes || is_on_it) note_ready(question >> kPlaceBits, round);
  num_taken.answer(round);
  errno = saved_errno;
}

/// Asks a thread of this process.
bool ask(int signal, int thread, int round, std::size_t place) {
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  const std::uintptr_t question = place << kPlaceBits | static_cast<std::uint32_t>(round);
  info.si_value.sival_ptr = reinterpret_cast<void*>(question);
  return ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), thread, signal, &info) == 0;
}

}  // namespace

SignalStacks give_signal_stacks(int signal) {
  struct sigaction action = {};
  action.sa_sigaction = &on_give;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
  const int round = num_taken.begin();
  SignalStacks stacks;
  std::vector<int> asked;
  threads_that_block(signal);  // waits for those that begin
  for (const ThreadState& thread : read_threads()) {
    const bool may_ask = !blocks(thread, signal) && asked.size() < kMostThreads;
    const bool is_asked = may_ask && ask(signal, thread.id, round, asked.size());
    if (may_ask && !is_asked && errno != ESRCH) stacks.error = errno;
    (is_asked ? asked : stacks.left_out).push_back(thread.id);
  }
  const auto num_asked = static_cast<int>(asked.size());
  for (int i = 0; i < kMostWaits && num_taken.count() < num_asked; ++i) {
    ::nanosleep(&kWait, nullptr);
  }
  drop_signal(signal);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    (ready_in[i] == round ? stacks.ready : stacks.left_out).push_back(asked[i]);
  }
  return stacks;
}

}  // namespace graphnet::proof
