// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "base/file.h"

namespace graphnet::measure {

/// Which processes this one and all that it starts from now on have started, those included that
/// ended at once: no scan sees them, and the kernel stops counting one that runs a program which
/// its user may not read (family_clock.h).
///
/// source   perf_event_open(2): PERF_RECORD_FORK, with `inherit`, a buffer for each core
class ForkLog {
 public:
  /// order    before this process has other threads
  /// errors   nothing: there are other threads, or the kernel or a sandbox refuses
  static std::optional<ForkLog> open();

  /// Forgets those that have ended.
  void forget();
  /// Those since forget(), and what lived then. On each core 512 starts and ends of threads and
  /// processes are kept between two readings, the first ones.
  const std::vector<pid_t>& read();
  /// Whether there were more.
  bool has_lost() const { return has_lost_; }

 private:
  struct Unmap {
    void operator()(void* pages) const;
  };
  struct Buffer {
    base::UniqueFd event;
    std::unique_ptr<void, Unmap> pages;  ///< a perf_event_mmap_page, and the records
  };
  static std::optional<Buffer> open_buffer(pid_t thread, int core);

  ForkLog() = default;
  std::vector<Buffer> buffers_;
  std::vector<pid_t> started_;
  bool has_lost_ = false;
};

}  // namespace graphnet::measure
