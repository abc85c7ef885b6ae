// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/result.h"
#include "graph/graph.h"

namespace graphnet::graph {

/// What an argument of an operator holds.
enum class ArgumentType : std::uint8_t {
  kTensor,
  kTensorList,  ///< may hold None if the schema says Tensor?[]
  kInt,
  kInts,
  kFloat,
  kFloats,
  kScalar,  ///< bool, int or float
  kBool,
  kBools,
  kString,  ///< also the name of a memory format
  kDType,
  kOther,  ///< device, layout, generator: always None, the run decides
};

struct OpArgument {
  std::string name;
  ArgumentType type = ArgumentType::kOther;
  bool optional = false;  ///< accepts None
  bool has_default = false;
  Attribute default_value = {};
};

struct OpSchema {
  std::string name;  ///< "aten::add.Tensor"
  std::vector<OpArgument> arguments;
  bool has_dynamic_shape = false;  ///< extents of results follow from values
};

/// What the passes must know of operators; implemented where libtorch is known.
class OpLibrary {
 public:
  virtual ~OpLibrary() = default;
  /// Null for an unknown operator; pointers stay valid for the life of the library.
  virtual const OpSchema* find(const std::string& op) const = 0;
  /// The overload that gives as a new value what `op` writes to its first argument. Further
  /// arguments have the same names, more only if they have defaults. Null if there is none.
  virtual const OpSchema* functional_form(const std::string& op) const = 0;
  /// Element type of a node's first result, from the types and shapes of its arguments.
  ///
  /// errors   kUnsupported if nobody knows
  virtual base::Result<base::DType> result_dtype(const Graph& graph, const Node& node) const = 0;
};

}  // namespace graphnet::graph
