// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace graphnet::base {

/// Where a sample runs, as configs and records name it: "cpu", "cuda:0".
struct DeviceName {
  bool is_cuda = false;
  int index = 0;  ///< of the CUDA device, as the driver numbers those that it shows

  /// "cpu" or "cuda"; what manifests list.
  std::string kind() const { return is_cuda ? "cuda" : "cpu"; }
  std::string text() const { return is_cuda ? "cuda:" + std::to_string(index) : "cpu"; }
};

/// Reads "cpu", "cuda" (the first device) or "cuda:N".
///
/// errors   kInput for everything else; an index has at most three digits
Result<DeviceName> parse_device_name(std::string_view text);

/// "cpu" or "cuda" of a device's name in a record or log, which may have a number; other text as it
/// is. Which of a machine's devices it was does not tell results apart: their hardware does.
std::string device_kind(const std::string& text);

}  // namespace graphnet::base
