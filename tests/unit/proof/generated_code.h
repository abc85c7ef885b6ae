// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstring>

#include "proof/regions.h"

namespace graphnet::tests {

/// Memory with a function that does nothing at the start of each 64 KiB window.
class GeneratedCode {
 public:
  static constexpr std::size_t kWindow = std::size_t{64} << 10U;

  explicit GeneratedCode(std::size_t num_windows) : num_bytes_((num_windows + 1) * kWindow) {
    base_ = static_cast<unsigned char*>(
        ::mmap(nullptr, num_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    constexpr unsigned char kReturn = 0xC3;
    std::memset(base_, kReturn, num_bytes_);
    ::mprotect(base_, num_bytes_, PROT_READ | PROT_EXEC);
  }
  ~GeneratedCode() { ::munmap(base_, num_bytes_); }
  GeneratedCode(const GeneratedCode&) = delete;
  GeneratedCode& operator=(const GeneratedCode&) = delete;

  std::uintptr_t window(std::size_t index) const {
    const auto base = reinterpret_cast<std::uintptr_t>(base_);
    return (base + kWindow - 1) / kWindow * kWindow + index * kWindow;
  }
  void call(std::size_t index) const { reinterpret_cast<void (*)()>(window(index))(); }

  proof::Region region(proof::RegionKind kind) const {
    const auto base = reinterpret_cast<std::uintptr_t>(base_);
    return {{base, base + num_bytes_, PROT_READ | PROT_EXEC, 0, ""}, kind, "run"};
  }
  unsigned char* data() const { return base_; }
  std::size_t num_bytes() const { return num_bytes_; }

 private:
  std::size_t num_bytes_;
  unsigned char* base_;
};

}  // namespace graphnet::tests
