// SPDX-License-Identifier: MIT
#include "sample/content.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sample/mt19937.h"

namespace graphnet::sample {

namespace {

using base::Code;
using base::DType;
using base::Result;
using base::Status;

constexpr double kLargeFactor = 1e3;
constexpr double kTinyFactor = 1e-3;

constexpr std::string_view kStatePrefixes[] = {"L_self_", "L_instance_", "g_"};
constexpr std::string_view kStateParts[] = {"_modules_", "_buffers_", "_parameters_"};

std::size_t element_count(const Argument& argument) {
  return argument.bytes.num_bytes() / base::dtype_bytes(argument.dtype);
}

/// Largest finite number of a floating dtype.
double largest_finite(DType dtype) {
  if (dtype == DType::kFloat16) return 65504;
  if (dtype == DType::kFloat64) return std::numeric_limits<double>::max();
  return std::numeric_limits<float>::max();  // bfloat16 reaches nearly as far
}

template <typename T>
T load(const std::byte* bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void store(std::byte* bytes, std::size_t index, T value) {
  std::memcpy(bytes + index * sizeof(T), &value, sizeof(T));
}

/// Replaces each element of a floating dtype by what `change` makes of it.
template <typename Change>
void change_floats(Argument& argument, Change change) {
  std::byte* bytes = argument.bytes.data();
  const std::size_t count = element_count(argument);
  for (std::size_t i = 0; i < count; ++i) {
    switch (argument.dtype) {
      case DType::kFloat16: {
        const double value = base::half_to_float(load<std::uint16_t>(bytes, i));
        store(bytes, i, base::float_to_half(static_cast<float>(change(value))));
        break;
      }
      case DType::kBFloat16: {
        const double value = base::bfloat16_to_float(load<std::uint16_t>(bytes, i));
        store(bytes, i, base::float_to_bfloat16(static_cast<float>(change(value))));
        break;
      }
      case DType::kFloat32:
        store(bytes, i, static_cast<float>(change(load<float>(bytes, i))));
        break;
      default:
        store(bytes, i, change(load<double>(bytes, i)));
    }
  }
}

void enlarge(Argument& argument) {
  double largest = 0;
  change_floats(argument, [&largest](double value) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    return value;
  });
  const double most = largest_finite(argument.dtype) / 2;
  const double factor = largest * kLargeFactor > most ? most / largest : kLargeFactor;
  change_floats(argument, [factor](double value) { return value * factor; });
}

/// Fisher-Yates on elements of any size.
void permute(Argument& argument, LegacyGenerator& generator) {
  const std::size_t size = base::dtype_bytes(argument.dtype);
  std::byte* bytes = argument.bytes.data();
  for (std::size_t i = element_count(argument); i > 1; --i) {
    const std::size_t other = generator.bounded(i - 1);
    if (other == i - 1) continue;
    std::swap_ranges(bytes + (i - 1) * size, bytes + i * size, bytes + other * size);
  }
}

Result<base::AlignedBuffer> copy_of(const base::AlignedBuffer& source) {
  base::AlignedBuffer copy = base::AlignedBuffer::allocate(source.num_bytes());
  if (copy.data() == nullptr) {
    return Status(Code::kEnvironment, "out of memory for a copy of the inputs");
  }
  std::memcpy(copy.data(), source.data(), source.num_bytes());
  return copy;
}

std::unordered_map<std::string_view, const TensorMeta*> by_name(
    const std::vector<TensorMeta>& metas) {
  std::unordered_map<std::string_view, const TensorMeta*> found;
  for (const TensorMeta& meta : metas) found.emplace(meta.name, &meta);
  return found;
}

}  // namespace

bool is_module_state(graph::ParameterKind kind, const std::string& name) {
  const std::string_view view = name;
  return kind == graph::ParameterKind::kParameter || kind == graph::ParameterKind::kBuffer ||
         std::any_of(
             std::begin(kStatePrefixes), std::end(kStatePrefixes),
             [&](std::string_view prefix) { return view.substr(0, prefix.size()) == prefix; }) ||
         std::any_of(std::begin(kStateParts), std::end(kStateParts), [&](std::string_view part) {
           return view.find(part) != std::string_view::npos;
         });
}

std::vector<VariableArgument> variable_arguments(const std::vector<TensorMeta>& metas,
                                                 const std::vector<Argument>& arguments,
                                                 const std::vector<bool>& pinned) {
  const auto found = by_name(metas);
  std::vector<VariableArgument> variable;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (pinned[i] || argument.kind == graph::ParameterKind::kSymInt ||
        argument.bytes.num_bytes() == 0 || is_module_state(argument.kind, argument.name)) {
      continue;
    }
    const TensorMeta& meta = *found.at(argument.name);
    variable.push_back({i, meta.data.has_value()});
    if (meta.data || !is_integer_range(meta)) continue;
    variable.back().bounds = std::pair(meta.min_val->integer, meta.max_val->integer);
  }
  return variable;
}

namespace {

/// Bits: an unsigned integer as wide as the float, whose sign is its top bit.
template <typename Bits>
void flip_bits_of(Argument& argument, Bits exponent, unsigned bit, Mt19937& words) {
  const auto flipped = static_cast<Bits>(Bits{1} << bit);
  std::byte* bytes = argument.bytes.data();
  const std::size_t count = element_count(argument);
  const auto magnitude = static_cast<Bits>(~(Bits{1} << (sizeof(Bits) * 8 - 1)));
  std::uint32_t choices = 0;
  for (std::size_t i = 0; i < count; ++i) {
    choices = i % 32 == 0 ? words.next_word() : choices >> 1U;
    const auto value = load<Bits>(bytes, i);
    const bool is_finite = (value & exponent) != exponent;
    const bool is_small = (value & magnitude) < 2 * flipped;  // the bit itself does not decide
    if ((choices & 1U) != 0 && is_finite && !is_small) {
      store(bytes, i, static_cast<Bits>(value ^ flipped));
    }
  }
}

}  // namespace

void flip_bits(Argument& argument, std::uint32_t seed, unsigned bit) {
  Mt19937 words(seed);
  switch (argument.dtype) {
    case DType::kFloat16:
      return flip_bits_of<std::uint16_t>(argument, 0x7C00, bit, words);
    case DType::kBFloat16:
      return flip_bits_of<std::uint16_t>(argument, 0x7F80, bit, words);
    case DType::kFloat32:
      return flip_bits_of<std::uint32_t>(argument, 0x7F800000, bit, words);
    case DType::kFloat64:
      return flip_bits_of<std::uint64_t>(argument, 0x7FF0000000000000, bit, words);
    default:
      return;
  }
}

Result<ContentVariants> ContentVariants::create(const std::vector<TensorMeta>& metas,
                                                std::vector<Argument>& arguments,
                                                const std::vector<bool>& pinned) {
  ContentVariants variants(metas, arguments);
  variants.variable_ = variable_arguments(metas, arguments, pinned);
  for (const VariableArgument& variable : variants.variable_) {
    const Argument& argument = arguments[variable.index];
    GN_ASSIGN_OR_RETURN(base::AlignedBuffer copy, copy_of(argument.bytes));
    variants.generated_.push_back(std::move(copy));
  }
  return variants;
}

Result<bool> ContentVariants::apply(Content content, std::uint32_t seed) {
  restore();
  if (content == Content::kOtherSeed) {
    GN_RETURN_IF_ERROR(draw(seed));
  } else {
    distort(content, seed);
  }
  return differs();
}

Status ContentVariants::draw(std::uint32_t seed) {
  const auto found = by_name(*metas_);
  std::vector<TensorMeta> metas;
  std::vector<graph::Parameter> parameters;
  for (std::size_t i = 0; i < variable_.size(); ++i) {
    metas.push_back(*found.at(argument(i).name));
    parameters.push_back({argument(i).name, argument(i).kind, {}});
  }
  auto drawn = generate_arguments(metas, parameters, seed);
  if (!drawn.is_ok()) return std::move(drawn).status();
  LegacyGenerator generator(seed);
  for (std::size_t i = 0; i < variable_.size(); ++i) {
    const Argument& other = (*drawn)[i];
    if (variable_[i].permute_only) {
      permute(argument(i), generator);
    } else if (!other.needs_torch_normals) {
      std::memcpy(argument(i).bytes.data(), other.bytes.data(), other.bytes.num_bytes());
    }
  }
  return Status::ok();
}

void ContentVariants::distort(Content content, std::uint32_t seed) {
  LegacyGenerator generator(seed);
  for (std::size_t i = 0; i < variable_.size(); ++i) {
    Argument& changed = argument(i);
    if (variable_[i].permute_only || !base::is_floating(changed.dtype) ||
        content == Content::kPermuted) {
      permute(changed, generator);
    } else if (content == Content::kZeros) {
      std::memset(changed.bytes.data(), 0, changed.bytes.num_bytes());
    } else if (content == Content::kLarge) {
      enlarge(changed);
    } else if (content == Content::kTiny) {
      change_floats(changed, [](double value) { return value * kTinyFactor; });
    } else {
      change_floats(changed, [](double value) { return -value; });
    }
  }
}

void ContentVariants::restore() {
  for (std::size_t i = 0; i < variable_.size(); ++i) {
    std::memcpy(argument(i).bytes.data(), generated_[i].data(), generated_[i].num_bytes());
  }
}

bool ContentVariants::differs() const {
  for (std::size_t i = 0; i < variable_.size(); ++i) {
    const base::AlignedBuffer& bytes = (*arguments_)[variable_[i].index].bytes;
    if (std::memcmp(bytes.data(), generated_[i].data(), bytes.num_bytes()) != 0) return true;
  }
  return false;
}

}  // namespace graphnet::sample
