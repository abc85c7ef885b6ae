// SPDX-License-Identifier: MIT
#include "eager/typed_call.h"

#include <c10/core/SymInt.h>
#include <c10/core/SymIntArrayRef.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace graphnet::eager {

namespace {

using Tensors = const at::Tensor* const*;

/// Where an argument of C++ type T comes from: settled once, given in each call. `next` counts the
/// tensors that earlier arguments have taken.
template <typename T>
class Source;

template <>
class Source<const at::Tensor&> {
 public:
  static constexpr const char* kSchemaType = "Tensor";
  Source(const TypedOperand& operand, std::size_t& next) : index_(next++) {
    TORCH_CHECK(operand.is_tensor);
  }
  const at::Tensor& get(Tensors tensors) const { return *tensors[index_]; }

 private:
  std::size_t index_;
};

template <>
class Source<const std::optional<at::Tensor>&> {
 public:
  static constexpr const char* kSchemaType = "Tensor?";
  Source(const TypedOperand& operand, std::size_t& next) : is_given_(operand.is_tensor) {
    TORCH_CHECK(operand.is_tensor || operand.constant->isNone());
    if (is_given_) index_ = next++;
  }
  std::optional<at::Tensor> get(Tensors tensors) const {
    if (!is_given_) return std::nullopt;
    return *tensors[index_];
  }

 private:
  bool is_given_;
  std::size_t index_ = 0;
};

/// A constant that is given as it is kept.
template <typename T>
class Constant {
 public:
  Constant(const TypedOperand& operand, std::size_t& /*next*/) {
    TORCH_CHECK(!operand.is_tensor);
    value_ = operand.constant->to<T>();
  }
  const T& get(Tensors /*tensors*/) const { return value_; }

 private:
  T value_;
};

template <>
struct Source<const at::Scalar&> : Constant<at::Scalar> {
  static constexpr const char* kSchemaType = "Scalar";
  using Constant::Constant;
};
template <>
struct Source<std::int64_t> : Constant<std::int64_t> {
  static constexpr const char* kSchemaType = "int";
  using Constant::Constant;
};
template <>
struct Source<bool> : Constant<bool> {
  static constexpr const char* kSchemaType = "bool";
  using Constant::Constant;
};
template <>
struct Source<double> : Constant<double> {
  static constexpr const char* kSchemaType = "float";
  using Constant::Constant;
};
template <>
struct Source<std::optional<at::ScalarType>> : Constant<std::optional<at::ScalarType>> {
  static constexpr const char* kSchemaType = "ScalarType?";
  using Constant::Constant;
};
template <>
struct Source<c10::SymInt> : Constant<std::int64_t> {
  static constexpr const char* kSchemaType = "SymInt";
  using Constant::Constant;
};

template <>
class Source<std::optional<c10::SymInt>> {
 public:
  static constexpr const char* kSchemaType = "SymInt?";
  Source(const TypedOperand& operand, std::size_t& /*next*/) {
    TORCH_CHECK(!operand.is_tensor);
    if (!operand.constant->isNone()) value_ = operand.constant->toInt();
  }
  std::optional<c10::SymInt> get(Tensors /*tensors*/) const {
    return value_ ? std::optional<c10::SymInt>(*value_) : std::nullopt;
  }

 private:
  std::optional<std::int64_t> value_;
};

/// Ints of a list; one int stands for a list of one.
class IntegerList {
 public:
  IntegerList(const TypedOperand& operand, std::size_t& /*next*/) {
    TORCH_CHECK(!operand.is_tensor && operand.constant->isIntList());
    values_ = operand.constant->toIntVector();
  }

 protected:
  std::vector<std::int64_t> values_;
};

template <>
struct Source<at::IntArrayRef> : IntegerList {
  static constexpr const char* kSchemaType = "int[]";
  using IntegerList::IntegerList;
  at::IntArrayRef get(Tensors /*tensors*/) const { return values_; }
};
template <>
struct Source<c10::SymIntArrayRef> : IntegerList {
  static constexpr const char* kSchemaType = "SymInt[]";
  using IntegerList::IntegerList;
  c10::SymIntArrayRef get(Tensors /*tensors*/) const { return c10::fromIntArrayRefSlow(values_); }
};

template <typename... Arguments>
class Call {
 public:
  using Signature = at::Tensor(Arguments...);

  static TypedCall make(const c10::OperatorHandle& handle,
                        const std::vector<TypedOperand>& operands) {
    return make(handle, operands, std::index_sequence_for<Arguments...>());
  }

  static bool matches(const std::vector<std::string>& types) {
    constexpr std::array<const char*, sizeof...(Arguments)> kTypes = {
        Source<Arguments>::kSchemaType...};
    return std::equal(types.begin(), types.end(), kTypes.begin(), kTypes.end());
  }

 private:
  template <std::size_t... kPositions>
  static TypedCall make(const c10::OperatorHandle& handle,
                        const std::vector<TypedOperand>& operands,
                        std::index_sequence<kPositions...> /*positions*/) {
    std::size_t next = 0;
    // Braces evaluate from left to right: sources count the tensors as they are made.
    std::tuple<Source<Arguments>...> sources{Source<Arguments>(operands[kPositions], next)...};
    return [typed = handle.typed<Signature>(), sources = std::move(sources)](Tensors tensors) {
      return std::apply([&](const auto&... source) { return typed.call(source.get(tensors)...); },
                        sources);
    };
  }
};

struct Row {
  bool (*matches)(const std::vector<std::string>& types);
  TypedCall (*make)(const c10::OperatorHandle& handle, const std::vector<TypedOperand>& operands);
};

template <typename... Arguments>
constexpr Row row() {
  return {Call<Arguments...>::matches, Call<Arguments...>::make};
}

using T = const at::Tensor&;
using OptionalTensor = const std::optional<at::Tensor>&;
using Scalar = const at::Scalar&;
using Int = std::int64_t;
using OptionalSymInt = std::optional<c10::SymInt>;

/// Signatures of the calls that make up most programs, with an operator as example.
constexpr std::array kRows = {
    row<T>(),                                                    // relu
    row<T, T>(),                                                 // mul.Tensor, matmul
    row<T, T, T>(),                                              // where.self
    row<T, T, Scalar>(),                                         // add.Tensor
    row<T, T, OptionalTensor>(),                                 // linear
    row<T, Scalar>(),                                            // mul.Scalar, pow.Tensor_Scalar
    row<T, Scalar, Scalar>(),                                    // add.Scalar, hardtanh
    row<T, c10::SymIntArrayRef>(),                               // view, reshape
    row<T, c10::SymIntArrayRef, bool>(),                         // expand
    row<T, at::IntArrayRef>(),                                   // permute
    row<T, Int>(),                                               // unsqueeze
    row<T, Int, Int>(),                                          // transpose.int
    row<T, Int, c10::SymInt>(),                                  // select.int
    row<T, Int, OptionalSymInt, OptionalSymInt, c10::SymInt>(),  // slice.Tensor
    row<T, Int, std::optional<at::ScalarType>>(),                // softmax.int
    row<T, double, bool>(),                                      // dropout
    row<T, c10::SymIntArrayRef, OptionalTensor, OptionalTensor, double, bool>(),  // layer_norm
    row<T, T, OptionalTensor, c10::SymIntArrayRef, c10::SymIntArrayRef, c10::SymIntArrayRef,
        c10::SymInt>(),  // conv2d
    row<T, OptionalTensor, OptionalTensor, OptionalTensor, OptionalTensor, bool, double, double,
        bool>(),  // batch_norm
};

/// Types of the arguments as the schema spells them; nothing if the call does more than give one
/// new tensor or view.
std::optional<std::vector<std::string>> argument_types(const c10::FunctionSchema& schema) {
  if (schema.returns().size() != 1 || schema.returns()[0].type()->str() != "Tensor") {
    return std::nullopt;
  }
  std::vector<std::string> types;
  for (const c10::Argument& argument : schema.arguments()) {
    if (argument.alias_info() != nullptr && argument.alias_info()->isWrite()) return std::nullopt;
    types.push_back(argument.real_type()->str());
  }
  return types;
}

}  // namespace

TypedCall make_typed_call(const c10::OperatorHandle& handle,
                          const std::vector<TypedOperand>& operands) {
  const auto types = argument_types(handle.schema());
  if (!types || types->size() != operands.size()) return nullptr;
  for (const Row& candidate : kRows) {
    if (!candidate.matches(*types)) continue;
    try {
      return candidate.make(handle, operands);
    } catch (const c10::Error&) {
      // The operator was registered with other C++ types: its boxed entry serves all.
      return nullptr;
    }
  }
  return nullptr;
}

}  // namespace graphnet::eager
