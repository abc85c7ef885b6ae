// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace graphnet::base {

/// Uninitialised memory for one tensor, aligned to 256 bytes as the plugin ABI promises, between
/// two guards: 256 bytes of a known pattern before the data and at least as many behind. A plugin
/// that writes a little too far hits a guard and not its neighbour, and damage() shows it.
///
/// errors   allocate() leaves data() null when memory is exhausted
class AlignedBuffer {
 public:
  static constexpr std::size_t kAlignment = 256;
  static constexpr std::size_t kGuardBytes = 256;
  /// No byte of 0, of 0xFF or of a common float: what programs write by mistake differs from it.
  static constexpr std::byte kGuardByte{0x6B};

  /// Which guard was written to.
  enum class Damage { kNone, kBefore, kBehind };

  AlignedBuffer() = default;
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        num_bytes_(std::exchange(other.num_bytes_, 0)),
        end_bytes_(std::exchange(other.end_bytes_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(num_bytes_, other.num_bytes_);
    std::swap(end_bytes_, other.end_bytes_);
    return *this;
  }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;
  ~AlignedBuffer() {
    if (data_ != nullptr) std::free(data_ - kGuardBytes);
  }

  /// An empty tensor has an address too, to tell it from "no memory".
  static AlignedBuffer allocate(std::size_t num_bytes) {
    AlignedBuffer buffer;
    if (num_bytes > static_cast<std::size_t>(-1) / 2) return buffer;
    const std::size_t rounded = (num_bytes + kAlignment - 1) / kAlignment * kAlignment;
    auto* memory = static_cast<std::byte*>(
        std::aligned_alloc(kAlignment, kGuardBytes + rounded + kGuardBytes));
    if (memory == nullptr) return buffer;
    buffer.data_ = memory + kGuardBytes;
    buffer.num_bytes_ = num_bytes;
    buffer.end_bytes_ = rounded + kGuardBytes;
    std::fill(memory, buffer.data_, kGuardByte);
    std::fill(buffer.data_ + num_bytes, buffer.data_ + buffer.end_bytes_, kGuardByte);
    return buffer;
  }

  /// Looks at both guards; a few hundred bytes, whatever the size of the data.
  Damage damage() const {
    if (data_ == nullptr) return Damage::kNone;
    const auto is_whole = [](const std::byte* begin, const std::byte* end) {
      return std::all_of(begin, end, [](std::byte byte) { return byte == kGuardByte; });
    };
    if (!is_whole(data_ - kGuardBytes, data_)) return Damage::kBefore;
    return is_whole(data_ + num_bytes_, data_ + end_bytes_) ? Damage::kNone : Damage::kBehind;
  }

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t num_bytes() const { return num_bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t num_bytes_ = 0;
  std::size_t end_bytes_ = 0;  // from data_ to the end of the guard behind
};

}  // namespace graphnet::base
