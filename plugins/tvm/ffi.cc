// SPDX-License-Identifier: MIT
#include "tvm_plugin/ffi.h"

#include <tvm/ffi/reflection/accessor.h>

#include <optional>

#include "graphnet/failure.h"
#include "tvm_plugin/expression.h"

namespace graphnet::tvm {

std::optional<ffi::Function> module_function(const Ref& module, const char* name) {
  const Any found = call("ffi.ModuleGetFunction", module, String(name), true);
  if (found == nullptr) return std::nullopt;
  return found.cast<ffi::Function>();
}

namespace {

/// Calls `visit` with each field until it gives true: those of the type, then its ancestors'.
template <typename Visit>
void for_each_field(const Ref& object, const Visit& visit) {
  const TVMFFITypeInfo* const own = TVMFFIGetTypeInfo(object->type_index());
  for (std::int32_t depth = own->type_depth; depth >= 0; --depth) {
    const TVMFFITypeInfo* const info = depth == own->type_depth ? own : own->type_ancestors[depth];
    for (std::int32_t i = 0; i < info->num_fields; ++i) {
      const TVMFFIFieldInfo& each = info->fields[i];
      if (visit(std::string_view(each.name.data, each.name.size), each)) return;
    }
  }
}

}  // namespace

Any field(const Ref& object, const char* name) {
  std::optional<Any> value;
  for_each_field(object, [&](std::string_view each, const TVMFFIFieldInfo& info) {
    if (each == name) value = ffi::reflection::FieldGetter(&info)(object.get());
    return value.has_value();
  });
  if (value) return *std::move(value);
  throw Failure(GN_STATUS_INTERNAL,
                std::string(object->GetTypeKey()) + " of TVM has no field " + name);
}

Ref child(const Ref& object, const char* name) {
  return field(object, name).cast<Ref>();
}

bool is(const Ref& object, std::string_view type) {
  return object->GetTypeKey() == type;
}

Ref with_field(const Ref& object, const char* name, const Any& value) {
  std::vector<Any> arguments = {object->type_index()};
  for_each_field(object, [&](std::string_view each, const TVMFFIFieldInfo& info) {
    arguments.emplace_back(String(std::string(each)));
    arguments.push_back(each == name ? value : ffi::reflection::FieldGetter(&info)(object.get()));
    return false;
  });
  Any made;
  std::vector<ffi::AnyView> views(arguments.begin(), arguments.end());
  ffi::Function::GetGlobalRequired("ffi.MakeObjectFromPackedArgs")
      .CallPacked(views.data(), static_cast<std::int32_t>(views.size()), &made);
  return made.cast<Ref>();
}

Array<Ref> to_array(const std::vector<Ref>& refs) {
  return Array<Ref>(refs.begin(), refs.end());
}

Array<Ref> extents(const lowering::Shape& shape) {
  Array<Ref> array;
  for (const std::int64_t extent : shape) array.push_back(integer(extent));
  return array;
}

}  // namespace graphnet::tvm
