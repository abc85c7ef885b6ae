// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "graphnet/abi.h"

namespace graphnet::inductor {

struct Options {
  std::string python;         ///< program; empty: python3.11, then python3
  bool freezing = true;       ///< fold and pack weights that are known
  bool max_autotune = false;  ///< time templates for products while compiling
  int threads = 1;
};

/// errors   Failure INVALID_ARGUMENT: an option that the manifest does not have
Options read_options(const gn_option* options, std::uint64_t num_options, int threads);

}  // namespace graphnet::inductor
