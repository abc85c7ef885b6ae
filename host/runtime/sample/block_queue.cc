// SPDX-License-Identifier: MIT
#include "sample/block_queue.h"

#include <utility>

#include "base/threads.h"

namespace graphnet::sample {

BlockQueue::BlockQueue(Use use)
    : use_(std::move(use)),
      // Without values: all of it is written before it is read.
      batches_(new std::array<Batch, kBatches>) {
  // Without one the maker uses everything.
  if (auto thread = base::start_thread([this] { use_given(); })) thread_ = *std::move(thread);
}

BlockQueue::~BlockQueue() {
  if (num_in_batch_ > 0) hand_over();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_done_ = true;
  }
  given_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void BlockQueue::use(const Batch& full) {
  for (std::size_t i = 0; i < full.num_blocks; ++i) use_(full.blocks[i], full.first + i);
}

void BlockQueue::hand_over() {
  Batch& made = batch(num_given_);
  made.num_blocks = num_in_batch_;
  made.first = num_made_;
  num_made_ += num_in_batch_;
  num_in_batch_ = 0;
  bool is_given = false;
  {
    // One batch must be left to make the next blocks in.
    const std::lock_guard<std::mutex> lock(mutex_);
    is_given = thread_.joinable() && num_given_ - num_used_ < kBatches - 1;
    if (is_given) ++num_given_;
  }
  if (is_given) {
    given_.notify_one();
  } else {
    use(made);
  }
}

void BlockQueue::use_given() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    given_.wait(lock, [this] { return num_used_ < num_given_ || is_done_; });
    if (num_used_ == num_given_) return;
    const Batch& full = batch(num_used_);
    lock.unlock();
    use(full);
    lock.lock();
    ++num_used_;
  }
}

}  // namespace graphnet::sample
