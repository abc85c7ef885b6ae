// SPDX-License-Identifier: MIT
#include "worker/weight_values.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "worker/weights.h"

namespace graphnet::worker {

using base::DType;
using graph::ParameterKind;
using graph::WeightRole;
using graph::WeightUse;

namespace {

// The golden ratio's bits: what SplitMix64 counts by.
constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15U;

/// source   Steele, Lea & Flood 2014, SplitMix64
std::uint64_t mixed(std::uint64_t state) {
  state = (state ^ (state >> 30U)) * 0xBF58476D1CE4E5B9U;
  state = (state ^ (state >> 27U)) * 0x94D049BB133111EBU;
  return state ^ (state >> 31U);
}

/// Mean 0, deviation 1: the sum of four uniform numbers of 16 bits.
float nearly_normal(std::uint64_t bits) {
  constexpr float kMean = 4 * 65535 / 2.0F;
  constexpr float kDeviation = 37837.227F;  // 65536 / sqrt(3)
  const auto sum = static_cast<std::int32_t>((bits & 0xFFFFU) + ((bits >> 16U) & 0xFFFFU) +
                                             ((bits >> 32U) & 0xFFFFU) + (bits >> 48U));
  return (static_cast<float>(sum) - kMean) / kDeviation;
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments moments_of(const WeightUse& use) {
  switch (use.role) {
    case WeightRole::kMatrix:
      return {0, 1 / std::sqrt(std::max(1.0, use.fan_in))};
    case WeightRole::kTable:
      return {0, 1};
    case WeightRole::kScale:
      return {1, 0.1};
    case WeightRole::kBias:
      return {0, 0.1};
    case WeightRole::kSlope:
      return {0.25, 0.05};
    case WeightRole::kVariance:
      return {1, 0};
    case WeightRole::kMean:
    case WeightRole::kUnknown:
      break;
  }
  return {};
}

template <typename Stored, typename Convert>
void fill(std::byte* bytes, std::size_t count, std::uint64_t state, const Moments& moments,
          Convert convert) {
  const auto mean = static_cast<float>(moments.mean);
  const auto deviation = static_cast<float>(moments.deviation);
  for (std::size_t i = 0; i < count; ++i) {
    const Stored stored = convert(mean + deviation * nearly_normal(mixed(state + (i + 1) * kStep)));
    std::memcpy(bytes + i * sizeof(Stored), &stored, sizeof(Stored));
  }
}

std::size_t count_of(const sample::Argument& argument) {
  return argument.bytes.num_bytes() / base::dtype_bytes(argument.dtype);
}

double element(const sample::Argument& argument, std::size_t index) {
  const std::byte* data = argument.bytes.data() + index * base::dtype_bytes(argument.dtype);
  const auto load = [data](auto value) {
    std::memcpy(&value, data, sizeof(value));
    return value;
  };
  if (argument.dtype == DType::kFloat16) return base::half_to_float(load(std::uint16_t{}));
  if (argument.dtype == DType::kBFloat16) return base::bfloat16_to_float(load(std::uint16_t{}));
  return argument.dtype == DType::kFloat32 ? load(float{}) : load(double{});
}

/// Zeros and ones, or one number: what nobody draws and nobody learns.
bool is_structure(const sample::Argument& argument) {
  const double first = count_of(argument) == 0 ? 0 : element(argument, 0);
  bool is_constant = true;
  bool is_binary = true;
  for (std::size_t i = 0; i < count_of(argument) && (is_constant || is_binary); ++i) {
    const double value = element(argument, i);
    is_constant = is_constant && value == first;
    is_binary = is_binary && (value == 0 || value == 1);
  }
  return is_constant || is_binary;
}

bool may_change(const sample::Argument& argument, WeightRole role) {
  if (!is_weight(argument.kind) || !base::is_floating(argument.dtype)) return false;
  if (argument.bytes.num_bytes() == 0 || role == WeightRole::kUnknown) return false;
  const bool is_statistics = role == WeightRole::kMean || role == WeightRole::kVariance;
  if (argument.kind == ParameterKind::kParameter || is_statistics) return true;
  return role == WeightRole::kMatrix && !is_structure(argument);
}

}  // namespace

std::vector<WeightUse> changeable_weights(const std::vector<sample::Argument>& arguments,
                                          const std::vector<WeightUse>& uses,
                                          const std::vector<bool>& pinned) {
  std::vector<WeightUse> changeable(arguments.size());
  for (std::size_t i = 0; i < arguments.size() && i < uses.size(); ++i) {
    if (!pinned[i] && may_change(arguments[i], uses[i].role)) changeable[i] = uses[i];
  }
  return changeable;
}

std::int64_t changeable_bytes(const std::vector<sample::Argument>& arguments,
                              const std::vector<WeightUse>& uses) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (uses[i].role != WeightRole::kUnknown) bytes += arguments[i].bytes.num_bytes();
  }
  return static_cast<std::int64_t>(bytes);
}

void fill_weight(const WeightUse& use, std::uint64_t seed, std::size_t index,
                 sample::Argument& argument) {
  const Moments moments = moments_of(use);
  const std::uint64_t state = mixed(mixed(seed) + index);
  const std::size_t count = count_of(argument);
  std::byte* bytes = argument.bytes.data();
  switch (argument.dtype) {
    case DType::kFloat16:
      return fill<std::uint16_t>(bytes, count, state, moments, base::float_to_half);
    case DType::kBFloat16:
      return fill<std::uint16_t>(bytes, count, state, moments, base::float_to_bfloat16);
    case DType::kFloat64:
      return fill<double>(bytes, count, state, moments, [](float value) { return double{value}; });
    default:
      return fill<float>(bytes, count, state, moments, [](float value) { return value; });
  }
}

base::Result<SavedContent> SavedContent::save(const std::vector<sample::Argument>& arguments,
                                              const std::vector<WeightUse>& uses) {
  SavedContent saved;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (uses[i].role == WeightRole::kUnknown) continue;
    const base::AlignedBuffer& source = arguments[i].bytes;
    auto copy = base::AlignedBuffer::allocate(source.num_bytes());
    if (copy.data() == nullptr) {
      return base::Status(base::Code::kEnvironment, "no memory to keep a weight of " +
                                                        base::format_bytes(source.num_bytes()));
    }
    std::memcpy(copy.data(), source.data(), source.num_bytes());
    saved.all_.push_back({i, std::move(copy)});
  }
  return saved;
}

void SavedContent::restore(std::vector<sample::Argument>& arguments) const {
  for (const Saved& saved : all_) {
    std::memcpy(arguments[saved.index].bytes.data(), saved.bytes.data(), saved.bytes.num_bytes());
  }
}

}  // namespace graphnet::worker
