// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

#include "base/status.h"

namespace graphnet::eager {

/// A failure found by our own code while tracing. libtorch reports by exception, so everything
/// between the engine's public functions does; the engine turns both into a Status.
class TraceError : public std::runtime_error {
 public:
  TraceError(base::Code code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  base::Code code() const { return code_; }

 private:
  base::Code code_;
};

/// The program uses something this version cannot do.
[[noreturn]] inline void fail_unsupported(const std::string& message) {
  throw TraceError(base::Code::kUnsupported, message);
}

/// The program is wrong in a way Python would have refused too.
[[noreturn]] inline void fail_input(const std::string& message) {
  throw TraceError(base::Code::kInput, message);
}

}  // namespace graphnet::eager
