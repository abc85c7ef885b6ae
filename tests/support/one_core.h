// SPDX-License-Identifier: MIT
#pragma once

#include <sched.h>

namespace graphnet::tests {

/// Lets this thread, and what it starts, use the core where it is; the others are given back at the
/// end.
class OneCore {
 public:
  OneCore() : core_(::sched_getcpu()) {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core_, &one);
    ::sched_setaffinity(0, sizeof one, &one);
  }
  ~OneCore() { ::sched_setaffinity(0, sizeof before_, &before_); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

  int core() const { return core_; }
  int usable_before() const { return CPU_COUNT(&before_); }

 private:
  int core_;
  cpu_set_t before_ = {};
};

}  // namespace graphnet::tests
