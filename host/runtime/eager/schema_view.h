// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "eager/overload.h"

namespace graphnet::eager {

/// The arguments of one call by the names of its schema.
///
/// errors   TraceError kInternal for a name that the schema does not have or a value of another
///          type: the reader is wrong, not the program
class SchemaView {
 public:
  SchemaView(const Overload& overload, const c10::Stack& stack)
      : overload_(overload), stack_(stack) {}

  const Overload& overload() const { return overload_; }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  const c10::IValue& operator[](std::string_view name) const;

  /// An undefined tensor for None.
  at::Tensor tensor(std::string_view name) const;
  std::vector<at::Tensor> tensors(std::string_view name) const;
  std::int64_t integer(std::string_view name) const { return (*this)[name].toInt(); }
  bool flag(std::string_view name) const { return (*this)[name].toBool(); }
  bool is_none(std::string_view name) const { return (*this)[name].isNone(); }
  /// Ints of a list or of one int; empty for None.
  std::vector<std::int64_t> integers(std::string_view name) const;
  /// integers(), one value repeated to `count`.
  std::vector<std::int64_t> integers(std::string_view name, std::size_t count) const;

 private:
  const c10::IValue* find(std::string_view name) const;

  const Overload& overload_;
  const c10::Stack& stack_;
};

}  // namespace graphnet::eager
