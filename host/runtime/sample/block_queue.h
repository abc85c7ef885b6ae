// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "sample/mt19937.h"

namespace graphnet::sample {

/// Shares the use of blocks of points between the thread that makes them and one of its own. When
/// the other is behind, the maker uses what it has just made, so that neither waits for the other
/// and a machine without a free core loses nothing.
///
/// order    free_block() and push() in turns, from one thread; the destructor waits until all
///          pushed blocks are used
class BlockQueue {
 public:
  /// Called once for each block with its number, from 0 in push order; in any order, from two
  /// threads at once.
  using Use = std::function<void(const PolarPoints& points, std::size_t number)>;

  explicit BlockQueue(Use use);
  ~BlockQueue();
  BlockQueue(const BlockQueue&) = delete;
  BlockQueue& operator=(const BlockQueue&) = delete;

  /// Where the next block goes.
  PolarPoints* free_block() { return &batch(num_given_).blocks[num_in_batch_]; }
  /// The block is made.
  void push() {
    if (++num_in_batch_ == kBlocks) hand_over();
  }

 private:
  // The threads meet once a batch.
  static constexpr std::size_t kBlocks = 8;
  static constexpr std::size_t kBatches = 4;
  struct Batch {
    std::array<PolarPoints, kBlocks> blocks;
    std::size_t num_blocks = 0;
    std::size_t first = 0;  ///< number of its first block
  };

  Batch& batch(std::size_t index) { return (*batches_)[index % kBatches]; }
  void hand_over();
  void use(const Batch& full);
  void use_given();

  Use use_;
  std::unique_ptr<std::array<Batch, kBatches>> batches_;
  std::size_t num_in_batch_ = 0;  // blocks in the batch that is being made
  std::size_t num_made_ = 0;      // blocks in the batches before it
  std::size_t num_given_ = 0;     // batches for the thread, since the start; written by the maker
  std::size_t num_used_ = 0;      // batches that it has used
  bool is_done_ = false;
  std::mutex mutex_;  // of the three above
  std::condition_variable given_;
  std::thread thread_;
};

}  // namespace graphnet::sample
