// SPDX-License-Identifier: MIT
#include "proof/cupti_buffers.h"

#include <algorithm>
#include <cstdlib>

namespace graphnet::proof {

namespace {

constexpr std::size_t kAlignment = 8;

}  // namespace

void BufferPool::Free::operator()(std::uint8_t* buffer) const {
  std::free(buffer);
}

BufferPool::BufferPool(std::size_t buffer_bytes, std::size_t max_buffers)
    : buffer_bytes_(buffer_bytes), max_buffers_(max_buffers) {}

std::uint8_t* BufferPool::request() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!free_.empty()) {
    std::uint8_t* const buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  if (all_.size() < max_buffers_) {
    auto* const made = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, buffer_bytes_));
    if (made != nullptr) all_.emplace_back(made);
    return made;
  }
  if (full_.empty()) return nullptr;
  const FullBuffer oldest = full_.front();
  full_.pop_front();
  lost_bytes_ += oldest.num_valid;
  return oldest.bytes;
}

void BufferPool::complete(std::uint8_t* buffer, std::size_t num_valid) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool is_own =
      std::any_of(all_.begin(), all_.end(), [&](const auto& own) { return own.get() == buffer; });
  if (!is_own) {
    lost_bytes_ += num_valid;
  } else if (num_valid == 0) {
    free_.push_back(buffer);
  } else {
    full_.push_back({buffer, num_valid});
  }
}

std::vector<FullBuffer> BufferPool::take_full() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<FullBuffer> taken(full_.begin(), full_.end());
  full_.clear();
  return taken;
}

void BufferPool::release(std::uint8_t* buffer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  free_.push_back(buffer);
}

std::size_t BufferPool::num_buffers() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return all_.size();
}

std::size_t BufferPool::lost_bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return lost_bytes_;
}

}  // namespace graphnet::proof
