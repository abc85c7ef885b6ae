// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdlib>
#include <utility>

namespace graphnet::base {

/// Uninitialised memory for one tensor, aligned to 256 bytes as the plugin ABI promises.
///
/// errors   allocate() leaves data() null when memory is exhausted
class AlignedBuffer {
 public:
  static constexpr std::size_t kAlignment = 256;

  AlignedBuffer() = default;
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        num_bytes_(std::exchange(other.num_bytes_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(num_bytes_, other.num_bytes_);
    return *this;
  }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;
  ~AlignedBuffer() { std::free(data_); }

  static AlignedBuffer allocate(std::size_t num_bytes) {
    AlignedBuffer buffer;
    // One byte at least: an empty tensor still has an address to tell it from "no memory".
    const std::size_t rounded = (num_bytes / kAlignment + 1) * kAlignment;
    buffer.data_ = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
    buffer.num_bytes_ = buffer.data_ ? num_bytes : 0;
    return buffer;
  }

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t num_bytes() const { return num_bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t num_bytes_ = 0;
};

}  // namespace graphnet::base
