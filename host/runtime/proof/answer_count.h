// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>

namespace graphnet::proof {

/// Counts the answers to a round of signals. An answer that comes after its round is over, because
/// its thread did not run for long, does not count in the next one. answer() may be called in a
/// signal handler.
class AnswerCount {
 public:
  /// Begins a round without answers. Returns its number, which answers carry.
  int begin() {
    const std::uint64_t next = (state_.load() >> kCountBits) + 1;
    state_ = next << kCountBits;
    return static_cast<int>(static_cast<std::uint32_t>(next));
  }

  void answer(int round) {
    std::uint64_t now = state_.load();
    while (static_cast<std::uint32_t>(now >> kCountBits) == static_cast<std::uint32_t>(round)) {
      if (state_.compare_exchange_weak(now, now + 1)) return;
    }
  }

  /// Of the round that was begun last.
  int count() const { return static_cast<int>(static_cast<std::uint32_t>(state_.load())); }

 private:
  static constexpr unsigned kCountBits = 32;
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a signal handler counts");

  /// The number of the round above its count, so that one exchange checks and counts.
  std::atomic<std::uint64_t> state_{0};
};

}  // namespace graphnet::proof
