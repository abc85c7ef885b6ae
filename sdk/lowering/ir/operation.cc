// SPDX-License-Identifier: MIT
#include "lowering/ir/operation.h"

#include <array>
#include <charconv>
#include <type_traits>

namespace graphnet::lowering::ir {

namespace {

// ---- names of enumerators, in their order ----

template <typename Enum>
struct Names;
template <>
struct Names<Unary> {
  static constexpr std::array<std::string_view, 19> kAll = {
      "abs",   "negate", "sign", "floor", "ceil",     "exp", "expm1", "log",  "log1p", "sqrt",
      "rsqrt", "sin",    "cos",  "tanh",  "logistic", "erf", "not",   "real", "imag"};
};
template <>
struct Names<Binary> {
  static constexpr std::array<std::string_view, 12> kAll = {
      "add",     "subtract", "multiply", "divide", "remainder", "power",
      "maximum", "minimum",  "and",      "or",     "xor",       "complex"};
};
template <>
struct Names<Comparison> {
  static constexpr std::array<std::string_view, 6> kAll = {"eq", "ne", "lt", "le", "gt", "ge"};
};
template <>
struct Names<Reduction> {
  static constexpr std::array<std::string_view, 7> kAll = {"sum",        "product", "max", "min",
                                                           "max_number", "and",     "or"};
};
template <>
struct Names<Fourier> {
  static constexpr std::array<std::string_view, 4> kAll = {"forward", "inverse", "real_forward",
                                                           "real_inverse"};
};

template <typename Enum>
std::string_view enumerator_name(Enum value) {
  return Names<Enum>::kAll[static_cast<std::size_t>(value)];
}

template <typename Enum>
std::optional<Enum> enumerator_named(std::string_view name) {
  for (std::size_t i = 0; i < Names<Enum>::kAll.size(); ++i) {
    if (Names<Enum>::kAll[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

// ---- names of operations ----

std::string_view name(const Parameter& each) {
  constexpr std::array<std::string_view, 3> kNames = {"input", "weight", "bound"};
  return kNames[static_cast<std::size_t>(each.source)];
}
std::string_view name(const Constant&) {
  return "constant";
}
std::string_view name(const Splat&) {
  return "splat";
}
std::string_view name(const Iota&) {
  return "iota";
}
std::string_view name(const Convert&) {
  return "convert";
}
template <typename Kind>
std::string_view name(const Elementwise<Kind>& each) {
  return enumerator_name(each.kind);
}
std::string_view name(const Select&) {
  return "select";
}
std::string_view name(const Broadcast&) {
  return "broadcast";
}
std::string_view name(const Reshape&) {
  return "reshape";
}
std::string_view name(const Transpose&) {
  return "transpose";
}
std::string_view name(const Slice&) {
  return "slice";
}
std::string_view name(const Pad&) {
  return "pad";
}
std::string_view name(const Concatenate&) {
  return "concatenate";
}
std::string_view name(const Reverse&) {
  return "reverse";
}
std::string_view name(const Reduce&) {
  return "reduce";
}
std::string_view name(const ReduceIndex&) {
  return "reduce_index";
}
std::string_view name(const ReduceWindow&) {
  return "reduce_window";
}
std::string_view name(const Dot&) {
  return "dot";
}
std::string_view name(const Convolution&) {
  return "convolution";
}
std::string_view name(const PackedDot&) {
  return "packed_dot";
}
std::string_view name(const PairedDot&) {
  return "paired_dot";
}
std::string_view name(const PackedConvolution&) {
  return "packed_convolution";
}
std::string_view name(const WinogradInput&) {
  return "winograd_input";
}
std::string_view name(const WinogradKernel&) {
  return "winograd_kernel";
}
std::string_view name(const WinogradOutput&) {
  return "winograd_output";
}
std::string_view name(const Attention&) {
  return "attention";
}
std::string_view name(const Gather&) {
  return "gather";
}
std::string_view name(const Scatter&) {
  return "scatter";
}
std::string_view name(const Sort&) {
  return "sort";
}
std::string_view name(const FourierTransform&) {
  return "fourier";
}
std::string_view name(const Composite& each) {
  return each.op;
}

/// The first alternative, with attributes at their defaults, that has this name.
template <std::size_t kIndex = 0>
std::optional<Operation> plain_named(std::string_view wanted) {
  if constexpr (kIndex < std::variant_size_v<Operation>) {
    std::variant_alternative_t<kIndex, Operation> candidate;
    if (name(candidate) == wanted) return Operation(std::move(candidate));
    return plain_named<kIndex + 1>(wanted);
  } else {
    return std::nullopt;
  }
}

template <typename Kind>
std::optional<Operation> elementwise_named(std::string_view wanted) {
  const auto kind = enumerator_named<Kind>(wanted);
  if (!kind) return std::nullopt;
  return Operation(Elementwise<Kind>{*kind});
}

// ---- attributes ----

constexpr std::string_view kHex = "0123456789abcdef";

std::string text_of(std::int64_t value) {
  return std::to_string(value);
}
std::string text_of(bool value) {
  return value ? "true" : "false";
}
/// The shortest text that reads as the same number.
std::string text_of(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end.ptr};
}
std::string text_of(const Shape& values) {
  std::string text = "[";
  for (const std::int64_t each : values) {
    if (text.size() > 1) text += ",";
    text += std::to_string(each);
  }
  return text + "]";
}
std::string text_of(const SharedBytes& bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes.view()) {
    const auto value = static_cast<unsigned char>(byte);
    text += kHex[value >> 4U];
    text += kHex[value & 15U];
  }
  return text;
}
template <typename Enum, typename = std::enable_if_t<std::is_enum_v<Enum>>>
std::string text_of(Enum value) {
  return std::string(enumerator_name(value));
}
std::string text_of(const std::optional<Reduction>& value) {
  return value ? text_of(*value) : "replace";
}

template <typename Number>
bool read(std::string_view text, Number& value) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  return end.ec == std::errc() && end.ptr == text.data() + text.size();
}
bool read(std::string_view text, bool& value) {
  value = text == "true";
  return value || text == "false";
}
bool read(std::string_view text, Shape& values) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
  text = text.substr(1, text.size() - 2);
  values.clear();
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (!read(text.substr(0, comma), values.emplace_back())) return false;
    if (comma + 1 == text.size()) return false;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return true;
}
bool read(std::string_view text, SharedBytes& value) {
  if (text.size() % 2 != 0) return false;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::size_t high = kHex.find(text[i]);
    const std::size_t low = kHex.find(text[i + 1]);
    if (high > 15 || low > 15) return false;
    bytes += static_cast<char>(16 * high + low);
  }
  value = SharedBytes(bytes);
  return true;
}
template <typename Enum>
bool read_enumerator(std::string_view text, Enum& value) {
  const auto found = enumerator_named<Enum>(text);
  if (found) value = *found;
  return found.has_value();
}
bool read(std::string_view text, Reduction& value) {
  return read_enumerator(text, value);
}
bool read(std::string_view text, Fourier& value) {
  return read_enumerator(text, value);
}
bool read(std::string_view text, std::optional<Reduction>& value) {
  value.reset();
  return text == "replace" || read(text, value.emplace());
}

}  // namespace

std::string_view name_of(const Operation& operation) {
  return std::visit([](const auto& each) { return name(each); }, operation);
}

std::optional<Operation> operation_named(std::string_view name) {
  if (name.empty()) return std::nullopt;  // a composite's
  if (name == "weight") return Operation(Parameter{ParameterSource::kWeight, 0});
  if (name == "bound") return Operation(Parameter{ParameterSource::kBound, 0});
  for (const auto find : {elementwise_named<Unary>, elementwise_named<Binary>,
                          elementwise_named<Comparison>, plain_named<0>}) {
    if (auto found = find(name)) return found;
  }
  return std::nullopt;
}

Stage own_stage(const Operation& operation) {
  const auto* parameter = std::get_if<Parameter>(&operation);
  if (parameter == nullptr) return Stage::kKnown;
  return parameter->source == ParameterSource::kWeight ? Stage::kBind : Stage::kCall;
}

std::string attributes_text(const Operation& operation) {
  std::string text;
  std::visit(
      [&text](const auto& each) {
        each.attributes(each, [&text](std::string_view name, const auto& value) {
          text += " " + std::string(name) + "=" + text_of(value);
        });
      },
      operation);
  return text;
}

bool set_attribute(Operation& operation, std::string_view name, std::string_view text) {
  bool is_set = false;
  std::visit(
      [&](auto& each) {
        each.attributes(each, [&](std::string_view own, auto& value) {
          if (own == name) is_set = read(text, value);
        });
      },
      operation);
  return is_set;
}

}  // namespace graphnet::lowering::ir
