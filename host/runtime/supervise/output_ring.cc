// SPDX-License-Identifier: MIT
#include "supervise/output_ring.h"

namespace graphnet::supervise {

namespace {

constexpr char kEscape = '\x1B';

/// Index behind the escape sequence that starts at `begin`.
///
/// source   ECMA-48 5.4: ESC [ parameters 0x30-0x3F, intermediates 0x20-0x2F, final 0x40-0x7E
std::size_t skip_escape(std::string_view text, std::size_t begin) {
  std::size_t i = begin + 1;
  if (i >= text.size() || text[i] != '[') return i + 1;
  ++i;
  while (i < text.size() && text[i] >= 0x20 && text[i] <= 0x3F) ++i;
  return i + 1;
}

std::string without_controls(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char byte = text[i];
    if (byte == kEscape) {
      i = skip_escape(text, i);
      continue;
    }
    const bool is_control = static_cast<unsigned char>(byte) < 0x20U || byte == 0x7F;
    if (!is_control || byte == '\n' || byte == '\t') clean += byte;
    ++i;
  }
  return clean;
}

}  // namespace

void OutputRing::append(std::string_view bytes) {
  if (bytes.size() > capacity_bytes_) bytes.remove_prefix(bytes.size() - capacity_bytes_);
  if (kept_.size() + bytes.size() > 2 * capacity_bytes_) {
    kept_.erase(0, kept_.size() + bytes.size() - capacity_bytes_);
  }
  kept_ += bytes;
}

std::string_view OutputRing::bytes() const {
  std::string_view all = kept_;
  if (all.size() > capacity_bytes_) all.remove_prefix(all.size() - capacity_bytes_);
  return all;
}

std::string tail_text(std::string_view output, std::size_t max_bytes) {
  std::string text = without_controls(output);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() <= max_bytes) return text;
  const std::size_t begin = text.size() - max_bytes;
  const std::size_t line_begin = text.find('\n', begin);
  // One line longer than the limit is cut within, rather than lost.
  return text.substr(line_begin == std::string::npos ? begin : line_begin + 1);
}

}  // namespace graphnet::supervise
