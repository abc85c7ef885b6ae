// SPDX-License-Identifier: MIT
#include "tvm_plugin/ffi.h"

#include <tvm/ffi/reflection/accessor.h>

#include <string_view>

#include "graphnet/failure.h"
#include "tvm_plugin/expression.h"

namespace graphnet::tvm {

ffi::Function module_function(const Ref& module, const char* name) {
  return call("ffi.ModuleGetFunction", module, String(name), true).cast<ffi::Function>();
}

Any field(const Ref& object, const char* name) {
  const TVMFFITypeInfo* const own = TVMFFIGetTypeInfo(object->type_index());
  for (std::int32_t depth = own->type_depth; depth >= 0; --depth) {
    const TVMFFITypeInfo* const info = depth == own->type_depth ? own : own->type_ancestors[depth];
    for (std::int32_t i = 0; i < info->num_fields; ++i) {
      const TVMFFIFieldInfo& each = info->fields[i];
      if (std::string_view(each.name.data, each.name.size) == name) {
        return ffi::reflection::FieldGetter(&each)(object.get());
      }
    }
  }
  throw Failure(GN_STATUS_INTERNAL,
                std::string(object->GetTypeKey()) + " of TVM has no field " + name);
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
