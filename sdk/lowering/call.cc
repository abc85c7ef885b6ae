// SPDX-License-Identifier: MIT
#include "lowering/call.h"

#include <utility>

namespace graphnet::lowering {

const gn_argument& Call::argument(std::string_view name) const {
  const gn_argument* found = find_argument(node_, name);
  if (found == nullptr) throw LoweringError("no argument '" + std::string(name) + "'");
  return *found;
}

Tensor Call::lowered(std::int64_t id) const {
  const std::optional<Tensor>& value = progress_.values.at(static_cast<std::size_t>(id));
  if (!value) throw LoweringError("an operand could not be lowered");
  return *value;
}

bool Call::has(std::string_view name) const {
  const gn_argument* found = find_argument(node_, name);
  return found != nullptr && found->kind != GN_ARGUMENT_NONE;
}

bool Call::is_tensor(std::string_view name) const {
  const gn_argument* found = find_argument(node_, name);
  return found != nullptr && found->kind == GN_ARGUMENT_VALUE;
}

Tensor Call::tensor(std::string_view name) const {
  const gn_argument& found = argument(name);
  if (found.kind != GN_ARGUMENT_VALUE) {
    throw LoweringError("argument '" + std::string(name) + "' is not a tensor");
  }
  return lowered(found.integers[0]);
}

std::optional<Tensor> Call::optional_tensor(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  return tensor(name);
}

Tensors Call::tensors(std::string_view name) const {
  Tensors result;
  for (const std::int64_t id : integers_of(argument(name))) result.push_back(lowered(id));
  return result;
}

std::vector<std::optional<Tensor>> Call::optional_tensors(std::string_view name) const {
  std::vector<std::optional<Tensor>> result;
  for (const std::int64_t id : integers_of(argument(name))) {
    result.push_back(id < 0 ? std::nullopt : std::optional<Tensor>(lowered(id)));
  }
  return result;
}

std::int64_t Call::integer(std::string_view name) const {
  const gn_argument& found = argument(name);
  if (found.kind != GN_ARGUMENT_INT && found.kind != GN_ARGUMENT_BOOL) {
    throw LoweringError("argument '" + std::string(name) + "' is not an integer");
  }
  return found.integer;
}

std::int64_t Call::dim(std::string_view name, std::int64_t rank) const {
  const std::int64_t value = integer(name);
  return value < 0 ? value + rank : value;
}

double Call::number(std::string_view name) const {
  const gn_argument& found = argument(name);
  return found.kind == GN_ARGUMENT_FLOAT ? found.number : static_cast<double>(integer(name));
}

double Call::number(std::string_view name, double if_none) const {
  return has(name) ? number(name) : if_none;
}

bool Call::is_float(std::string_view name) const {
  return argument(name).kind == GN_ARGUMENT_FLOAT;
}

bool Call::flag(std::string_view name) const {
  return integer(name) != 0;
}

Shape Call::integers(std::string_view name) const {
  const gn_argument& found = argument(name);
  if (found.kind == GN_ARGUMENT_NONE) return {};
  if (found.kind == GN_ARGUMENT_INT) return {found.integer};
  if (found.kind != GN_ARGUMENT_INTS && found.kind != GN_ARGUMENT_BOOLS) {
    throw LoweringError("argument '" + std::string(name) + "' is not a list of integers");
  }
  return {found.integers, found.integers + found.count};
}

Shape Call::integers(std::string_view name, std::size_t count) const {
  Shape values = integers(name);
  if (values.size() == 1) values.assign(count, values[0]);
  if (values.size() != count) {
    throw LoweringError("argument '" + std::string(name) + "' has " +
                        std::to_string(values.size()) + " values instead of " +
                        std::to_string(count));
  }
  return values;
}

std::vector<double> Call::numbers(std::string_view name) const {
  const gn_argument& found = argument(name);
  if (found.kind == GN_ARGUMENT_NONE) return {};
  if (found.kind == GN_ARGUMENT_FLOATS) return {found.numbers, found.numbers + found.count};
  const Shape values = integers(name);
  return {values.begin(), values.end()};
}

std::string Call::text(std::string_view name) const {
  const gn_argument& found = argument(name);
  if (found.kind == GN_ARGUMENT_NONE) return {};
  return {found.text.data, found.text.size};
}

bool Call::is_read(std::size_t result) const {
  return result < node_.num_results && node_.results[result] >= 0;
}

const gn_value& Call::result(std::size_t index) const {
  if (!is_read(index)) throw LoweringError("result " + std::to_string(index) + " is not recorded");
  return body_.values[static_cast<std::size_t>(node_.results[index])];
}

Type Call::result_type(std::size_t index) const {
  const auto type = type_of(result(index).dtype);
  if (!type) throw LoweringError("result of an unknown element type");
  return *type;
}

Shape Call::result_shape(std::size_t index) const {
  const View<std::int64_t> shape = shape_of(result(index));
  return {shape.begin(), shape.end()};
}

std::optional<OpenConvolution> Call::open_convolution(std::string_view name) const {
  const gn_argument& found = argument(name);
  if (found.kind != GN_ARGUMENT_VALUE) return std::nullopt;
  const auto id = static_cast<std::size_t>(found.integers[0]);
  if (progress_.num_uses[id] != 1) return std::nullopt;
  return progress_.convolutions[id];
}

void Call::set_open_convolution(OpenConvolution convolution) {
  if (!is_read()) return;
  progress_.convolutions[static_cast<std::size_t>(node_.results[0])] = std::move(convolution);
}

Tensor Call::unexpanded(std::string_view name) const {
  const gn_argument& found = argument(name);
  if (found.kind != GN_ARGUMENT_VALUE) return tensor(name);
  const auto& before = progress_.unexpanded[static_cast<std::size_t>(found.integers[0])];
  return before ? *before : tensor(name);
}

void Call::set_unexpanded(Tensor tensor) {
  if (!is_read()) return;
  progress_.unexpanded[static_cast<std::size_t>(node_.results[0])] = std::move(tensor);
}

}  // namespace graphnet::lowering
