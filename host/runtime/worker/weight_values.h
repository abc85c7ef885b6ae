// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/result.h"
#include "graph/weight_roles.h"
#include "sample/arguments.h"

namespace graphnet::worker {

/// Which weights may hold other values, and of which kind: floating Parameters whose role is known,
/// and of buffers the statistics of normalisations and those kernels and matrices that are more
/// than zeros and ones or a single number. Tables of positions, masks and whatever else a program
/// was built with stay, as do weights that the host reads or the program writes.
///
/// shapes   uses: one per argument or more; pinned, result: one per argument; kUnknown stays
std::vector<graph::WeightUse> changeable_weights(const std::vector<sample::Argument>& arguments,
                                                 const std::vector<graph::WeightUse>& uses,
                                                 const std::vector<bool>& pinned);

/// Bytes of those.
std::int64_t changeable_bytes(const std::vector<sample::Argument>& arguments,
                              const std::vector<graph::WeightUse>& uses);

/// Fills a weight with numbers that let a signal through, the same for the same seed and index:
///
/// | role     | mean | deviation             |
/// |----------|------|-----------------------|
/// | matrix   | 0    | 1 / sqrt(fan-in)      |
/// | table    | 0    | 1                     |
/// | scale    | 1    | 0.1                   |
/// | bias     | 0    | 0.1                   |
/// | slope    | 0.25 | 0.05                  |
/// | mean     | 0    | 0, until calibrated   |
/// | variance | 1    | 0, until calibrated   |
///
/// Numbers are nearly normal: sums of four uniform ones.
void fill_weight(const graph::WeightUse& use, std::uint64_t seed, std::size_t index,
                 sample::Argument& argument);

/// The content of some arguments, to be put back.
class SavedContent {
 public:
  /// errors   kEnvironment without memory
  static base::Result<SavedContent> save(const std::vector<sample::Argument>& arguments,
                                         const std::vector<graph::WeightUse>& uses);
  void restore(std::vector<sample::Argument>& arguments) const;

 private:
  struct Saved {
    std::size_t index;
    base::AlignedBuffer bytes;
  };
  std::vector<Saved> all_;
};

}  // namespace graphnet::worker
