// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace graphnet::measure {

/// Size of a cache as the kernel writes it: "32768K", "1M", "512"; 0 if it is no size.
///
/// units    bytes
std::int64_t cache_bytes_in(std::string_view text);

/// Size of the largest cache that the first core sees; 32 MiB if the system does not tell.
///
/// units    bytes
/// source   /sys/devices/system/cpu/cpu0/cache/index*/size
std::int64_t last_level_cache_bytes();

/// Pushes everything else out of this core's caches, for cache mode `cold`.
///
/// It writes every line of a buffer of twice the last-level cache: what was there has to go, the
/// arguments included. The lines left behind are modified ones, so a timed call also pays for
/// writing some of them to memory; both sides do. Takes some 10 ms, outside every clock.
///
/// source   the size: nvbench and triton.testing do the same for the L2 cache of a GPU
class CacheFlush {
 public:
  /// units    bytes; 0: twice the last-level cache
  explicit CacheFlush(std::int64_t num_bytes);
  void operator()();
  std::size_t num_bytes() const { return buffer_.size(); }

 private:
  std::vector<unsigned char> buffer_;
};

}  // namespace graphnet::measure
