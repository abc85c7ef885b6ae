// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

namespace graphnet::base {

/// The kernel's random numbers, each asked for when it is needed. No state of it lies in this
/// process, where other code could read the numbers to come.
///
/// For std::uniform_int_distribution and the like.
///
/// units    about 0.3 us a number
/// source   getrandom(2)
class SystemRandom {
 public:
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()();
};

}  // namespace graphnet::base
