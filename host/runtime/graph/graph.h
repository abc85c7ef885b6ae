// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/dtype.h"

namespace graphnet::graph {

/// Index of a value of a Graph.
using ValueId = std::int32_t;
inline constexpr ValueId kNoValue = -1;

enum class ValueKind : std::uint8_t {
  kInput,     ///< given with every call
  kWeight,    ///< given once, to bind
  kConstant,  ///< known: `data`
  kResult,    ///< of a node
};

/// A tensor in normal form: assigned once, never written to, of static shape.
struct Value {
  ValueKind kind = ValueKind::kResult;
  std::string name;  ///< inputs and weights: of the parameter; else empty
  base::DType dtype = base::DType::kFloat32;
  std::vector<std::int64_t> shape;
  /// kConstant: dense row-major. An input that the host draws: as drawn in the run that the graph
  /// was taken from.
  std::vector<std::byte> data = {};
};

/// An argument that is not a tensor; nothing stands for None.
///
/// source   types of ATen's schemas; SymInt is an integer, a Scalar is what it holds
using Attribute = std::variant<std::monostate, bool, std::int64_t, double, std::string, base::DType,
                               std::vector<std::int64_t>, std::vector<double>, std::vector<bool>>;

/// One argument of a node, named as in the operator's schema.
struct Argument {
  enum class Kind : std::uint8_t {
    kAttribute,
    kValue,   ///< values[0]
    kValues,  ///< a list of tensors; kNoValue stands for None in it
  };
  std::string name;
  Kind kind = Kind::kAttribute;
  std::vector<ValueId> values = {};
  Attribute attribute = {};
};

/// A call of a functional ATen overload.
///
/// order    arguments: all of the schema, in its order, defaults filled in; results in order, lists
///          flattened, kNoValue where nobody reads it
struct Node {
  std::string op;     ///< "aten::add.Tensor"
  std::string where;  ///< "model.py:12:5"; empty for nodes that no statement stands for
  std::vector<Argument> arguments;
  std::vector<ValueId> results;
};

/// A program in normal form: functional, static, every node an ATen overload bound to its schema.
///
/// order    nodes so that values are defined before they are read; parameters as in forward's
///          signature, random values (which the host draws before each call) behind them
struct Graph {
  std::string name;  ///< "<family>/<model>"
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> parameters;
  std::size_t num_random = 0;  ///< parameters that the host draws: the last ones
  std::vector<ValueId> outputs;
  /// Parameters whose content the graph has built in: the host read it for sizes and numbers.
  std::vector<ValueId> specialised = {};

  Value& value(ValueId id) { return values[static_cast<std::size_t>(id)]; }
  const Value& value(ValueId id) const { return values[static_cast<std::size_t>(id)]; }
};

}  // namespace graphnet::graph
