// SPDX-License-Identifier: MIT
#include "measure/perf_event.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/processes.h"
#include "base/threads.h"

namespace graphnet::measure {

base::UniqueFd open_inherited_event(perf_event_attr attributes, std::uint64_t config, pid_t thread,
                                    int core) {
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = config;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return base::UniqueFd(static_cast<int>(::syscall(SYS_perf_event_open, &attributes, thread, core,
                                                   /*group=*/-1, PERF_FLAG_FD_CLOEXEC)));
}

bool open_events(const std::function<void(pid_t)>& open) {
  if (!base::is_single_threaded()) return false;
  const auto caller = static_cast<pid_t>(::syscall(SYS_gettid));
  auto thread = base::start_thread([&] { open(caller); });
  if (thread) thread->join();
  return thread.has_value();
}

}  // namespace graphnet::measure
