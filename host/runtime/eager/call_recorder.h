// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <string>
#include <vector>

#include "eager/call_executor.h"
#include "eager/tape.h"

namespace graphnet::eager {

/// A result tensor of one call; without storage if it is undefined.
struct RecordedTensor {
  /// Held weakly: the bytes are freed as ever, but no later storage takes the same address.
  c10::weak_intrusive_ptr<c10::StorageImpl> storage;
  std::int64_t bytes = 0;  ///< of the storage, which views share
  at::ScalarType type = at::ScalarType::Undefined;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;  ///< into the storage, in elements
};

/// One executed call; results in order, lists flattened.
struct RecordedCall {
  const Overload* overload = nullptr;
  std::vector<RecordedTensor> results;
  double flop = 0;
};

/// Runs calls as they are and keeps what they gave, without keeping its memory.
class CallRecorder : public CallExecutor {
 public:
  void execute(const Overload& overload, c10::Stack& stack) override;
  const std::vector<RecordedCall>& calls() const { return calls_; }

 protected:
  void record(const Overload& overload, const c10::Stack& results, double flop);

 private:
  std::vector<RecordedCall> calls_;
};

/// Largest sum of bytes that are alive at once while a tape is replayed: results of calls, freed at
/// their last use; views share their storage, arguments do not count, the program's results stay.
///
/// shapes   calls: one per instruction of the sealed tape
/// errors   saturates at 2^63 - 1
std::int64_t peak_live_bytes(const Tape& tape, const std::vector<RecordedCall>& calls,
                             const std::vector<at::Tensor>& arguments);

}  // namespace graphnet::eager
