// SPDX-License-Identifier: MIT
#pragma once

#include "base/file.h"
#include "base/json.h"
#include "base/status.h"

namespace graphnet::worker {

/// Where a worker that is asked a question writes its answers, a line of JSON each: descriptor 3,
/// kept under a high number so that code which closes low descriptors does not hit it.
class Answer {
 public:
  Answer();

  /// False if nobody takes the answer.
  bool send(const base::Json& json) const;
  /// {"error": {"code", "message", "context", "hints"}}
  bool send_error(const base::Status& status) const;

 private:
  base::UniqueFd fd_;
};

}  // namespace graphnet::worker
