// SPDX-License-Identifier: MIT
#include "measure/idle_wait.h"

#include <dirent.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "base/kernel_file.h"
#include "base/processes.h"
#include "measure/clock.h"
#include "measure/disturbance.h"

namespace graphnet::measure {

namespace {

void sleep_ns(std::int64_t duration_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec duration = {duration_ns / kSecond, duration_ns % kSecond};
  ::nanosleep(&duration, nullptr);
}

}  // namespace

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
    const std::string stat = base::read_kernel_file("/proc/self/task/" + name + "/stat");
    if (base::process_state_in(stat) == 'R') return true;
  }
  return false;
}

bool wait_until_idle(std::int64_t at_most_ns) {
  constexpr std::int64_t kPause = 50'000;
  const std::int64_t end_ns = monotonic_raw_ns() + at_most_ns;
  while (other_threads_run()) {
    if (monotonic_raw_ns() >= end_ns) return false;
    sleep_ns(kPause);
  }
  return true;
}

void wait_until_quiet(std::int64_t at_most_ns) {
  constexpr std::int64_t kPause = 10'000'000;
  const std::int64_t end_ns = monotonic_raw_ns() + at_most_ns;
  for (int quiet = 0; quiet < 3 && monotonic_raw_ns() < end_ns;) {
    sleep_ns(kPause);
    const bool alone = running_in(base::read_kernel_file("/proc/stat")).value_or(1) <= 1;
    quiet = alone ? quiet + 1 : 0;
  }
}

}  // namespace graphnet::measure
