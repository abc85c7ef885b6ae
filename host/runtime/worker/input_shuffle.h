// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sample/arguments.h"
#include "sample/sample.h"
#include "worker/device_arguments.h"

namespace graphnet::worker {

/// Indices of the arguments that may change between calls.
///
/// shapes   pinned: one per argument; see eager/engine.h
std::vector<std::size_t> variable_inputs(const sample::Sample& sample,
                                         const std::vector<sample::Argument>& arguments,
                                         const std::vector<bool>& pinned);

/// Gives inputs other content, in place on host and device, so that each call has content of its
/// own. Dtypes, ranges and pointers stay those of the sample. A content has a number by which it
/// can be made again.
///
/// | inputs                  | a content is                         | how many there are      |
/// |-------------------------|--------------------------------------|-------------------------|
/// | floats, small           | each element between two random ones | beyond counting         |
/// | small, other types, and | the elements in another order        | n! / (n1! n2! ...) of n |
/// | floats of few values    |                                      | elements                |
/// | large                   | 32 pairs of runs exchanged           | 2^300 and more          |
/// | constant, one element,  | what they are                        | 1                       |
/// | pinned                  |                                      |                         |
///
/// Small are inputs that together have up to 64 KiB, in signature order. Integers keep their
/// multiset in every content: operators that need distinct indices, such as scatter, keep them.
///
/// units    a content takes up to 40 us (64 KiB drawn anew), large ones about 5 us
/// order    restore() at the end
/// errors   of what copies: as device::TensorDevice; none on the host
class InputShuffle {
 public:
  /// shapes   which: indices of the arguments that may change; borrowed arguments
  InputShuffle(const DeviceArguments& arguments, std::vector<std::size_t> which,
               std::uint64_t seed);

  /// False if no content could differ from the sample's: no input, or each is constant.
  bool has_effect() const { return !inputs_.empty(); }
  /// About how many contents there are, as a power of two.
  double content_bits() const;

  /// First of so many numbers that were not used before.
  std::uint64_t reserve(std::uint64_t count);
  /// Content number `content`; it differs from the sample's own. With more `strength` so many more
  /// runs of large inputs are exchanged, up to all.
  base::Status apply(std::uint64_t content, std::size_t strength = 1);
  /// A content that was not used before.
  base::Status next(std::size_t strength = 1) { return apply(reserve(1), strength); }
  /// The contents at construction.
  base::Status restore();

 private:
  enum class Kind { kInterpolated, kPermuted, kExchanged };
  struct Input {
    std::size_t index;  ///< of the argument
    sample::Argument* argument;
    std::size_t element_bytes;
    std::size_t num_elements;
    Kind kind;
    std::vector<std::byte> original;
  };
  struct Exchange {
    std::size_t input;
    std::size_t one;  ///< first elements
    std::size_t other;
    std::size_t num_elements;
  };

  double exchange_bits(const Input& input) const;
  void swap(const Exchange& exchange) const;
  bool changes(const Exchange& exchange) const;
  bool draw(std::uint64_t content, std::uint64_t attempt, std::size_t strength);
  void exchange_one_element(std::uint64_t start);
  void undo_exchanges();
  base::Status update_place() const;

  const DeviceArguments& arguments_;
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
  std::size_t exchanges_ = 0;  ///< of each large input
  std::vector<Input> inputs_;
  std::vector<Exchange> exchanged_;  ///< what is undone before the next content
  std::vector<Exchange> touched_;    ///< what was undone for this one
};

}  // namespace graphnet::worker
