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
enum class FailureKind : std::uint8_t {
  kNone,
  kUnsupported,
  kFailed,
  kOutOfMemory,
  kBroken  ///< the plugin breaks the rules of the ABI, whatever phase it is
};

/// Result of a call into a plugin.
struct CallStatus {
  FailureKind kind = FailureKind::kNone;
  base::Status status;
  bool is_ok() const { return kind == FailureKind::kNone; }
};

/// Takes ownership of what a slot returned; `call` names the slot in the message.
CallStatus take_status(gn_status* raw, const std::string& call);

/// A failure for a plugin that breaks the rules.
CallStatus broken(std::string message);

/// What an exception that left a plugin means; call it in a handler only.
CallStatus take_exception(const std::string& call);

/// Calls a slot. Exceptions must not leave a plugin; those that do end here, at no cost to the call
/// that throws none.
template <typename Slot>
CallStatus call_slot(const char* name, Slot slot) {
  try {
    gn_status* raw = slot();
    return raw == nullptr ? CallStatus{} : take_status(raw, name);
  } catch (...) {
    return take_exception(name);
  }
}

}  // namespace graphnet::plugin
