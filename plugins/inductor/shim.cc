// SPDX-License-Identifier: MIT
#include "shim.h"

#include <dlfcn.h>

#include <string>

#include "graphnet/failure.h"
#include "graphnet/scalar_type.h"

namespace graphnet::inductor {

namespace {

template <typename Function>
void find(const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
  if (function != nullptr) return;
  throw Failure(GN_STATUS_UNAVAILABLE, std::string("libtorch of this process has no ") + name +
                                           "; plugin inductor is made for libtorch 2.11");
}

Shim find_shim() {
  Shim found = {};
  find("aoti_torch_create_tensor_from_blob", found.create_tensor_from_blob);
  find("aoti_torch_delete_tensor_object", found.delete_tensor_object);
  find("aoti_torch_get_data_ptr", found.get_data_ptr);
  find("aoti_torch_get_numel", found.get_numel);
  find("aoti_torch_is_contiguous", found.is_contiguous);
  find("aoti_torch_copy_", found.copy);
  find("aoti_torch_new_tensor_handle", found.new_tensor_handle);
  find("aoti_torch_assign_tensors", found.assign_tensors);
  find("torch_new_list_reserve_size", found.new_list);
  find("torch_list_push_back", found.push_back);
  find("aoti_torch_call_dispatcher", found.call_dispatcher);
  return found;
}

}  // namespace

const Shim& shim() {
  static const Shim found = find_shim();
  return found;
}

TensorHandle borrow(const DLTensor& tensor) {
  Tensor made = nullptr;
  char* const data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  const std::int32_t failed =
      shim().create_tensor_from_blob(data, tensor.ndim, tensor.shape, tensor.strides, 0,
                                     scalar_type(tensor.dtype), /*device_type=*/0, 0, &made);
  if (failed != 0) throw Failure(GN_STATUS_RUNTIME_FAILED, "libtorch makes no tensor of an input");
  return TensorHandle(made);
}

}  // namespace graphnet::inductor
