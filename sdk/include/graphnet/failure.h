// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "graphnet/abi.h"

namespace graphnet {

/// The exception of a plugin; guard() of plugin.h turns it into a gn_status with its code.
class Failure : public std::runtime_error {
 public:
  /// code     GN_STATUS_*
  Failure(std::uint32_t code, const std::string& message)
      : std::runtime_error(message), code_(code) {}

  std::uint32_t code() const { return code_; }

 private:
  std::uint32_t code_;
};

}  // namespace graphnet
