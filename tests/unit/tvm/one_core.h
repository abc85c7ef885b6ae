// SPDX-License-Identifier: MIT
#pragma once

#include <sched.h>

namespace graphnet::tvm {

/// Lets this thread use one core; the others are given back at the end.
class OneCore {
 public:
  OneCore() {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core) {
      if (CPU_ISSET(core, &before_)) CPU_SET(core, &one);
    }
    ::sched_setaffinity(0, sizeof one, &one);
  }
  ~OneCore() { ::sched_setaffinity(0, sizeof before_, &before_); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

  int usable_before() const { return CPU_COUNT(&before_); }

 private:
  cpu_set_t before_ = {};
};

}  // namespace graphnet::tvm
