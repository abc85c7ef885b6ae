// SPDX-License-Identifier: MIT
#include "module_text.h"

#include <cmath>
#include <cstdio>

#include "graphnet/plugin.h"
#include "graphnet/scalar_type.h"

namespace graphnet::inductor {

namespace {

std::string dtype_text(DLDataType dtype) {
  const ScalarType* type = find_scalar_type(dtype);
  if (type == nullptr) throw Failure(GN_STATUS_UNSUPPORTED, "an element type without a name");
  return std::string("torch.") + type->name;
}

std::string float_text(double number) {
  if (std::isnan(number)) return "float('nan')";
  if (std::isinf(number)) return number > 0 ? "float('inf')" : "float('-inf')";
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", number);
  const bool is_integer = std::string(text).find_first_of(".e") == std::string::npos;
  return std::string(text) + (is_integer ? ".0" : "");
}

std::string string_text(std::string_view text) {
  std::string quoted = "'";
  for (const char byte : text) {
    if (byte == '\'' || byte == '\\') quoted += '\\';
    quoted += byte;
  }
  return quoted + "'";
}

std::string value_name(std::int64_t id) {
  return id < 0 ? "None" : "v" + std::to_string(id);
}

template <typename Elements, typename Text>
std::string list_text(const Elements& elements, Text text) {
  std::string list = "[";
  for (const auto& element : elements) {
    if (list.size() > 1) list += ", ";
    list += text(element);
  }
  return list + "]";
}

std::string integer_text(std::int64_t integer) {
  return std::to_string(integer);
}

std::string bool_text(std::int64_t integer) {
  return integer != 0 ? "True" : "False";
}

std::string argument_text(const gn_argument& argument) {
  const View<double> numbers(argument.numbers, argument.count);
  switch (argument.kind) {
    case GN_ARGUMENT_VALUE:
      return value_name(argument.integers[0]);
    case GN_ARGUMENT_VALUES:
      return list_text(integers_of(argument), value_name);
    case GN_ARGUMENT_BOOL:
      return bool_text(argument.integer);
    case GN_ARGUMENT_INT:
      return integer_text(argument.integer);
    case GN_ARGUMENT_FLOAT:
      return float_text(argument.number);
    case GN_ARGUMENT_STRING:
      return string_text(from_gn(argument.text));
    case GN_ARGUMENT_DTYPE:
      return dtype_text(argument.dtype);
    case GN_ARGUMENT_BOOLS:
      return list_text(integers_of(argument), bool_text);
    case GN_ARGUMENT_INTS:
      return list_text(integers_of(argument), integer_text);
    case GN_ARGUMENT_FLOATS:
      return list_text(numbers, float_text);
    default:
      return "None";
  }
}

std::size_t bytes_of(const gn_value& value) {
  std::size_t bytes = value.dtype.bits / 8U;
  for (const std::int64_t extent : shape_of(value)) bytes *= static_cast<std::size_t>(extent);
  return bytes;
}

/// Which values are read, by a node or as an output.
std::vector<bool> read_values(const gn_graph_body& body) {
  std::vector<bool> is_read(body.num_values);
  const auto read = [&](std::int64_t id) {
    if (id >= 0) is_read[static_cast<std::size_t>(id)] = true;
  };
  for (const gn_node& node : nodes_of(body)) {
    for (const gn_argument& argument : arguments_of(node)) {
      if (argument.kind != GN_ARGUMENT_VALUE && argument.kind != GN_ARGUMENT_VALUES) continue;
      for (const std::int64_t id : integers_of(argument)) read(id);
    }
  }
  for (const std::int64_t id : outputs_of(body)) read(id);
  return is_read;
}

class Writer {
 public:
  Writer(const gn_graph_body& body, bool weights_are_arguments)
      : body_(body), weights_are_arguments_(weights_are_arguments), is_read_(read_values(body)) {}

  ModuleText write(const std::string& sample) {
    add_arguments();
    add_attributes();
    for (const gn_node& node : nodes_of(body_)) add_node(node);
    add_return();
    text_.source = "# " + sample + "\n" + "# Read by compile.py.\n" + "INPUTS = [\n" + inputs_ +
                   "]\n" + "ATTRIBUTES = [\n" + attributes_ + "]\n\n" + "class Module(Base):\n" +
                   "    def forward(self" + parameters_ + "):\n" + lines_;
    return std::move(text_);
  }

 private:
  bool is_argument(const gn_value& value) const {
    if (value.kind == GN_VALUE_INPUT) return true;
    const bool is_single = bytes_of(value) == value.dtype.bits / 8U;
    return value.kind == GN_VALUE_WEIGHT && value.data == nullptr && bytes_of(value) > 0 &&
           (weights_are_arguments_ || is_single);
  }

  std::string type_text(const gn_value& value) const {
    return dtype_text(value.dtype) + ", " + list_text(shape_of(value), integer_text);
  }

  void add_arguments() {
    for (std::size_t id = 0; id < body_.num_values; ++id) {
      const gn_value& value = body_.values[id];
      if (!is_argument(value) || !is_read_[id]) continue;
      text_.arguments.push_back({value.kind == GN_VALUE_WEIGHT, value.index});
      inputs_ += "    (" + type_text(value) + "),  # " + std::string(from_gn(value.name)) + "\n";
      parameters_ += ", " + value_name(static_cast<std::int64_t>(id));
    }
  }

  // (name, kind, element type, shape, offset in the file "data"; None: unknown while compiling)
  void add_attributes() {
    for (std::size_t position = 0; position < body_.num_values; ++position) {
      const gn_value& value = body_.values[position];
      const bool is_weight = value.kind == GN_VALUE_WEIGHT;
      if ((!is_weight && value.kind != GN_VALUE_CONSTANT) || !is_read_[position]) continue;
      if (is_argument(value)) continue;
      const auto id = static_cast<std::int64_t>(position);
      const bool is_known = value.data != nullptr || bytes_of(value) == 0;
      const std::string name =
          is_weight && !is_known ? "w" + std::to_string(value.index) : "c" + std::to_string(id);
      std::string offset = "None";
      if (is_known) {
        text_.data.resize((text_.data.size() + kAlignment - 1) / kAlignment * kAlignment);
        offset = std::to_string(text_.data.size());
        text_.constants.push_back({id, text_.data.size()});
        text_.data.append(static_cast<const char*>(value.data), bytes_of(value));
      } else {
        text_.weights.push_back(value.index);
      }
      attributes_ += "    ('" + name + "', " + (is_weight ? "True" : "False") + ", " +
                     type_text(value) + ", " + offset + "),";
      attributes_ += is_weight ? "  # " + std::string(from_gn(value.name)) + "\n" : "\n";
      lines_ += "        " + value_name(id) + " = self." + name + "\n";
    }
  }

  void add_node(const gn_node& node) {
    std::string results;
    for (const std::int64_t id : results_of(node)) {
      results += (id < 0 ? "_" : value_name(id)) + std::string(", ");
    }
    std::string op(from_gn(node.op));  // "aten::add.Tensor"
    op.replace(0, op.find("::") + 2, "");
    if (op.find('.') == std::string::npos) op += ".default";
    lines_ += "        " + results + "= call(aten." + op;
    for (const gn_argument& argument : arguments_of(node)) {
      lines_ += ", " + std::string(from_gn(argument.name)) + "=" + argument_text(argument);
    }
    lines_ += ")";
    if (node.where.size > 0) lines_ += "  # " + std::string(from_gn(node.where));
    lines_ += "\n";
  }

  void add_return() {
    lines_ += "        return (";
    for (const std::int64_t id : outputs_of(body_)) lines_ += value_name(id) + ", ";
    lines_ += ")\n";
  }

  static constexpr std::size_t kAlignment = 64;

  const gn_graph_body& body_;
  bool weights_are_arguments_;
  std::vector<bool> is_read_;
  ModuleText text_;
  std::string inputs_;
  std::string attributes_;
  std::string parameters_;
  std::string lines_;
};

}  // namespace

ModuleText module_text(const gn_graph_body& body, const std::string& sample,
                       bool weights_are_arguments) {
  return Writer(body, weights_are_arguments).write(sample);
}

}  // namespace graphnet::inductor
