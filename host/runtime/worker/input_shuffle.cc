// SPDX-License-Identifier: MIT
#include "worker/input_shuffle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "sample/content.h"

namespace graphnet::worker {

using base::DType;
using base::Status;

namespace {

// Up to here, all together, inputs are drawn anew: as long as a call may wait for it.
constexpr std::size_t kRedrawnBytes = std::size_t{64} << 10U;
// Of larger ones so many pairs of runs are exchanged, shared among them but for the least that each
// has, of at most so many elements each.
constexpr std::size_t kExchanges = 32;
constexpr std::size_t kFewestExchanges = 4;
constexpr std::size_t kLongestRun = 256;
// Floats of no more values than this are a choice among them (masks), not quantities.
constexpr std::size_t kFewValues = 16;
// Of contents that happen to be the sample's own.
constexpr std::uint64_t kAttempts = 8;

/// Numbers of one content, always the same: splitmix64.
///
/// source   Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014)
class Numbers {
 public:
  Numbers(std::uint64_t seed, std::uint64_t content, std::uint64_t attempt)
      : state_(mix(mix(seed + content) + attempt)) {}
  std::uint64_t operator()() { return mix(state_ += 0x9E3779B97F4A7C15U); }
  /// shapes   result in [0, end), end below 2^32
  std::size_t below(std::size_t end) { return ((*this)() >> 32U) * end >> 32U; }

 private:
  static std::uint64_t mix(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 31U);
  }

  std::uint64_t state_;
};

template <typename Element>
void permute(std::byte* memory, std::size_t count, Numbers& numbers) {
  auto* const elements = reinterpret_cast<Element*>(memory);
  for (std::size_t i = count - 1; i > 0; --i)
    std::swap(elements[i], elements[numbers.below(i + 1)]);
}

void permute(std::byte* memory, std::size_t count, std::size_t element_bytes, Numbers& numbers) {
  if (element_bytes == 1) return permute<std::uint8_t>(memory, count, numbers);
  if (element_bytes == 2) return permute<std::uint16_t>(memory, count, numbers);
  if (element_bytes == 4) return permute<std::uint32_t>(memory, count, numbers);
  if (element_bytes == 8) return permute<std::uint64_t>(memory, count, numbers);
  permute<std::array<std::uint64_t, 2>>(memory, count, numbers);
}

/// Each element somewhere between two of the original: no value leaves the range.
template <typename Bits, typename Read, typename Write>
void interpolate(const std::byte* from, std::byte* to, std::size_t count, Numbers& numbers,
                 Read read, Write write) {
  const auto* const elements = reinterpret_cast<const Bits*>(from);
  auto* const drawn = reinterpret_cast<Bits*>(to);
  constexpr std::uint64_t kIndexBits = 20;
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kIndexBits) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = numbers();
    const std::size_t one = (bits & kMask) * count >> kIndexBits;
    std::size_t other = one + 1 + ((bits >> kIndexBits & kMask) * (count - 1) >> kIndexBits);
    if (other >= count) other -= count;
    const double share = (static_cast<double>(bits >> 40U) + 0.5) * 0x1p-24;
    const double a = read(elements[one]);
    const double value = a + share * (read(elements[other]) - a);
    drawn[i] = std::isfinite(value) ? write(value) : elements[one];
  }
}

void interpolate(DType dtype, const std::byte* from, std::byte* to, std::size_t num_bytes,
                 Numbers& numbers) {
  const auto same = [](auto value) { return value; };
  switch (dtype) {
    case DType::kFloat16:
      return interpolate<std::uint16_t>(
          from, to, num_bytes / 2, numbers,
          [](std::uint16_t bits) { return base::half_to_float(bits); },
          [](double value) { return base::float_to_half(static_cast<float>(value)); });
    case DType::kBFloat16:
      return interpolate<std::uint16_t>(
          from, to, num_bytes / 2, numbers,
          [](std::uint16_t bits) { return base::bfloat16_to_float(bits); },
          [](double value) { return base::float_to_bfloat16(static_cast<float>(value)); });
    case DType::kFloat32:
    case DType::kComplex64:
      return interpolate<float>(from, to, num_bytes / 4, numbers, same,
                                [](double value) { return static_cast<float>(value); });
    default:
      return interpolate<double>(from, to, num_bytes / 8, numbers, same, same);
  }
}

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

bool has_quantities(DType dtype) {
  return base::is_floating(dtype) || dtype == DType::kComplex64 || dtype == DType::kComplex128;
}

/// Elements of a run; all runs of an input together are the input but for a rest.
std::size_t run_elements(std::size_t count) {
  return std::clamp<std::size_t>(count / kLongestRun, 1, kLongestRun);
}

}  // namespace

std::vector<std::size_t> variable_inputs(const sample::Sample& sample,
                                         const std::vector<sample::Argument>& arguments,
                                         const std::vector<bool>& pinned) {
  std::vector<std::size_t> indices;
  for (const auto& argument : sample::variable_arguments(sample.metas, arguments, pinned)) {
    indices.push_back(argument.index);
  }
  return indices;
}

InputShuffle::InputShuffle(const DeviceArguments& arguments, std::vector<std::size_t> which,
                           std::uint64_t seed)
    : arguments_(arguments), seed_(seed) {
  std::size_t redrawn_bytes = 0;
  for (const std::size_t index : which) {
    sample::Argument& argument = arguments.host()[index];
    const std::size_t size = base::dtype_bytes(argument.dtype);
    const std::size_t count = argument.bytes.num_bytes() / size;
    const std::byte* data = argument.bytes.data();
    std::size_t other = 1;
    while (other < count && std::memcmp(data, data + other * size, size) == 0) ++other;
    if (other >= count) continue;  // constant
    Kind kind = Kind::kExchanged;
    if (redrawn_bytes + count * size <= kRedrawnBytes) {
      redrawn_bytes += count * size;
      const std::size_t few = std::min(kFewValues, count / 2);
      const bool is_choice =
          !has_quantities(argument.dtype) || multiplicities(data, count, size).size() <= few;
      kind = is_choice ? Kind::kPermuted : Kind::kInterpolated;
    }
    inputs_.push_back({index, &argument, size, count, kind, {data, data + count * size}});
  }
  const auto num_exchanged = std::count_if(inputs_.begin(), inputs_.end(), [](const Input& input) {
    return input.kind == Kind::kExchanged;
  });
  const auto sharing = static_cast<std::size_t>(std::max<std::ptrdiff_t>(num_exchanged, 1));
  exchanges_ = std::max(kFewestExchanges, kExchanges / sharing);
}

double InputShuffle::content_bits() const {
  double bits = 0;
  for (const Input& input : inputs_) {
    const auto count = static_cast<double>(input.num_elements);
    if (input.kind == Kind::kInterpolated) bits += 10 * count;  // significant bits of a float16
    if (input.kind == Kind::kExchanged) bits += exchange_bits(input);
    if (input.kind != Kind::kPermuted) continue;
    double log_count = std::lgamma(count + 1);
    for (const std::size_t times :
         multiplicities(input.original.data(), input.num_elements, input.element_bytes)) {
      log_count -= std::lgamma(static_cast<double>(times) + 1);
    }
    bits += log_count / std::log(2.0);
  }
  return bits;
}

/// A single run that differs from its neighbours has as many positions as there are runs.
double InputShuffle::exchange_bits(const Input& input) const {
  const std::size_t length = run_elements(input.num_elements);
  const std::size_t runs = input.num_elements / length;
  const std::size_t run_bytes = length * input.element_bytes;
  std::size_t differing = 0;
  for (std::size_t run = 1; run < runs && differing < 2 * exchanges_; ++run) {
    const std::byte* const data = input.original.data() + run * run_bytes;
    differing += std::memcmp(data - run_bytes, data, run_bytes) != 0;
  }
  return std::max(static_cast<double>(differing), 1.0) * std::log2(static_cast<double>(runs));
}

std::uint64_t InputShuffle::reserve(std::uint64_t count) {
  return std::exchange(next_, next_ + count);
}

void InputShuffle::swap(const Exchange& exchange) const {
  const Input& input = inputs_[exchange.input];
  std::byte* const data = input.argument->bytes.data();
  std::byte* const one = data + exchange.one * input.element_bytes;
  std::byte* const other = data + exchange.other * input.element_bytes;
  if (one != other) std::swap_ranges(one, one + exchange.num_elements * input.element_bytes, other);
}

bool InputShuffle::changes(const Exchange& exchange) const {
  const Input& input = inputs_[exchange.input];
  const std::byte* const data = input.argument->bytes.data();
  return std::memcmp(data + exchange.one * input.element_bytes,
                     data + exchange.other * input.element_bytes,
                     exchange.num_elements * input.element_bytes) != 0;
}

/// Returns whether something changed.
bool InputShuffle::draw(std::uint64_t content, std::uint64_t attempt, std::size_t strength) {
  Numbers numbers(seed_, content, attempt);
  bool any_change = false;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Input& input = inputs_[i];
    std::byte* const data = input.argument->bytes.data();
    if (input.kind == Kind::kExchanged) {
      const std::size_t length = run_elements(input.num_elements);
      const std::size_t runs = input.num_elements / length;
      for (std::size_t k = 0; k < std::min(exchanges_ * strength, runs); ++k) {
        const Exchange exchange = {i, numbers.below(runs) * length, numbers.below(runs) * length,
                                   length};
        any_change = any_change || changes(exchange);
        swap(exchange);
        exchanged_.push_back(exchange);
      }
      continue;
    }
    if (input.kind == Kind::kPermuted) {
      std::memcpy(data, input.original.data(), input.original.size());
      permute(data, input.num_elements, input.element_bytes, numbers);
    } else {
      interpolate(input.argument->dtype, input.original.data(), data, input.original.size(),
                  numbers);
    }
    any_change = any_change || std::memcmp(data, input.original.data(), input.original.size()) != 0;
  }
  return any_change;
}

/// There is an element that differs from any other, since none of the inputs is constant.
void InputShuffle::exchange_one_element(std::uint64_t start) {
  const std::size_t count = inputs_.front().num_elements;
  Exchange exchange = {0, start % count, start % count, 1};
  while (!changes(exchange)) exchange.other = (exchange.other + 1) % count;
  swap(exchange);
  exchanged_.push_back(exchange);
}

void InputShuffle::undo_exchanges() {
  for (auto exchange = exchanged_.rbegin(); exchange != exchanged_.rend(); ++exchange)
    swap(*exchange);
  exchanged_.clear();
}

Status InputShuffle::apply(std::uint64_t content, std::size_t strength) {
  if (inputs_.empty()) return Status::ok();
  touched_ = exchanged_;
  bool is_other = false;
  for (std::uint64_t attempt = 0; !is_other && attempt < kAttempts; ++attempt) {
    undo_exchanges();
    is_other = draw(content, attempt, strength);
  }
  if (!is_other) exchange_one_element(Numbers(seed_, content, kAttempts)());
  return update_place();
}

/// Of large inputs only what has changed.
Status InputShuffle::update_place() const {
  if (arguments_.device().is_host()) return Status::ok();
  for (const Input& input : inputs_) {
    if (input.original.size() <= kRedrawnBytes) {
      GN_RETURN_IF_ERROR(arguments_.update(input.index));
    }
  }
  for (const auto* list : {&touched_, &exchanged_}) {
    for (const Exchange& exchange : *list) {
      const Input& input = inputs_[exchange.input];
      if (input.original.size() <= kRedrawnBytes) continue;
      for (const std::size_t first : {exchange.one, exchange.other}) {
        GN_RETURN_IF_ERROR(arguments_.update(input.index, first * input.element_bytes,
                                             exchange.num_elements * input.element_bytes));
      }
    }
  }
  return Status::ok();
}

Status InputShuffle::restore() {
  exchanged_.clear();
  for (const Input& input : inputs_) {
    std::memcpy(input.argument->bytes.data(), input.original.data(), input.original.size());
    GN_RETURN_IF_ERROR(arguments_.update(input.index));
  }
  return Status::ok();
}

}  // namespace graphnet::worker
