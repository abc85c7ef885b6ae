// SPDX-License-Identifier: MIT
#include "base/system_random.h"

#include <sys/random.h>

#include <random>

namespace graphnet::base {

SystemRandom::result_type SystemRandom::operator()() {
  result_type bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) == static_cast<ssize_t>(sizeof bits)) return bits;
  // Where a sandbox refuses the call.
  std::random_device device;
  return std::uint64_t{device()} << 32U | device();
}

}  // namespace graphnet::base
