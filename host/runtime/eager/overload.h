// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphnet::eager {

/// What a schema argument accepts; SymInt counts as int.
enum class ParameterType : std::uint8_t {
  kTensor,
  kTensorList,
  kOptionalTensorList,  ///< Tensor?[] of indexing
  kInt,
  kIntList,
  kFloat,
  kFloatList,
  kScalar,
  kBool,
  kBoolList,
  kString,
  kDType,
  kDevice,
  kMemoryFormat,
  kLayout,
  kOther,  ///< only its default or None can be given
};

/// One argument of a schema.
struct SchemaParameter {
  std::string name;
  ParameterType type = ParameterType::kOther;
  bool optional = false;  ///< accepts None
  bool keyword_only = false;
  bool written = false;  ///< alias annotation says the operator writes to it
  /// Index of the flag that says whether a call writes to it (graph/running_statistics.h).
  std::optional<std::size_t> written_if;
  int fixed_length = 0;  ///< N of int[N]; 0 if free
  bool has_default = false;
  c10::IValue default_value;
};

/// One operator overload with its schema taken apart once.
struct Overload {
  c10::OperatorHandle handle;
  std::string name;  ///< "aten::add.Tensor"
  std::vector<SchemaParameter> parameters;

  std::string local_name() const { return name.substr(name.find("::") + 2); }  ///< "add.Tensor"
  std::string operator_name() const {                                          ///< "add"
    return local_name().substr(0, local_name().find('.'));
  }
};

/// Whether a call writes to an argument, what its schema conceals included.
///
/// shapes   arguments: one per parameter
bool writes(const Overload& overload, const c10::Stack& arguments, std::size_t index);

/// Overloads of an ATen operator that Python can reach: no out=, no named dimensions, no
/// TorchScript list forms. Empty if there is no operator of that name.
///
/// order    as registered; the pointer stays valid for the life of the process
/// source   libtorch's dispatcher registry
const std::vector<Overload>& overloads_of(const std::string& aten_name);

/// One of them by its full name, "aten::add.Tensor"; null if there is none.
const Overload* find_overload(const std::string& name);

/// True if Python's binding of this operator turns a number into a tensor instead of using a Scalar
/// overload.
///
/// source   torch/csrc/utils/python_arg_parser.cpp, should_allow_numbers_as_tensors
bool allows_numbers_as_tensors(const std::string& aten_name);

}  // namespace graphnet::eager
