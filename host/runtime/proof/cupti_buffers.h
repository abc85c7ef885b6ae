// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace graphnet::proof {

/// A buffer that CUPTI has filled.
struct FullBuffer {
  std::uint8_t* bytes = nullptr;
  std::size_t num_valid = 0;
};

/// Memory for CUPTI's records: a fixed number of buffers at most, so that tracing costs no more
/// than that whatever runs. Callable from every thread, as CUPTI calls it.
class BufferPool {
 public:
  /// units    buffer_bytes: a multiple of 8, to which buffers are aligned
  BufferPool(std::size_t buffer_bytes, std::size_t max_buffers);

  /// A buffer to fill: one that is free, a new one, or, when there are max_buffers, the oldest full
  /// one, whose records are lost and counted. Null if CUPTI itself holds all of them; it counts
  /// what it drops then.
  std::uint8_t* request();
  /// What CUPTI gives back. Records in a buffer of an earlier pool are lost and counted: whose they
  /// are is not known.
  void complete(std::uint8_t* buffer, std::size_t num_valid);
  /// All full buffers, oldest first; give them back by release().
  std::vector<FullBuffer> take_full();
  void release(std::uint8_t* buffer);

  std::size_t buffer_bytes() const { return buffer_bytes_; }
  std::size_t num_buffers() const;
  /// Bytes of records that were lost because full buffers had to be used again, or were not of this
  /// pool.
  std::size_t lost_bytes() const;

 private:
  struct Free {
    void operator()(std::uint8_t* buffer) const;
  };

  const std::size_t buffer_bytes_;
  const std::size_t max_buffers_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<std::uint8_t, Free>> all_;
  std::vector<std::uint8_t*> free_;
  std::deque<FullBuffer> full_;
  std::size_t lost_bytes_ = 0;
};

}  // namespace graphnet::proof
