// SPDX-License-Identifier: MIT
#include "journal/run_id.h"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace graphnet::journal {

namespace {

std::string format_time(std::time_t seconds, const char* format) {
  std::tm fields = {};
  // Fails only for years that do not fit an int.
  if (::gmtime_r(&seconds, &fields) == nullptr) return "unknown";
  std::array<char, 64> text = {};
  const std::size_t length = std::strftime(text.data(), text.size(), format, &fields);
  return std::string(text.data(), length);
}

}  // namespace

std::string format_utc(std::time_t seconds) {
  return format_time(seconds, "%Y-%m-%dT%H:%M:%SZ");
}

std::string utc_now() {
  return format_utc(std::time(nullptr));
}

std::string format_run_id(std::time_t seconds, std::uint16_t random_bits) {
  std::array<char, 8> suffix = {};
  std::snprintf(suffix.data(), suffix.size(), "-%04x", static_cast<unsigned>(random_bits));
  return format_time(seconds, "%Y-%m-%dT%H%MZ") + suffix.data();
}

std::string new_run_id() {
  std::uint16_t random_bits = 0;
  if (::getrandom(&random_bits, sizeof random_bits, GRND_NONBLOCK) !=
      static_cast<ssize_t>(sizeof random_bits)) {
    // Early in boot there is no entropy yet; the process id still tells parallel runs apart.
    random_bits = static_cast<std::uint16_t>(::getpid());
  }
  return format_run_id(std::time(nullptr), random_bits);
}

}  // namespace graphnet::journal
