// SPDX-License-Identifier: MIT
#include "base/threads.h"

#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "base/kernel_file.h"
#include "base/processes.h"

namespace graphnet::base {

bool other_threads_run() {
  struct Close {
    void operator()(DIR* folder) const { ::closedir(folder); }
  };
  const std::unique_ptr<DIR, Close> folder(::opendir("/proc/self/task"));
  if (!folder) return false;
  const std::string self = std::to_string(::syscall(SYS_gettid));
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string name = entry->d_name;
    if (name.front() == '.' || name == self) continue;
    if (process_state_in(read_kernel_file("/proc/self/task/" + name + "/stat")) == 'R') return true;
  }
  return false;
}

clockid_t clock_of_thread(pid_t thread) {
  constexpr clockid_t kSchedOfThread = 6;
  return static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3U) | kSchedOfThread;
}

std::int64_t thread_ran_ns(pid_t thread) {
  timespec ran = {};
  if (::clock_gettime(clock_of_thread(thread), &ran) != 0) return 0;
  return static_cast<std::int64_t>(ran.tv_sec) * 1'000'000'000 + ran.tv_nsec;
}

}  // namespace graphnet::base
