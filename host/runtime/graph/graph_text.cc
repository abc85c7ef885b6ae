// SPDX-License-Identifier: MIT
#include "graph/graph_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "graph/graph_words.h"

namespace graphnet::graph {

namespace {

struct TypeRow {
  base::DType dtype;
  std::string_view name;
};
constexpr std::array<TypeRow, 12> kTypes = {{
    {base::DType::kBool, "bool"},
    {base::DType::kUInt8, "u8"},
    {base::DType::kInt8, "i8"},
    {base::DType::kInt16, "i16"},
    {base::DType::kInt32, "i32"},
    {base::DType::kInt64, "i64"},
    {base::DType::kFloat16, "f16"},
    {base::DType::kBFloat16, "bf16"},
    {base::DType::kFloat32, "f32"},
    {base::DType::kFloat64, "f64"},
    {base::DType::kComplex64, "c64"},
    {base::DType::kComplex128, "c128"},
}};

std::string quoted(const std::string& text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte > 0x7e) {
      out += "\\x";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string hex_bits(const std::byte* element, std::size_t num_bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "0x";
  for (std::size_t i = num_bytes; i-- > 0;) {
    const auto byte = static_cast<unsigned>(element[i]);
    out += kHex[byte >> 4U];
    out += kHex[byte & 15U];
  }
  return out;
}

template <typename T>
std::string shortest(T number) {
  std::array<char, 32> text = {};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), end.ptr};
}

// The shortest text that reads back as this number; bits for a NaN other than the usual one.
std::string print_float(double number) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof(bits));
  constexpr std::uint64_t kUsualNan = 0x7ff8000000000000;
  if (std::isnan(number) && bits != kUsualNan) {
    return "nan" + hex_bits(reinterpret_cast<const std::byte*>(&bits), sizeof(bits));
  }
  std::string text = shortest(number);
  if (text.find_first_of(".enf") == std::string::npos) text += ".0";
  return text;
}

template <typename List, typename Print>
std::string joined(const List& list, Print print) {
  std::string out;
  for (const auto& item : list) {
    if (!out.empty()) out += ", ";
    out += print(item);
  }
  return out;
}

std::string print_bool(bool flag) {
  return flag ? "true" : "false";
}

std::string print_id(ValueId id) {
  return id == kNoValue ? "none" : "%" + std::to_string(id);
}

std::string print_attribute(const Attribute& attribute) {
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "none";
        } else if constexpr (std::is_same_v<T, bool>) {
          return print_bool(value);
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
          return std::to_string(value);
        } else if constexpr (std::is_same_v<T, double>) {
          return print_float(value);
        } else if constexpr (std::is_same_v<T, std::string>) {
          return quoted(value);
        } else if constexpr (std::is_same_v<T, base::DType>) {
          return std::string(short_name(value));
        } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
          return "bools[" + joined(value, print_bool) + "]";
        } else if constexpr (std::is_same_v<T, std::vector<double>>) {
          return "floats[" + joined(value, print_float) + "]";
        } else {
          return "ints[" + joined(value, shortest<std::int64_t>) + "]";
        }
      },
      attribute);
}

std::string print_argument(const Argument& argument) {
  if (argument.kind == Argument::Kind::kAttribute) {
    return argument.name + "=" + print_attribute(argument.attribute);
  }
  if (argument.kind == Argument::Kind::kValue) {
    return argument.name + "=" + print_id(argument.values[0]);
  }
  return argument.name + "=(" + joined(argument.values, print_id) + ")";
}

template <typename T>
std::string decimal(const std::byte* element) {
  T number = 0;
  std::memcpy(&number, element, sizeof(T));
  return std::to_string(number);
}

std::string print_element(base::DType dtype, const std::byte* element) {
  switch (dtype) {
    case base::DType::kBool:
    case base::DType::kUInt8:
      return decimal<std::uint8_t>(element);
    case base::DType::kInt8:
      return decimal<std::int8_t>(element);
    case base::DType::kInt16:
      return decimal<std::int16_t>(element);
    case base::DType::kInt32:
      return decimal<std::int32_t>(element);
    case base::DType::kInt64:
      return decimal<std::int64_t>(element);
    default:
      return hex_bits(element, base::dtype_bytes(dtype));
  }
}

std::string print_elements(const Value& value) {
  const std::size_t width = base::dtype_bytes(value.dtype);
  std::string out;
  for (std::size_t at = 0; at + width <= value.data.size(); at += width) {
    if (!out.empty()) out += ", ";
    out += print_element(value.dtype, value.data.data() + at);
  }
  return "[" + out + "]";
}

std::string print_definition(const Graph& graph, ValueId id) {
  return "%" + std::to_string(id) + ": " + print_type(graph.value(id)) + " = ";
}

}  // namespace

std::string_view short_name(base::DType dtype) {
  for (const TypeRow& row : kTypes) {
    if (row.dtype == dtype) return row.name;
  }
  return "";
}

std::optional<base::DType> dtype_from_short_name(std::string_view name) {
  for (const TypeRow& row : kTypes) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

std::string print_type(const Value& value) {
  std::string extents;
  for (const std::int64_t extent : value.shape) {
    if (!extents.empty()) extents += ",";
    extents += std::to_string(extent);
  }
  return std::string(short_name(value.dtype)) + "[" + extents + "]";
}

std::string print_node(const Graph& graph, const Node& node) {
  std::string out = joined(node.results, [&](ValueId id) {
    if (id == kNoValue) return std::string("_");
    return print_id(id) + ": " + print_type(graph.value(id));
  });
  if (!out.empty()) out += " = ";
  return out + node.op + "(" + joined(node.arguments, print_argument) + ")";
}

std::string print_graph(const Graph& graph) {
  std::string out = "graph " + quoted(graph.name) + "\n";
  const std::size_t first_random = graph.parameters.size() - graph.num_random;
  for (std::size_t i = 0; i < graph.parameters.size(); ++i) {
    const Value& value = graph.value(graph.parameters[i]);
    const char* word = value.kind == ValueKind::kWeight ? "weight " : "input ";
    out += print_definition(graph, graph.parameters[i]);
    out += (i < first_random ? word : "random ") + quoted(value.name);
    if (!value.data.empty()) out += " " + print_elements(value);
    out += "\n";
  }
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    if (graph.values[i].kind != ValueKind::kConstant) continue;
    out += print_definition(graph, static_cast<ValueId>(i)) + "constant " +
           print_elements(graph.values[i]) + "\n";
  }
  for (const Node& node : graph.nodes) {
    out += print_node(graph, node);
    if (!node.where.empty()) out += "  # " + node.where;
    out += "\n";
  }
  if (!graph.specialised.empty()) {
    out += "specialised " + joined(graph.specialised, print_id) + "\n";
  }
  return out + "return" + (graph.outputs.empty() ? "" : " ") + joined(graph.outputs, print_id) +
         "\n";
}

}  // namespace graphnet::graph
