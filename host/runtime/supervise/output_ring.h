// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graphnet::supervise {

/// The last bytes of a stream that may be endless, in bounded memory.
class OutputRing {
 public:
  explicit OutputRing(std::size_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  void append(std::string_view bytes);
  /// The last capacity_bytes of everything appended.
  std::string_view bytes() const;

 private:
  std::size_t capacity_bytes_;
  std::string kept_;  // up to twice the capacity, so that the front is cut off rarely
};

/// The end of captured output as text for a record: whole lines, at most `max_bytes`, terminal
/// escape sequences and control characters other than line feed and tab removed.
std::string tail_text(std::string_view output, std::size_t max_bytes);

}  // namespace graphnet::supervise
