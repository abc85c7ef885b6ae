// SPDX-License-Identifier: MIT
#include "measure/cache_flush.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/kernel_file.h"

namespace graphnet::measure {

namespace {

constexpr std::size_t kLineBytes = 64;

}  // namespace

std::int64_t cache_bytes_in(std::string_view text) {
  constexpr std::int64_t kMaxAmount = std::int64_t{1} << 32U;
  std::int64_t amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (error != std::errc() || amount < 0 || amount > kMaxAmount) return 0;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.empty() || unit == "\n") return amount;
  if (unit.front() == 'K') return amount << 10U;
  if (unit.front() == 'M') return amount << 20U;
  return 0;
}

std::int64_t last_level_cache_bytes() {
  constexpr std::int64_t kUnknown = std::int64_t{32} << 20U;
  constexpr int kMaxLevels = 8;
  std::int64_t largest = 0;
  for (int index = 0; index < kMaxLevels; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    largest = std::max(largest, cache_bytes_in(base::read_kernel_line(folder + "/size")));
  }
  return largest > 0 ? largest : kUnknown;
}

CacheFlush::CacheFlush(std::int64_t num_bytes)
    : buffer_(static_cast<std::size_t>(num_bytes > 0 ? num_bytes : 2 * last_level_cache_bytes())) {}

void CacheFlush::operator()() {
  // Volatile: nobody reads the buffer, and a compiler may see that.
  volatile unsigned char* bytes = buffer_.data();
  for (std::size_t i = 0; i < buffer_.size(); i += kLineBytes) {
    bytes[i] = static_cast<unsigned char>(bytes[i] + 1);
  }
}

}  // namespace graphnet::measure
