// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/status.h"
#include "graphnet/abi.h"

// Failure made by a plugin through the host; the host owns it.
struct gn_status {
  std::uint32_t code = 0;
  std::string message;
};

namespace graphnet::plugin {

/// What a plugin's failure means for the record.
enum class FailureKind : std::uint8_t { kNone, kUnsupported, kFailed, kOutOfMemory };

/// Result of a call into a plugin.
struct CallStatus {
  FailureKind kind = FailureKind::kNone;
  base::Status status;
  bool is_ok() const { return kind == FailureKind::kNone; }
};

/// Takes ownership of what a slot returned; `call` names the slot in the message.
CallStatus take_status(gn_status* raw, const std::string& call);

}  // namespace graphnet::plugin
