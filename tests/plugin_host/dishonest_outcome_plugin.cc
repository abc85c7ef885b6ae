// SPDX-License-Identifier: MIT
//
// Plugins whose results are wrong in a way that a look at the whole of one output on one input
// misses, and honest ones on the same programs, chosen by -DTRICK=<trick>. Each knows the program
// that dishonest_outcome_test.cc gives it: linear, relu, linear and then what the trick's name
// says.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <utility>

#include "support/mlp_plugin.h"

namespace {

enum Trick {
  one_element,        // one element of 32768 is off by a tenth of their RMS
  other_seed,         // is 1 % off if a number lies beyond those of its first input
  masks_honestly,     // masked_fill(x > 0, finfo.min)
  masks_badly,        // the same, 1 % off where there is no mask
  drops_honestly,     // dropout(0.5), with random numbers of its own
  drops_reversed,     // the same, elements in the opposite order
  picks_honestly,     // argmax of each row
  picks_badly_later,  // the same, the next element on every input but its first
};
constexpr Trick kTrick = TRICK;

struct Executable final : gn_executable {
  bool has_first = false;
  std::uint64_t first_input = 0;
  std::pair<float, float> first_range;
  std::mt19937 random;

  void play(const float* input, float* output) override;

  // What is drawn for the timed calls lies between the numbers of the sample's input.
  bool is_in_first_range(const float* input) {
    if (num_binds < 3) return true;
    const auto [least, most] = std::minmax_element(input, input + input_count());
    if (!has_first) first_range = {*least, *most};
    has_first = true;
    return *least >= first_range.first && *most <= first_range.second;
  }

  // Of the numbers in their order.
  std::uint64_t digest(const float* input) const {
    std::uint64_t hash = 0;
    for (std::int64_t i = 0; i < input_count(); ++i) {
      std::uint32_t bits;
      std::memcpy(&bits, input + i, sizeof bits);
      hash = (hash ^ bits) * 0x100000001b3U;
    }
    return hash;
  }

  // Also before the third bind: other inputs and weights have been tried then.
  bool is_first(std::uint64_t digest) {
    if (num_binds < 3) return true;
    if (!has_first) first_input = digest;
    has_first = true;
    return digest == first_input;
  }

  void scale(float* output, float factor) const {
    for (std::int64_t i = 0; i < output_count(); ++i) output[i] *= factor;
  }

  void mask(const float* input, float* output) const {
    for (std::int64_t i = 0; i < output_count(); ++i) {
      if (input[i] > 0) output[i] = std::numeric_limits<float>::lowest();
    }
  }

  void drop(float* output) {
    for (std::int64_t i = 0; i < output_count(); ++i) output[i] *= random() % 2 == 0 ? 0.0F : 2.0F;
  }

  // The output of this program is int64 [num_rows].
  void pick(const float* input, void* output, std::int64_t step) {
    std::vector<float> values(static_cast<std::size_t>(output_count()));
    compute(input, values.data());
    auto* picked = static_cast<std::int64_t*>(output);
    for (std::int64_t row = 0; row < num_rows; ++row) {
      const float* begin = values.data() + row * second.num_outputs;
      const auto largest = std::max_element(begin, begin + second.num_outputs) - begin;
      picked[row] = (largest + step) % second.num_outputs;
    }
  }
};

void Executable::play(const float* input, float* output) {
  switch (kTrick) {
    case one_element:
      compute(input, output);
      output[12345] += 0.01F;
      return;
    case other_seed:
      compute(input, output);
      return is_in_first_range(input) ? void() : scale(output, 1.01F);
    case masks_honestly:
      compute(input, output);
      return mask(input, output);
    case masks_badly:
      compute(input, output);
      scale(output, 1.01F);
      return mask(input, output);
    case drops_honestly:
      compute(input, output);
      return drop(output);
    case drops_reversed:
      compute(input, output);
      drop(output);
      return std::reverse(output, output + output_count());
    case picks_honestly:
      return pick(input, output, 0);
    case picks_badly_later:
      return pick(input, output, is_first(digest(input)) ? 0 : 1);
  }
}

}  // namespace

std::unique_ptr<gn_executable> graphnet::tests::make_executable() {
  return std::make_unique<Executable>();
}
