// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace graphnet::lowering {

/// Memory of our own, aligned so that compiled code reads it in place.
class AlignedCopy {
 public:
  explicit AlignedCopy(std::size_t num_bytes)
      : data_(static_cast<std::byte*>(std::aligned_alloc(64, (num_bytes + 63) / 64 * 64))) {
    if (data_ == nullptr) throw std::bad_alloc();
  }
  std::byte* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  std::unique_ptr<std::byte, Free> data_;
};

}  // namespace graphnet::lowering
