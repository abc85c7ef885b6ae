// SPDX-License-Identifier: MIT
#include "worker/input_shuffle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/system_random.h"
#include "worker/kernel_copy.h"

namespace graphnet::worker {

using base::Status;

namespace {

// Up to here, all together, what cannot be drawn is permuted: as long as a call may wait for it.
constexpr std::size_t kPermutedBytes = std::size_t{64} << 10U;
// Floats of no more values than this are a choice among them (masks), not quantities; so many
// elements of an input are looked at.
constexpr std::size_t kFewValues = 16;
constexpr std::size_t kLooks = 16'384;
// Of contents that happen to be the sample's own.
constexpr std::uint64_t kAttempts = 8;

/// How often each value occurs.
std::vector<std::size_t> multiplicities(const std::byte* data, std::size_t count,
                                        std::size_t element_bytes) {
  using Value = std::array<std::byte, 16>;
  std::vector<Value> values(count, Value{});
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(values[i].data(), data + i * element_bytes, element_bytes);
  }
  std::sort(values.begin(), values.end());
  std::vector<std::size_t> counts;
  for (auto begin = values.begin(); begin != values.end();) {
    const auto end = std::upper_bound(begin, values.end(), *begin);
    counts.push_back(static_cast<std::size_t>(end - begin));
    begin = end;
  }
  return counts;
}

bool are_quantities(const sample::Argument& argument, std::size_t count) {
  if (!can_draw_between(argument.dtype)) return false;
  const std::size_t size = base::dtype_bytes(argument.dtype);
  const std::size_t step = (count - 1) / kLooks + 1;
  std::vector<std::byte> some;
  for (std::size_t i = 0; i < count; i += step) {
    const std::byte* const element = argument.bytes.data() + i * size;
    some.insert(some.end(), element, element + size);
  }
  const std::size_t looks = some.size() / size;
  return multiplicities(some.data(), looks, size).size() > std::min(kFewValues, looks / 2);
}

bool is_constant(const std::byte* data, std::size_t count, std::size_t element_bytes) {
  return count == 0 || std::memcmp(data, data + element_bytes, (count - 1) * element_bytes) == 0;
}

/// The least value and the distance of the largest from it.
std::pair<std::int64_t, std::uint64_t> wide_range_of(const sample::VariableArgument& varied) {
  const auto [low, high] = varied.bounds.value_or(std::pair<std::int64_t, std::int64_t>());
  return {low, static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low)};
}

bool can_draw_integers(const sample::VariableArgument& varied) {
  const std::uint64_t range = wide_range_of(varied).second;
  return range > 0 && range <= std::numeric_limits<std::uint32_t>::max();
}

/// With as many elements of the beginning behind the end as a run has.
std::vector<std::byte> closed_circle(const std::byte* data, std::size_t count,
                                     std::size_t element_bytes) {
  const std::size_t num_bytes = count * element_bytes;
  std::vector<std::byte> circle(num_bytes + kDrawnRun * element_bytes);
  for (std::size_t at = 0; at < circle.size(); at += num_bytes) {
    std::memcpy(circle.data() + at, data, std::min(num_bytes, circle.size() - at));
  }
  return circle;
}

}  // namespace

InputShuffle::InputShuffle(const DeviceArguments& arguments,
                           const std::vector<sample::VariableArgument>& which,
                           std::optional<std::uint64_t> seed)
    : arguments_(arguments), seed_(seed) {
  std::size_t permuted_bytes = 0;
  for (const sample::VariableArgument& varied : which) {
    sample::Argument& argument = arguments.host()[varied.index];
    const std::size_t size = base::dtype_bytes(argument.dtype);
    const std::size_t count = argument.bytes.num_bytes() / size;
    const std::byte* data = argument.bytes.data();
    if (is_constant(data, count, size)) continue;
    Kind kind = can_draw_integers(varied) ? Kind::kDrawnIntegers : Kind::kDrawn;
    if (kind == Kind::kDrawn && !are_quantities(argument, count)) {
      const bool is_small = permuted_bytes + count * size <= kPermutedBytes;
      if (is_small) permuted_bytes += count * size;
      kind = is_small ? Kind::kPermuted : Kind::kStrided;
    }
    const auto [low, range] = wide_range_of(varied);
    inputs_.push_back({varied.index, &argument, size, count, kind, low,
                       static_cast<std::uint32_t>(range), closed_circle(data, count, size),
                       std::vector<std::byte>(count * size)});
  }
}

bool InputShuffle::Input::is_original() const {
  return std::memcmp(drawn.data(), original.data(), num_bytes()) == 0;
}

double InputShuffle::content_bits() const {
  double bits = 0;
  for (const Input& input : inputs_) bits += bits_of(input);
  return bits;
}

double InputShuffle::bits_of(const Input& input) {
  const auto count = static_cast<double>(input.num_elements);
  if (input.kind == Kind::kDrawn) return 10 * count;  // significant bits of a float16
  if (input.kind == Kind::kDrawnIntegers) return count * std::log2(input.range + 1.0);
  const std::byte* const data = input.original.data();
  if (input.kind == Kind::kStrided) {
    std::size_t varied = 0;
    for (std::size_t begin = 0; begin < input.num_elements; begin += kDrawnRun) {
      const std::size_t length = std::min(kDrawnRun, input.num_elements - begin);
      varied += !is_constant(data + begin * input.element_bytes, length, input.element_bytes);
    }
    // With a single one, turn and start together lead to the same places.
    const auto further = static_cast<double>(std::max<std::size_t>(varied, 1) - 1);
    return std::log2(count) + further * std::log2(static_cast<double>(kDrawnRun));
  }
  double log_count = std::lgamma(count + 1);
  for (const std::size_t times : multiplicities(data, input.num_elements, input.element_bytes)) {
    log_count -= std::lgamma(static_cast<double>(times) + 1);
  }
  return log_count / std::log(2.0);
}

std::uint64_t InputShuffle::reserve(std::uint64_t count) {
  keys_.resize(keys_.size() + count);
  return std::exchange(next_, next_ + count);
}

void InputShuffle::forget() {
  keys_.clear();
}

std::uint64_t InputShuffle::key_of(std::uint64_t content) {
  std::optional<std::uint64_t>& key = keys_.at(keys_.size() - (next_ - content));
  if (!key) key = seed_ ? *seed_ : base::SystemRandom{}();
  return *key;
}

/// Returns whether something changed.
bool InputShuffle::draw(Numbers numbers) {
  bool any_change = false;
  for (Input& input : inputs_) {
    const std::byte* const original = input.original.data();
    std::byte* const data = input.drawn.data();
    if (input.kind == Kind::kDrawn) {
      draw_between(input.argument->dtype, original, data, input.num_bytes(), numbers);
    } else if (input.kind == Kind::kDrawnIntegers) {
      draw_integers(input.low, input.range, data, input.num_elements, input.element_bytes, numbers);
    } else if (input.kind == Kind::kStrided) {
      stride_runs(original, data, input.num_elements, input.element_bytes, numbers);
    } else {
      std::memcpy(data, original, input.num_bytes());
      permute(data, input.num_elements, input.element_bytes, numbers);
    }
    any_change = any_change || !input.is_original();
  }
  return any_change;
}

/// There is an element that differs from any other, since none of the inputs is constant.
void InputShuffle::exchange_one_element(std::uint64_t start) {
  Input& input = inputs_.front();
  const std::size_t size = input.element_bytes;
  std::byte* const data = input.drawn.data();
  std::byte* const one = data + start % input.num_elements * size;
  std::byte* other = one;
  while (std::memcmp(one, other, size) == 0) {
    other = other + size == data + input.num_bytes() ? data : other + size;
  }
  std::swap_ranges(one, one + size, other);
}

Status InputShuffle::apply(std::uint64_t content) {
  if (inputs_.empty()) return Status::ok();
  const std::uint64_t key = key_of(content);
  bool is_other = false;
  for (std::uint64_t attempt = 0; !is_other && attempt < kAttempts; ++attempt) {
    is_other = draw(Numbers(key, content, attempt));
  }
  if (!is_other) exchange_one_element(Numbers(key, content, kAttempts)());
  return write(/*drawn=*/true);
}

Status InputShuffle::write(bool drawn) const {
  for (const Input& input : inputs_) {
    const std::byte* const from = drawn ? input.drawn.data() : input.original.data();
    GN_RETURN_IF_ERROR(
        write_known_memory(from, input.argument->bytes.data(), input.num_bytes(), "an input"));
    if (!arguments_.device().is_host()) GN_RETURN_IF_ERROR(arguments_.update(input.index));
  }
  return Status::ok();
}

Status InputShuffle::restore() {
  return write(/*drawn=*/false);
}

}  // namespace graphnet::worker
