// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "sample/replay.h"
#include "sample/sample.h"
#include "worker/placed_arguments.h"

namespace graphnet::worker {

/// Indices of the arguments that may change between calls.
///
/// shapes   pinned: one per argument; see eager/engine.h
std::vector<std::size_t> variable_inputs(const sample::Sample& sample,
                                         const std::vector<sample::Argument>& arguments,
                                         const std::vector<bool>& pinned);

/// Changes what inputs hold, in place and at the place of the calls, by exchanging a few elements
/// of each: values, and with them dtypes, ranges and pointers, stay those of the sample, and the
/// price does not grow with the input. A call on shuffled inputs shows whether a plugin computes
/// from them.
///
/// order    draw(), apply(), undo() or keep, draw(), ...; restore() at the end
/// errors   of what copies: as device::TensorPlace; none at a place of the host
class InputShuffle {
 public:
  /// shapes   which: indices of the arguments that may change; borrowed arguments
  InputShuffle(const PlacedArguments& arguments, std::vector<std::size_t> which,
               std::uint64_t seed);

  /// False if no exchange could change anything: no input, or each is constant.
  bool has_effect() const { return !inputs_.empty(); }

  /// Chooses the next exchanges; at least one of them changes something.
  void draw();
  base::Status apply();
  /// Takes the last apply() back.
  base::Status undo();
  /// The contents at construction.
  base::Status restore();

 private:
  struct Input {
    std::size_t index;  ///< of the argument
    sample::Argument* argument;
    std::size_t element_bytes;
    std::size_t num_elements;
    std::vector<std::byte> original;
  };
  struct Exchange {
    std::size_t input;
    std::size_t one;
    std::size_t other;
  };

  bool changes(const Exchange& places) const;
  void exchange(const Exchange& places);
  base::Status update_drawn() const;

  const PlacedArguments& arguments_;
  std::vector<Input> inputs_;
  std::vector<Exchange> drawn_;
  std::mt19937_64 generator_;
};

}  // namespace graphnet::worker
