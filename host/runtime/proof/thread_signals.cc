// SPDX-License-Identifier: MIT
#include "proof/thread_signals.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include "base/kernel_file.h"

namespace graphnet::proof {

namespace {

// A busy machine may take a scheduler's turn or two to let a new thread begin.
constexpr int kMostLooks = 100;
constexpr std::chrono::milliseconds kBetweenLooks(2);

std::string field_of(std::string_view text, std::string_view key) {
  const std::string wanted = std::string(key) + ":\t";
  std::size_t at = text.rfind(wanted, 0) == 0 ? 0 : text.find("\n" + wanted);
  if (at == std::string_view::npos) return "";
  at += wanted.size() + (text[at] == '\n' ? 1 : 0);
  return std::string(text.substr(at, text.find('\n', at) - at));
}

ThreadState read_thread(const std::filesystem::path& folder) {
  return parse_thread_status(base::read_kernel_file(folder / "status"));
}

}  // namespace

ThreadState parse_thread_status(std::string_view text) {
  ThreadState thread;
  thread.id = std::atoi(field_of(text, "Pid").c_str());
  thread.name = field_of(text, "Name");
  thread.state = field_of(text, "State").append(1, '\0').front();
  thread.blocked = std::strtoull(field_of(text, "SigBlk").c_str(), nullptr, 16);
  return thread;
}

std::vector<ThreadState> read_threads() {
  std::vector<ThreadState> threads;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", gone)) {
    ThreadState thread = read_thread(entry.path());
    if (thread.id != 0) threads.push_back(std::move(thread));
  }
  return threads;
}

bool blocks(const ThreadState& thread, int signal) {
  return (thread.blocked >> static_cast<unsigned>(signal - 1) & 1U) != 0;
}

std::vector<ThreadState> threads_that_block(int signal) {
  std::vector<ThreadState> threads = read_threads();
  for (int i = 0;; ++i) {
    const auto open = [&](const ThreadState& thread) { return !blocks(thread, signal); };
    threads.erase(std::remove_if(threads.begin(), threads.end(), open), threads.end());
    if (i == kMostLooks || std::all_of(threads.begin(), threads.end(), is_drivers)) return threads;
    std::this_thread::sleep_for(kBetweenLooks);
    // One that is gone blocks nothing.
    for (ThreadState& thread : threads) thread = read_thread(thread.id);
  }
}

int free_signal() {
  for (int signal = SIGRTMAX; signal > SIGRTMIN; --signal) {
    struct sigaction now = {};
    if (::sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
        now.sa_handler == SIG_DFL) {
      return signal;
    }
  }
  return 0;
}

void drop_signal(int signal) {
  struct sigaction action = {};
  for (auto* const handler : {SIG_IGN, SIG_DFL}) {
    action.sa_handler = handler;
    ::sigaction(signal, &action, nullptr);
  }
}

std::uintptr_t handler_of(int signal) {
  // As the kernel lays it out, which is not how libc does.
  struct KernelAction {
    std::uintptr_t handler = 0;
    unsigned long flags = 0;
    void* restorer = nullptr;
    std::uint64_t mask = 0;
  } action;
  ::syscall(SYS_rt_sigaction, signal, nullptr, &action, sizeof(action.mask));
  return action.handler;
}

bool is_drivers(const ThreadState& thread) {
  return thread.name.rfind("cuda", 0) == 0;
}

ThreadState read_thread(int id) {
  return read_thread(std::filesystem::path("/proc/self/task/" + std::to_string(id)));
}

std::string describe_thread(int id) {
  const ThreadState thread = read_thread(id);
  return thread.id == 0 ? "thread " + std::to_string(id) : describe_thread(thread);
}

std::string describe_thread(const ThreadState& thread) {
  return "thread '" + thread.name + "' (" + std::to_string(thread.id) + ")";
}

}  // namespace graphnet::proof
