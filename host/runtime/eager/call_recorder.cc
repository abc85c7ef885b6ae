// SPDX-License-Identifier: MIT
#include "eager/call_recorder.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "eager/flop_count.h"

namespace graphnet::eager {

namespace {

RecordedTensor describe(const at::Tensor& tensor) {
  RecordedTensor recorded{
      c10::weak_intrusive_ptr<c10::StorageImpl>(c10::intrusive_ptr<c10::StorageImpl>()),
      0,
      at::ScalarType::Undefined,
      {},
      {},
      0};
  if (!tensor.defined()) return recorded;
  recorded.storage = tensor.storage().getWeakStorageImpl();
  recorded.bytes = static_cast<std::int64_t>(tensor.storage().nbytes());
  recorded.type = tensor.scalar_type();
  recorded.sizes = tensor.sizes().vec();
  recorded.strides = tensor.strides().vec();
  recorded.offset = tensor.storage_offset();
  return recorded;
}

/// Walks a tape and counts who still needs which storage.
class LiveSet {
 public:
  explicit LiveSet(const std::vector<at::Tensor>& arguments) {
    for (const at::Tensor& argument : arguments) {
      ignored_.insert(argument.storage().unsafeGetStorageImpl());
    }
  }

  void enter(const Instruction& instruction, const RecordedCall& call) {
    std::vector<const c10::StorageImpl*> unread;
    for (std::size_t i = 0; i < call.results.size(); ++i) {
      const RecordedTensor& result = call.results[i];
      const c10::StorageImpl* storage = result.storage._unsafe_get_target();
      if (result.type == at::ScalarType::Undefined || ignored_.count(storage) > 0) continue;
      const auto [entry, is_new] = live_.emplace(storage, Entry{result.bytes, 0});
      if (is_new) add(result.bytes);
      const Slot slot = instruction.results[i];
      if (slot == kNoSlot) {
        unread.push_back(storage);
      } else {
        ++entry->second.num_slots;
        storages_[slot] = storage;
      }
    }
    for (const Operand& operand : instruction.operands) release(operand);
    for (const c10::StorageImpl* storage : unread) drop_if_unused(storage);
  }

  std::int64_t peak() const { return peak_; }

 private:
  struct Entry {
    std::int64_t bytes = 0;
    int num_slots = 0;
  };

  void add(std::int64_t bytes) {
    if (__builtin_add_overflow(now_, bytes, &now_)) now_ = std::numeric_limits<std::int64_t>::max();
    peak_ = std::max(peak_, now_);
  }

  void release(const Operand& operand) {
    for (std::size_t i = 0; i < operand.slots.size(); ++i) {
      if (!operand.last_uses[i]) continue;
      const auto found = storages_.find(operand.slots[i]);
      if (found == storages_.end()) continue;
      --live_.at(found->second).num_slots;
      drop_if_unused(found->second);
      storages_.erase(found);
    }
  }

  void drop_if_unused(const c10::StorageImpl* storage) {
    const auto found = live_.find(storage);
    if (found == live_.end() || found->second.num_slots > 0) return;
    now_ -= found->second.bytes;
    live_.erase(found);
  }

  std::unordered_set<const c10::StorageImpl*> ignored_;
  std::unordered_map<const c10::StorageImpl*, Entry> live_;
  std::unordered_map<Slot, const c10::StorageImpl*> storages_;
  std::int64_t now_ = 0;
  std::int64_t peak_ = 0;
};

}  // namespace

void CallRecorder::execute(const Overload& overload, c10::Stack& stack) {
  const c10::Stack arguments = stack;
  overload.handle.callBoxed(&stack);
  record(overload, stack, count_flop(overload, arguments, stack));
}

void CallRecorder::record(const Overload& overload, const c10::Stack& results, double flop) {
  RecordedCall call;
  call.overload = &overload;
  call.flop = flop;
  for_each_result(results,
                  [&](const at::Tensor& tensor) { call.results.push_back(describe(tensor)); });
  calls_.push_back(std::move(call));
}

std::int64_t peak_live_bytes(const Tape& tape, const std::vector<RecordedCall>& calls,
                             const std::vector<at::Tensor>& arguments) {
  LiveSet live(arguments);
  const std::vector<Instruction>& instructions = tape.instructions();
  for (std::size_t i = 0; i < instructions.size(); ++i) live.enter(instructions[i], calls.at(i));
  return live.peak();
}

}  // namespace graphnet::eager
