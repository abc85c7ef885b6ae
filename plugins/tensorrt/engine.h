// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tensorrt/library.h"
#include "tensorrt/library_network.h"

namespace graphnet::tensorrt {

/// How an engine is built. Precision is the network's own; nothing here changes it but tf32.
struct BuildSettings {
  bool is_refittable = false;
  bool allows_tf32 = false;
  bool strict_nans = true;
  bool checks_refit = true;  ///< see refit_check.h; keeps the graph of a refittable engine
  std::int32_t level = 3;    ///< 0 to 5
  std::int32_t max_aux_streams = 0;
  std::uint64_t workspace_bytes = 0;  ///< 0: all that the device has
  std::int32_t num_threads = 1;
  std::int32_t compute_capability = 0;  ///< of RTX, such as 86; 0: that of this machine's device
  std::string timing_cache;             ///< of an earlier build; empty: none
  std::function<bool()> cancelled;      ///< asked between the builder's steps, by any thread
};

/// Those that change what is built, as "key=value" words.
std::string text_of(const BuildSettings& settings);

/// A serialized engine.
struct Plan {
  std::string bytes;
  std::string timing_cache;
};

/// Builds a network for the machine's device. A RTX library needs none if a capability is given.
///
/// errors   COMPILE_FAILED with the library's words; OUT_OF_MEMORY
Plan build_plan(const Library& library, void* builder, const LibraryNetwork& network,
                const BuildSettings& settings);

}  // namespace graphnet::tensorrt
