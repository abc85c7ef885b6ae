// SPDX-License-Identifier: MIT
#pragma once

#include <tvm/ffi/tvm_ffi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lowering/tensor.h"

namespace graphnet::tvm {

// TVM's compiler is driven by name through tvm-ffi: no header of it is needed and the wheel ships
// none. Names that are called are listed in tvm_library.cc, which refuses a library without them.
namespace ffi = ::tvm::ffi;

using ffi::Any;
using ffi::Array;
using ffi::Map;
using ffi::String;
/// Any object of TVM: an expression, a module, a schedule.
using Ref = ffi::ObjectRef;

/// errors   ffi::Error, as TVM raises it
template <typename... Args>
Any call(const std::string& name, Args&&... args) {
  return ffi::Function::GetGlobalRequired(name)(std::forward<Args>(args)...);
}

template <typename... Args>
Ref make(const std::string& name, Args&&... args) {
  return call(name, std::forward<Args>(args)...).template cast<Ref>();
}

/// A function of a runtime module; nullopt: it has none of that name.
std::optional<ffi::Function> module_function(const Ref& module, const char* name);
/// A field of an object, by reflection.
Any field(const Ref& object, const char* name);
/// A field that is an object.
Ref child(const Ref& object, const char* name);
/// Whether an object is of this type of TVM's, by name.
bool is(const Ref& object, std::string_view type);
/// A copy of an object that has another value in one field.
Ref with_field(const Ref& object, const char* name, const Any& value);
/// The module after a pass; `name` makes the pass from `args`.
template <typename... Args>
Ref run_pass(Ref module, const std::string& name, Args&&... args) {
  Any moved(std::move(module));
  return make("transform.RunPass", make(name, std::forward<Args>(args)...),
              ffi::RValueRef<Ref>(std::move(moved).cast<Ref>()));
}

Array<Ref> to_array(const std::vector<Ref>& refs);
/// Extents as 64-bit constants.
Array<Ref> extents(const lowering::Shape& shape);

}  // namespace graphnet::tvm
