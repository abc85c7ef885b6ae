// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "graphnet/plugin.h"
#include "tensorrt/write_network.h"

namespace graphnet::tensorrt {

/// The plugin's options; plugin.yaml says what each is for.
struct Options {
  std::string library;  ///< file or folder; empty: looked for
  std::int32_t level = 3;
  std::int32_t max_aux_streams = 0;
  std::uint64_t workspace_bytes = 0;
  bool strict_nans = true;
  BoundWeights bound_weights = BoundWeights::kRefitted;
  bool refit_check = true;
  std::string timing_cache;  ///< file; empty: none
};

/// Reads what `create` gets.
///
/// errors   INVALID_ARGUMENT: another name or type than plugin.yaml allows
Options read_options(const gn_option* options, std::uint64_t num_options);

}  // namespace graphnet::tensorrt
