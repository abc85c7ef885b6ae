// SPDX-License-Identifier: MIT
#include "base/device_name.h"

#include <algorithm>

namespace graphnet::base {

namespace {

constexpr std::string_view kCuda = "cuda";
constexpr std::size_t kMaxDigits = 3;

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

}  // namespace

Result<DeviceName> parse_device_name(std::string_view text) {
  if (text == "cpu") return DeviceName();
  if (text == kCuda) return DeviceName{true, 0};
  std::string_view digits = text;
  if (text.substr(0, kCuda.size() + 1) == "cuda:") {
    digits.remove_prefix(kCuda.size() + 1);
    if (!digits.empty() && digits.size() <= kMaxDigits &&
        std::all_of(digits.begin(), digits.end(), is_digit)) {
      return DeviceName{true, std::stoi(std::string(digits))};
    }
  }
  return Status(Code::kInput, "unknown device '" + std::string(text) + "'")
      .add_hint("cpu, or cuda:N for the CUDA device with that number");
}

std::string device_kind(const std::string& text) {
  const Result<DeviceName> device = parse_device_name(text);
  return device.is_ok() ? device->kind() : text;
}

}  // namespace graphnet::base
