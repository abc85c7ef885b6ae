// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sample/arguments.h"
#include "sample/content.h"
#include "worker/content_draw.h"
#include "worker/device_arguments.h"

namespace graphnet::worker {

/// Gives inputs other content, in place on host and device, so that each call has content of its
/// own. Dtypes, ranges and pointers stay those of the sample. A content has a number by which it
/// can be made again.
///
/// | inputs                  | a content is                         | how many there are      |
/// |-------------------------|--------------------------------------|-------------------------|
/// | floats                  | each element between two random ones | beyond counting         |
/// | integers that have      | each anew between these              | values, to the power of |
/// | recorded bounds         |                                      | n elements              |
/// | other types, and floats | the elements in another order: up to | n! / (n1! n2! ...) of n |
/// | of few values           | 64 KiB together, in signature order, | elements                |
/// |                         | any order; larger inputs are turned, | n, and 256 for each run |
/// |                         | and runs of 256 elements read by a   | that is not constant,   |
/// |                         | random stride                        | at least                |
/// | constant, one element,  | what they are                        | 1                       |
/// | pinned                  |                                      |                         |
///
/// All of every input is written anew, however large it is: what a plugin remembers of rows is of
/// no use. Writing takes about as long as one thread needs to read the input, so it does not exceed
/// what a call takes by much. Literals keep their multiset in every content: operators that need
/// distinct indices, such as scatter, keep them. No content tells of another one (content_draw.h),
/// and without a seed no memory tells of one to come: its key is drawn when it is first applied.
///
/// units    drawing 64 KiB takes about 4 us (float32, AVX2), 600 KiB 40 us; permuting 64 KiB takes
/// up to
///          50 us
/// order    restore() at the end
/// errors   as device::TensorDevice, write_known_memory()
class InputShuffle {
 public:
  /// `which`: the arguments that may change (sample::variable_arguments()). With a seed the
  /// contents are the same in each process.
  ///
  /// shapes   borrowed arguments
  InputShuffle(const DeviceArguments& arguments, const std::vector<sample::VariableArgument>& which,
               std::optional<std::uint64_t> seed = std::nullopt);

  /// False if no content could differ from the sample's: no input, or each is constant.
  bool has_effect() const { return !inputs_.empty(); }
  /// About how many contents there are, as a power of two.
  double content_bits() const;

  /// First of so many numbers that were not used before.
  std::uint64_t reserve(std::uint64_t count);
  /// Content number `content`, which was reserved and not forgotten; it differs from the sample's
  /// own.
  base::Status apply(std::uint64_t content);
  /// Drops the keys of all contents so far, none of which is applied again.
  void forget();
  /// A content that was not used before, and none that was.
  base::Status next() {
    forget();
    return apply(reserve(1));
  }
  /// The contents at construction.
  base::Status restore();

 private:
  enum class Kind { kDrawn, kDrawnIntegers, kPermuted, kStrided };
  struct Input {
    std::size_t index;  ///< of the argument
    sample::Argument* argument;
    std::size_t element_bytes;
    std::size_t num_elements;
    Kind kind;
    std::int64_t low;                 ///< of integers that are drawn
    std::uint32_t range;              ///< their largest less their least
    std::vector<std::byte> original;  ///< and its first elements once more, see content_draw.h
    std::vector<std::byte> drawn;     ///< before the argument has it, which a plugin may watch

    std::size_t num_bytes() const { return num_elements * element_bytes; }
    bool is_original() const;
  };

  static double bits_of(const Input& input);
  std::uint64_t key_of(std::uint64_t content);
  bool draw(Numbers numbers);
  void exchange_one_element(std::uint64_t start);
  base::Status write(bool drawn) const;

  const DeviceArguments& arguments_;
  std::optional<std::uint64_t> seed_;
  std::uint64_t next_ = 0;
  /// Of the contents since the last forget(); nothing: not drawn yet.
  std::vector<std::optional<std::uint64_t>> keys_;
  std::vector<Input> inputs_;
};

}  // namespace graphnet::worker
