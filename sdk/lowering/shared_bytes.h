// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "lowering/aligned_copy.h"

namespace graphnet::lowering {

/// Elements of a constant. They do not change, and copies of this share them: weights that are
/// known may be large, and every rewrite of a graph hands them on.
class SharedBytes {
 public:
  SharedBytes() = default;
  SharedBytes(const void* data, std::size_t num_bytes) : size_(num_bytes) {
    if (num_bytes == 0) return;
    auto copy = std::make_shared<AlignedCopy>(num_bytes);
    std::memcpy(copy->data(), data, num_bytes);
    bytes_ = std::move(copy);
  }
  explicit SharedBytes(std::string_view bytes) : SharedBytes(bytes.data(), bytes.size()) {}

  /// Aligned as compiled code wants it; null: there are none.
  const std::byte* data() const { return bytes_ == nullptr ? nullptr : bytes_->data(); }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {reinterpret_cast<const char*>(data()), size_}; }

  bool operator==(const SharedBytes& other) const {
    return bytes_ == other.bytes_ ? size_ == other.size_ : view() == other.view();
  }

 private:
  std::shared_ptr<const AlignedCopy> bytes_;
  std::size_t size_ = 0;
};

}  // namespace graphnet::lowering
